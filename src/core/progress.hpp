// SPDX-License-Identifier: BSD-3-Clause
// Says that something takes long, while it does.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <core/log.hpp>

namespace op2::core {

/// Whether progress is shown: where notes are logged, and at the level of warnings if stderr is a
/// terminal.
bool shows_progress(const Log& log);

/// While it exists, logs a text from another thread each time that the patience of the log is over.
/// Costs a thread where progress is shown, otherwise nothing: for calls that may take seconds.
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
  void report();

  Log& log_;
  const Text text_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace op2::core
