// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/step_times.hpp>

#include <chrono>

namespace op2::sched {
namespace {

core::Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<core::Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

void StepTimes::start() {
  stream_.wait();
  rows_.clear();
  timer_.restart();
  begin_ = core::Clock::now();
  timer_.set(stream_);
}

void StepTimes::end_of(const StepRows& rows) {
  rows_.push_back(&rows);
  timer_.set(stream_);
}

/// Mark k is where the k-th step begins, counted from 0.
void StepTimes::finish() {
  stream_.wait();
  double begin = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const double seconds = timer_.seconds(k, k + 1);
    rows_[k]->spend(seconds);
    if (trace_.on())
      trace_.add("device", rows_[k]->row->name, begin_ + duration_of(begin),
                 begin_ + duration_of(begin + seconds));
    if (tools_ != nullptr) tools_->loop_on_device(rows_[k]->row->name.c_str(), seconds);
    begin += seconds;
  }
}

}  // namespace op2::sched
