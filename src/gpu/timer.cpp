// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/timer.hpp>

namespace op2::gpu {

Timer::~Timer() {
  for (EventHandle event : events_) driver_.call_later(&DriverApi::event_destroy, event);
}

Timer::Mark Timer::set(core::Stream& stream) {
  if (marks_ == events_.size()) {
    EventHandle event = nullptr;
    driver_.call(&DriverApi::event_create, &event, event_with_timing);
    events_.push_back(event);
  }
  driver_.call(&DriverApi::event_record, events_[marks_], cuda_stream(stream).handle());
  return marks_++;
}

double Timer::seconds(Mark from, Mark to) const {
  float milliseconds = 0;
  driver_.call(&DriverApi::event_elapsed, &milliseconds, events_.at(from), events_.at(to));
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace op2::gpu
