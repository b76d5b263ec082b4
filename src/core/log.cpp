// SPDX-License-Identifier: BSD-3-Clause
#include <core/log.hpp>

#include <mutex>
#include <set>

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <core/error.hpp>
#include <core/progress.hpp>

namespace op2::core {

LogLevel log_level_named(std::string_view word) {
  if (word == "off") return LogLevel::off;
  if (word == "error") return LogLevel::error;
  if (word == "warning") return LogLevel::warning;
  if (word == "info") return LogLevel::info;
  if (word == "debug") return LogLevel::debug;
  fail(ErrorCode::bad_option,
       "the value is not accepted: OP2_LOG={}; use off, error, warning, info, debug", word);
}

namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::off:
      return spdlog::level::off;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::debug:
      return spdlog::level::debug;
  }
  return spdlog::level::off;
}

}  // namespace

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
  sink_->logger.set_level(spdlog_level(level));
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
