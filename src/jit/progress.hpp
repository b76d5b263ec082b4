// SPDX-License-Identifier: BSD-3-Clause
// Says how far a long compilation is.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include <core/log.hpp>

namespace op2::jit {

/// Logs "compiling 37 of 120 kernels" once per period while it exists, from another thread.
class Progress {
 public:
  explicit Progress(std::size_t kernels, core::Log& log,
                    std::chrono::milliseconds period = std::chrono::seconds(2));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The work on one kernel, which may fail. Thread safe.
  class Step {
   public:
    explicit Step(Progress& progress) : progress_(progress) {}
    ~Step() { progress_.finish_one(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Progress& progress_;
  };

 private:
  void finish_one();
  void report();

  const std::size_t kernels_;
  const std::chrono::milliseconds period_;
  core::Log& log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t finished_ = 0;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace op2::jit
