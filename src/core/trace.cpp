// SPDX-License-Identifier: BSD-3-Clause
#include <core/trace.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <new>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace op2::core {

void Trace::add(const char* lane, const std::string& what, Clock::time_point begin,
                Clock::time_point end) noexcept {
  if (!on_) return;
  using Microseconds = std::chrono::duration<double, std::micro>;
  const auto thread = static_cast<int>(syscall(SYS_gettid));
  const std::lock_guard lock(mutex_);
  try {
    if (spans_.size() == capacity) throw std::bad_alloc();
    spans_.push_back({lane, what, Microseconds(begin - start_).count(),
                      Microseconds(end - begin).count(), thread});
  } catch (const std::bad_alloc&) {
    ++dropped_;
  }
}

void Trace::write_json(const std::function<void(std::string_view)>& sink) const {
  using nlohmann::json;
  const std::lock_guard lock(mutex_);
  const int process = static_cast<int>(getpid());
  sink("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  const char* separator = "\n";
  for (const Span& s : spans_) {
    const std::string name = json(s.what).dump(-1, ' ', false, json::error_handler_t::replace);
    sink(
        fmt::format("{}{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"ts\":{:.3f},\"dur\":{:.3f},"
                    "\"pid\":{},\"tid\":{}}}",
                    separator, name, s.lane, s.begin, s.duration, process, s.thread));
    separator = ",\n";
  }
  sink(fmt::format("],\"otherData\":{{\"dropped\":{}}}}}\n", dropped_));
}

}  // namespace op2::core
