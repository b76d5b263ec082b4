// SPDX-License-Identifier: BSD-3-Clause
#include <core/log.hpp>

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <core/error.hpp>
#include <core/options.hpp>
#include <core/signals.hpp>

namespace op2::core {

namespace {

struct LevelName {
  std::string_view word;
  spdlog::level::level_enum level;
};

/// In the order of LogLevel.
constexpr LevelName levels[] = {{"off", spdlog::level::off},
                                {"error", spdlog::level::err},
                                {"warning", spdlog::level::warn},
                                {"info", spdlog::level::info},
                                {"debug", spdlog::level::debug}};

}  // namespace

LogLevel log_level_named(std::string_view word) {
  const auto found = std::ranges::find(levels, word, &LevelName::word);
  if (found == std::end(levels))
    fail(ErrorCode::bad_option,
         "the value is not accepted: OP2_LOG={}; use off, error, warning, info, debug", word);
  return static_cast<LogLevel>(found - std::begin(levels));
}

struct Log::Sink {
  spdlog::logger logger{"op2", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()};
  spdlog::logger dumps{"op2 dump", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()};
  std::mutex mutex;
  std::set<std::string> topics;  ///< already warned about
};

/// What is in progress.
struct Log::Waits {
  std::mutex mutex;  ///< of the other members
  std::condition_variable_any changed;
  std::vector<const Progress*> all;  ///< the newest last
  std::jthread thread;               ///< joinable while there are any, unless there is none

  void report(Log& log, const std::stop_token& end);
};

Log::Log(LogLevel level, const std::string& prefix, std::chrono::milliseconds progress_interval,
         const std::string& program)
    : level_(level),
      progress_interval_(progress_interval),
      program_(program),
      sink_(std::make_unique<Sink>()),
      waits_(std::make_unique<Waits>()) {
  sink_->logger.set_pattern(program + " %^%l%$: " + prefix + "%v");
  sink_->logger.set_level(levels[static_cast<std::size_t>(level)].level);
  sink_->dumps.set_pattern(prefix + "%v");
}

Log::~Log() = default;

void Log::write(LogLevel level, const std::string& text) {
  sink_->logger.log(levels[static_cast<std::size_t>(level)].level, "{}", text);
}

void Log::dump(const std::string& text) {
  sink_->dumps.critical("{}", text);
}

void Log::warning_once(const std::string& topic, const std::string& text) {
  {
    const std::lock_guard lock(sink_->mutex);
    if (!sink_->topics.insert(topic).second) return;
  }
  warning(text);
}

bool Log::shows_progress() const {
  return logs(LogLevel::info) || (logs(LogLevel::warning) && isatty(STDERR_FILENO) == 1);
}

/// Logs a note, or below the level of notes a line for a terminal.
void Log::Waits::report(Log& log, const std::stop_token& end) {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait_for(lock, end, log.progress_interval_, [] { return false; });
    if (end.stop_requested()) return;
    const Progress& newest = *all.back();
    const std::string text = newest.text_(seconds_since(newest.begin_));
    lock.unlock();  // a terminal may be slow
    if (log.logs(LogLevel::info))
      log.info(text);
    else
      log.dump(log.program_ + ": " + text);
    lock.lock();
  }
}

Progress::Progress(Log& log, Text text) : log_(log), text_(std::move(text)) {
  if (!log_.shows_progress()) return;
  Log::Waits& waits = *log_.waits_;
  const std::lock_guard lock(waits.mutex);
  waits.all.push_back(this);
  if (waits.thread.joinable()) return;
  try {
    const SignalsBlocked blocked;
    waits.thread =
        std::jthread([&log, &waits](const std::stop_token& end) { waits.report(log, end); });
  } catch (const std::system_error&) {
    // No thread is available: nothing is reported.
  }
}

Progress::Progress(Log& log, const std::string& what)
    : Progress(log, [what](double seconds) {
        return fmt::format("{}, {:.0f} s so far", what, seconds);
      }) {}

Progress::~Progress() {
  Log::Waits& waits = *log_.waits_;
  std::jthread over;  // joined without the mutex, which it may want
  const std::lock_guard lock(waits.mutex);
  std::erase(waits.all, this);
  if (waits.all.empty()) over = std::exchange(waits.thread, {});
  over.request_stop();
}

Log tool_log(const std::string& tool, bool shows) {
  const auto debug_words = [](const char* name) -> std::optional<std::string> {
    const char* const value = std::string_view(name) == "OP2_DEBUG" ? std::getenv(name) : nullptr;
    return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
  };
  return Log(shows ? LogLevel::warning : LogLevel::error, "",
             std::chrono::milliseconds(read_options(debug_words).progress_interval_ms), tool);
}

}  // namespace op2::core
