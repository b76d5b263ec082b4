// SPDX-License-Identifier: BSD-3-Clause
// What the emulated device has found wrong with the program that uses it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace op2::test::gpu {

/// A mistake of the program: a real device would go on with wrong results, or crash.
struct Misuse : std::logic_error {
  using std::logic_error::logic_error;
};

/// Every mistake is kept and thrown where it is found; where nothing may be thrown, by the next
/// call that may.
class Findings {
 public:
  explicit Findings(std::string device) : device_(std::move(device)) {}

  /// @throws Misuse
  template <class... Args>
  [[noreturn]] void report(fmt::format_string<Args...> format, Args&&... args) {
    all_.push_back(fmt::format("emulated device '{}': {}", device_,
                               fmt::format(format, std::forward<Args>(args)...)));
    throw Misuse(all_.back());
  }

  /// What `action` reports is thrown later.
  template <class Action>
  void postpone(Action action) noexcept {
    try {
      action();
    } catch (const Misuse& misuse) {
      postponed_ = misuse.what();
    }
  }
  void throw_postponed() {
    if (!postponed_.empty()) throw Misuse(std::exchange(postponed_, {}));
  }
  const std::string& postponed() const { return postponed_; }

  const std::vector<std::string>& all() const { return all_; }
  const std::string& device() const { return device_; }

 private:
  std::string device_, postponed_;
  std::vector<std::string> all_;
};

}  // namespace op2::test::gpu
