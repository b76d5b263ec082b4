// SPDX-License-Identifier: BSD-3-Clause
#include <core/progress.hpp>

#include <unistd.h>

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <core/clock.hpp>
#include <core/signals.hpp>

namespace op2::core {

bool shows_progress(const Log& log) {
  return log.logs(LogLevel::info) || (log.logs(LogLevel::warning) && isatty(STDERR_FILENO) == 1);
}

Progress::Progress(Log& log, Text text) : log_(log), text_(std::move(text)) {
  if (!shows_progress(log_)) return;
  Waits& waits = log_.waits();
  const std::lock_guard lock(waits.mutex);
  waits.all.push_back(this);
  if (waits.thread.joinable()) return;
  try {
    const SignalsBlocked blocked;
    waits.thread = std::jthread([&log](const std::stop_token& end) { report(log, end); });
  } catch (const std::system_error&) {
    // No thread is available: nothing is reported.
  }
}

Progress::Progress(Log& log, const std::string& what)
    : Progress(log, [what](double seconds) {
        return fmt::format("{}, {:.0f} s so far", what, seconds);
      }) {}

Progress::~Progress() {
  Waits& waits = log_.waits();
  std::jthread over;  // joined without the mutex, which it may want
  const std::lock_guard lock(waits.mutex);
  std::erase(waits.all, this);
  if (waits.all.empty()) over = std::exchange(waits.thread, {});
  over.request_stop();
}

void Progress::report(Log& log, const std::stop_token& end) {
  Waits& waits = log.waits();
  std::unique_lock lock(waits.mutex);
  for (;;) {
    waits.changed.wait_for(lock, end, log.progress_interval(), [] { return false; });
    if (end.stop_requested()) return;
    const Progress& newest = *waits.all.back();
    const std::string text = newest.text_(seconds_since(newest.begin_));
    lock.unlock();  // a terminal may be slow
    log.progress(text);
    lock.lock();
  }
}

}  // namespace op2::core
