// SPDX-License-Identifier: BSD-3-Clause
// The log: the only way in which the library reports something unasked, also while something takes
// long. Writes to stderr.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <core/clock.hpp>

namespace op2::core {

enum class LogLevel { off, error, warning, info, debug };

/// The level that a word names ("off", "error", "warning", "info", "debug").
/// @throws Error bad_option
LogLevel log_level_named(std::string_view word);

/// Thread safe. Cheap when the level is not logged, if the caller checks `logs` before it formats.
class Log {
 public:
  static constexpr std::chrono::milliseconds usual_progress_interval{2000};

  /// @param prefix    of every line: "" or "[rank 2/8] "
  /// @param progress_interval  what takes longer is shown while it goes on (Progress)
  /// @param program   first word of every line: "op2", or the tool that is run
  explicit Log(LogLevel level, const std::string& prefix = "",
               std::chrono::milliseconds progress_interval = usual_progress_interval,
               const std::string& program = "op2");
  ~Log();
  bool logs(LogLevel level) const { return level <= level_; }
  /// Whether progress is shown: where notes are logged, and at the level of warnings if stderr is a
  /// terminal.
  bool shows_progress() const;
  void error(const std::string& text) { write(LogLevel::error, text); }
  void warning(const std::string& text) { write(LogLevel::warning, text); }
  /// Warns once per `topic` in the life of this log.
  void warning_once(const std::string& topic, const std::string& text);
  void info(const std::string& text) { write(LogLevel::info, text); }
  void debug(const std::string& text) { write(LogLevel::debug, text); }
  /// Shows what OP2_DUMP requests, at any level. The prefix is put before the first line.
  void dump(const std::string& text);

 private:
  friend class Progress;
  struct Sink;
  struct Waits;
  void write(LogLevel level, const std::string& text);

  LogLevel level_;
  std::chrono::milliseconds progress_interval_;
  std::string program_;
  std::unique_ptr<Sink> sink_;
  std::unique_ptr<Waits> waits_;
};

/// Of a tool. Of all switches, patience of OP2_DEBUG counts.
/// @param shows  whether this process is the one to show anything
/// @throws Error bad_option
Log tool_log(const std::string& tool, bool shows = true);

/// While it exists, another thread logs a text at each progress interval of the log. If several
/// exist, only the newest reports: usually the innermost. For calls that may take seconds. Cost: a
/// thread where progress is shown, unless another one exists; otherwise nothing.
class Progress {
 public:
  using Text = std::function<std::string(double seconds)>;

  /// @param text  is called from the other thread
  Progress(Log& log, Text text);
  /// Logs "<what>, 4 s so far".
  Progress(Log& log, const std::string& what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  friend class Log;
  Log& log_;
  const Text text_;
  const Clock::time_point begin_ = Clock::now();
};

}  // namespace op2::core
