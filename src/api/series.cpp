// SPDX-License-Identifier: BSD-3-Clause
// Time series for ParaView.
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <op2/io.hpp>

#include <api/background.hpp>
#include <api/earlier_times.hpp>
#include <api/grid_pieces.hpp>
#include <api/session.hpp>
#include <api/xdmf.hpp>
#include <comm/files/series.hpp>
#include <core/error.hpp>

using namespace op2;

namespace {

/// "flow_0012.pvtu": the file of one time of "results/flow.pvd".
std::string name_of_time(const std::filesystem::path& series, std::size_t number) {
  return fmt::format("{}_{:04}.pvtu", series.stem().string(), number);
}

/// The times of a series with those that are written in the background. Local, on the root.
std::vector<comm::TimeOfSeries> times_of(const api::Runtime& runtime, const std::string& series) {
  std::optional<std::vector<comm::TimeOfSeries>> coming;
  if (runtime.background_results) coming = runtime.background_results->times_of(series);
  return coming ? std::move(*coming) : comm::read_series(series);
}

}  // namespace

void op_write_series(const char* series, double time, op_map cells_to_nodes, op_dat coordinates,
                     std::span<const op_dat> fields) {
  const api::GridArguments grid =
      api::checked_grid("op_write_series", series, cells_to_nodes, coordinates, fields);
  auto& runtime = api::usable();
  const core::InPart part(&runtime.profile, core::Part::files);
  if (!std::isfinite(time))
    core::fail(ErrorCode::bad_range,
               "the time is not finite: op_write_series '{}', {}; give the time of the values",
               series, time);
  if (!api::is_xdmf(series) && std::filesystem::path(series).extension() != ".pvd")
    core::fail(ErrorCode::io_failure,
               "the name of a time series has no known ending: op_write_series '{}'; end it in "
               ".pvd (VTU), .xdmf or .xmf (HDF5)",
               series);
  runtime.flush();
  api::log_fetched(runtime, coordinates, fields);
  runtime.enter("op_write_series '{}' at {}", series, time);
  runtime.compare_declarations(series);
  if (api::is_xdmf(series)) return api::write_xdmf_series(runtime, series, time, grid);
  api::look_at_background(runtime);
  api::SeriesOfTimes times{series, {}, false};
  const auto [number, others_follow] = api::earlier_times(
      runtime, series, time, times.times, [&] { return times_of(runtime, series); });
  times.others_follow = others_follow;
  const std::filesystem::path path = series;
  const std::string name = name_of_time(path, number);
  times.times.push_back({time, name});
  api::write_pieces(runtime, path.parent_path() / name, grid, times);
}
