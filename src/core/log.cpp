// SPDX-License-Identifier: BSD-3-Clause
#include <core/log.hpp>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <set>

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <core/error.hpp>
#include <core/progress.hpp>

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

void Log::error(const std::string& text) {
  sink_->logger.error("{}", text);
}
void Log::warning(const std::string& text) {
  sink_->logger.warn("{}", text);
}
void Log::info(const std::string& text) {
  sink_->logger.info("{}", text);
}
void Log::debug(const std::string& text) {
  sink_->logger.debug("{}", text);
}

void Log::dump(const std::string& text) {
  sink_->dumps.critical("{}", text);
}

void Log::progress(const std::string& text) {
  if (logs(LogLevel::info))
    info(text);
  else
    dump(program_ + ": " + text);
}

void Log::warning_once(const std::string& topic, const std::string& text) {
  {
    const std::lock_guard lock(sink_->mutex);
    if (!sink_->topics.insert(topic).second) return;
  }
  warning(text);
}

}  // namespace op2::core
