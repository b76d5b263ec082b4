// SPDX-License-Identifier: BSD-3-Clause
#include <core/measurements/trace.hpp>

#include <sys/syscall.h>

#include <new>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace op2::core {

void Trace::span(const char* lane, std::string_view what, Clock::time_point begin,
                 Clock::time_point end) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  const auto thread = static_cast<int>(syscall(SYS_gettid));
  const std::lock_guard lock(mutex_);
  try {
    if (spans_.size() == capacity) throw std::bad_alloc();
    spans_.push_back({lane, std::string(what), Microseconds(begin - start_).count(),
                      Microseconds(end - begin).count(), thread});
  } catch (const std::bad_alloc&) {
    ++dropped_;
  }
}

std::string Trace::events(int process) const {
  using nlohmann::json;
  const std::lock_guard lock(mutex_);
  std::string text = fmt::format(
      "\n{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{0},\"args\":{{\"name\":\"rank {0}\"}}}}",
      process);
  for (const Span& s : spans_) {
    const std::string name = json(s.what).dump(-1, ' ', false, json::error_handler_t::replace);
    text += fmt::format(
        ",\n{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"ts\":{:.3f},\"dur\":{:.3f},"
        "\"pid\":{},\"tid\":{}}}",
        name, s.lane, s.begin, s.duration, process, s.thread);
  }
  return text;
}

std::size_t Trace::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

std::string trace_as_json(const std::vector<std::string>& events, std::size_t dropped) {
  return fmt::format(
      "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[{}\n],\"otherData\":{{\"dropped\":{}}}}}\n",
      fmt::join(events, ","), dropped);
}

}  // namespace op2::core
