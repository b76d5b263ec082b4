// SPDX-License-Identifier: BSD-3-Clause
// Says that something takes long, while it does.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <core/clock.hpp>
#include <core/log.hpp>

namespace op2::core {

/// Whether progress is shown: where notes are logged, and at the level of warnings if stderr is a
/// terminal.
bool shows_progress(const Log& log);

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
  static void report(Log& log, const std::stop_token& end);

  Log& log_;
  const Text text_;
  const Clock::time_point begin_ = Clock::now();
};

/// What exists at present for one log.
struct Waits {
  std::mutex mutex;  ///< of the other members
  std::condition_variable_any changed;
  std::vector<const Progress*> all;  ///< the newest last
  std::jthread thread;               ///< joinable while there are any, unless there is none
};

}  // namespace op2::core
