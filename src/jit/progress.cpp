// SPDX-License-Identifier: BSD-3-Clause
#include <jit/progress.hpp>

#include <algorithm>
#include <system_error>

#include <fmt/core.h>

#include <core/counted.hpp>
#include <core/signals.hpp>

namespace op2::jit {

Progress::Progress(std::size_t kernels, core::Log& log, std::chrono::milliseconds period)
    : kernels_(kernels), period_(period), log_(log) {
  if (!log_.logs(core::LogLevel::info)) return;
  try {
    const core::SignalsBlocked blocked;
    thread_ = std::thread([this] { report(); });
  } catch (const std::system_error&) {
    // No thread is available: nothing is reported.
  }
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Progress::finish_one() {
  const std::lock_guard lock(mutex_);
  ++finished_;
}

void Progress::report() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, period_, [this] { return is_over_; }))
    log_.info(fmt::format("compiling {} of {}", std::min(finished_ + 1, kernels_),
                          core::counted(kernels_, "kernel")));
}

}  // namespace op2::jit
