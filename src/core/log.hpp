// SPDX-License-Identifier: BSD-3-Clause
// The log: the only way in which the library reports something unasked. Writes to stderr.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace op2::core {

struct Waits;

enum class LogLevel { off, error, warning, info, debug };

/// The level that a word names ("off", "error", "warning", "info", "debug").
/// @throws Error bad_option
LogLevel log_level_named(std::string_view word);

/// Thread safe. Cheap when the level is not logged, if the caller checks `logs` before it formats.
class Log {
 public:
  static constexpr std::chrono::milliseconds usual_progress_interval{2000};

  /// @param prefix    of every line: "" or "[rank 2/8] "
  /// @param progress_interval  what takes longer is shown while it goes on (core/progress.hpp)
  /// @param program   first word of every line: "op2", or the tool that is run
  explicit Log(LogLevel level, const std::string& prefix = "",
               std::chrono::milliseconds progress_interval = usual_progress_interval,
               const std::string& program = "op2");
  ~Log();
  bool logs(LogLevel level) const { return level <= level_; }
  std::chrono::milliseconds progress_interval() const { return progress_interval_; }
  void error(const std::string& text);
  void warning(const std::string& text);
  /// Warns once per `topic` in the life of this log.
  void warning_once(const std::string& topic, const std::string& text);
  void info(const std::string& text);
  void debug(const std::string& text);
  /// Shows what OP2_DUMP requests, at any level. The prefix is put before the first line.
  void dump(const std::string& text);
  /// What takes long: a note, or below the level of notes a line for a terminal.
  void progress(const std::string& text);
  Waits& waits() { return *waits_; }

 private:
  struct Sink;
  LogLevel level_;
  std::chrono::milliseconds progress_interval_;
  std::string program_;
  std::unique_ptr<Sink> sink_;
  std::unique_ptr<Waits> waits_;
};

}  // namespace op2::core
