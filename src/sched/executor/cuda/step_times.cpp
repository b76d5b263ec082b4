// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/step_times.hpp>

namespace op2::sched {

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
    for (const auto& listener : listeners_)
      listener->step_ran_on_device(rows_[k]->row->name.c_str(),
                                   begin_ + core::clock_duration(begin), seconds);
    begin += seconds;
  }
}

}  // namespace op2::sched
