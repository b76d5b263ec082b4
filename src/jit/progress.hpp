// SPDX-License-Identifier: BSD-3-Clause
// Says how far a long compilation is.
#pragma once

#include <atomic>
#include <cstddef>

#include <core/progress.hpp>

namespace op2::jit {

/// Says "compiling 37 of 120 kernels" at each progress interval of the log, where
/// progress is shown.
class Progress {
 public:
  Progress(std::size_t kernels, core::Log& log);

  /// The work on one kernel, which may fail. Thread safe.
  class Step {
   public:
    explicit Step(Progress& progress) : progress_(progress) {}
    ~Step() { ++progress_.finished_; }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Progress& progress_;
  };

 private:
  std::atomic<std::size_t> finished_ = 0;
  const core::Progress shown_;  ///< ends before what it reads
};

}  // namespace op2::jit
