// SPDX-License-Identifier: BSD-3-Clause
// Which call of the emulated device fails, and how.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace op2::test::gpu {

enum class Failure { none, out_of_memory, launch_failed, device_lost };

/// What a call of a real driver would return instead of success.
struct DeviceFailure : std::runtime_error {
  DeviceFailure(Failure failure, const std::string& message)
      : std::runtime_error(message), code(failure) {}
  Failure code;
};

/// Counts the calls and lets one of them fail. A lost device stays lost: later calls fail as well.
class FailurePlan {
 public:
  /// The `k`-th call from now on (1 is the next one) fails.
  void fail_at(std::int64_t k, Failure failure) {
    countdown_ = k;
    failure_ = failure;
  }
  std::int64_t calls() const { return calls_; }
  bool has_failed() const { return has_failed_; }
  bool is_lost() const { return lost_; }

  /// To be called at the start of every function that can fail. @throws DeviceFailure
  void count(const char* function) {
    ++calls_;
    if (countdown_ > 0 && --countdown_ == 0) {
      has_failed_ = true;
      lost_ = failure_ == Failure::device_lost;
      throw DeviceFailure(failure_, std::string("planned failure: ") + function);
    }
    if (lost_) throw DeviceFailure(Failure::device_lost, std::string("device lost: ") + function);
  }

 private:
  std::int64_t calls_ = 0, countdown_ = 0;
  Failure failure_ = Failure::none;
  bool has_failed_ = false, lost_ = false;
};

}  // namespace op2::test::gpu
