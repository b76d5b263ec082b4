// SPDX-License-Identifier: BSD-3-Clause
#include <core/progress.hpp>

#include <unistd.h>

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <core/seconds_since.hpp>
#include <core/signals.hpp>

namespace op2::core {

bool shows_progress(const Log& log) {
  return log.logs(LogLevel::info) || (log.logs(LogLevel::warning) && isatty(STDERR_FILENO) == 1);
}

Progress::Progress(Log& log, Text text) : log_(log), text_(std::move(text)) {
  if (!shows_progress(log_)) return;
  try {
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { report(); });
  } catch (const std::system_error&) {
    // No thread is available: nothing is reported.
  }
}

Progress::Progress(Log& log, const std::string& what)
    : Progress(log, [what](double seconds) {
        return fmt::format("{}, {:.0f} s so far", what, seconds);
      }) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Progress::report() {
  const Clock::time_point begin = Clock::now();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, log_.patience(), [this] { return is_over_; })) {
    const std::string text = text_(seconds_since(begin));
    if (log_.logs(LogLevel::info))
      log_.info(text);
    else
      log_.dump("op2: " + text);  // on a terminal, below the level of notes
  }
}

}  // namespace op2::core
