// SPDX-License-Identifier: BSD-3-Clause
// Ends a process that needs too much.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <jit/remote/compile_limit.hpp>

namespace op2::jit {

/// What this process has used.
struct ProcessUse {
  double seconds = 0;             ///< of CPU time
  std::int64_t memory_bytes = 0;  ///< resident, at most
};
ProcessUse use_of_process();

/// Looks 50 times a second, on another thread, while it exists.
class LimitWatch {
 public:
  /// @throws std::system_error  if there is no thread to be had
  /// @param exceeded  called once, by the other thread, with what was too much: "60 s of CPU time"
  LimitWatch(const CompileLimit& limit, std::function<void(const std::string&)> exceeded);
  ~LimitWatch();

 private:
  void watch();

  const CompileLimit limit_;
  const std::function<void(const std::string&)> exceeded_;
  const double before_;  ///< seconds used before
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace op2::jit
