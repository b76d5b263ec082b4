// SPDX-License-Identifier: BSD-3-Clause
// Time series for ParaView.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <op2/io.hpp>

#include <api/session.hpp>
#include <comm/files/series.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>
#include <core/progress.hpp>
#include <core/validate.hpp>

using namespace op2;

namespace {

/// "flow_0012.pvtu": the file of one time of "results/flow.pvd".
std::string name_of_time(const std::filesystem::path& series, std::size_t number) {
  return fmt::format("{}_{:04}.pvtu", series.stem().string(), number);
}

/// The times of the series before `time`, on the root; their number, on all ranks. Collective.
std::size_t earlier_times(api::Runtime& runtime, const char* series, double time,
                          std::vector<comm::TimeOfSeries>& times) {
  const core::Progress progress(runtime.log, fmt::format("reading '{}'", series));
  runtime.check_together([&] {
    if (!runtime.ranks().is_root()) return;
    times = comm::read_series(series);
    std::erase_if(times, [&](const comm::TimeOfSeries& one) { return !(one.time < time); });
  });
  return runtime.collectively(
      [&] { return comm::broadcast_record(runtime.ranks(), times.size()); });
}

}  // namespace

void op_write_series(const char* series, double time, op_map cells_to_nodes, op_dat coordinates,
                     std::span<const op_dat> fields) {
  core::check_path("op_write_series", series);
  auto& runtime = api::usable();
  const core::InPart part(&runtime.profile, core::Part::files);
  if (!std::isfinite(time))
    core::fail(ErrorCode::bad_range,
               "the time is not finite: op_write_series '{}', {}; give the time of the values",
               series, time);
  runtime.enter("op_write_series '{}' at {}", series, time);
  std::vector<comm::TimeOfSeries> times;
  const std::size_t number = earlier_times(runtime, series, time, times);
  const std::filesystem::path path = series;
  const std::string name = name_of_time(path, number);
  op_write_pvtu((path.parent_path() / name).c_str(), cells_to_nodes, coordinates, fields);
  runtime.enter("op_write_series '{}', end", series);
  runtime.check_together([&] {
    if (!runtime.ranks().is_root()) return;
    times.push_back({time, name});
    comm::write_series(series, times);
  });
}
