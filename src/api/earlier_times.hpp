// SPDX-License-Identifier: BSD-3-Clause
// What a time series has before a new time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <api/runtime.hpp>
#include <comm/messages/records.hpp>
#include <core/progress.hpp>

namespace op2::api {

/// The times of a series before `time`, on the root; their number, on all ranks. Collective.
/// @param read  @return all its times; called on the root; may throw
template <class Time, class Read>
std::size_t earlier_times(Runtime& runtime, const std::string& series, double time,
                          std::vector<Time>& times, const Read& read) {
  const core::Progress progress(runtime.log, fmt::format("reading '{}'", series));
  runtime.check_together([&] {
    if (!runtime.ranks().is_root()) return;
    times = read();
    std::erase_if(times, [&](const Time& one) { return !(one.time < time); });
  });
  return runtime.collectively(
      [&] { return comm::broadcast_record(runtime.ranks(), times.size()); });
}

}  // namespace op2::api
