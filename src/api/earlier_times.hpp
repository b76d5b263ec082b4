// SPDX-License-Identifier: BSD-3-Clause
// What a time series has before a new time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <api/background.hpp>
#include <api/runtime.hpp>
#include <comm/messages/records.hpp>
#include <core/progress.hpp>

namespace op2::api {

/// Of a series to which a time is added.
struct EarlierTimes {
  std::size_t count;
  bool others_follow;  ///< not earlier: they are replaced
};

/// The times of a series before `time`, on the root; their number, on all ranks. Collective.
/// @param read  @return all its times; called on the root; may throw
template <class Time, class Read>
EarlierTimes earlier_times(Runtime& runtime, const std::string& series, double time,
                           std::vector<Time>& times, const Read& read) {
  const core::Progress progress(runtime.log, fmt::format("reading '{}'", series));
  EarlierTimes found{};
  runtime.check_together([&] {
    if (!runtime.ranks().is_root()) return;
    times = read();
    found.others_follow =
        std::erase_if(times, [&](const Time& one) { return !(one.time < time); }) > 0;
    found.count = times.size();
  });
  return runtime.collectively([&] { return comm::broadcast_record(runtime.ranks(), found); });
}

/// Before files are replaced that a series names: takes their times from it. Collective.
/// @param write  the series with earlier times alone; called on the root, when the background is
///               finished; may throw
template <class Write>
void shorten_series(Runtime& runtime, const std::string& series, const Write& write) {
  finish_background(runtime, "op_write_series, earlier results");
  runtime.enter("op_write_series '{}', earlier times", series);
  runtime.check_together([&] {
    if (runtime.ranks().is_root()) write();
  });
}

}  // namespace op2::api
