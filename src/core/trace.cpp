// SPDX-License-Identifier: BSD-3-Clause
#include <core/trace.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace op2::core {

void Trace::add(const char* lane, const std::string& what, Clock::time_point begin,
                Clock::time_point end) {
  if (!on_) return;
  using Microseconds = std::chrono::duration<double, std::micro>;
  const auto thread = static_cast<int>(syscall(SYS_gettid));
  const std::lock_guard lock(mutex_);
  if (spans_.size() == capacity) {
    ++dropped_;
    return;
  }
  spans_.push_back({lane, what, Microseconds(begin - start_).count(),
                    Microseconds(end - begin).count(), thread});
}

std::string Trace::to_json() const {
  const std::lock_guard lock(mutex_);
  nlohmann::json events = nlohmann::json::array();
  const int process = static_cast<int>(getpid());
  for (const Span& s : spans_)
    events.push_back({{"name", s.what},
                      {"cat", s.lane},
                      {"ph", "X"},
                      {"ts", s.begin},
                      {"dur", s.duration},
                      {"pid", process},
                      {"tid", s.thread}});
  return nlohmann::json{{"traceEvents", std::move(events)},
                        {"displayTimeUnit", "ms"},
                        {"otherData", {{"dropped", dropped_}}}}
      .dump();
}

}  // namespace op2::core
