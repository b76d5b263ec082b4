// SPDX-License-Identifier: BSD-3-Clause
// Writes grids for ParaView, now or in the background.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <api/grid_values.hpp>
#include <comm/files/series.hpp>

namespace op2::api {

/// A series with a new time; nothing: an empty path. The times count on the root.
struct SeriesOfTimes {
  std::string path;
  std::vector<comm::TimeOfSeries> times;
  bool others_follow = false;  ///< in its file, so that files are replaced which it names
};

/// For OP2_HASH. Local.
void log_fetched(Runtime& runtime, op_dat coordinates, std::span<const op_dat> fields);

/// Each rank writes its piece, then the root the file that names the pieces, and the series.
/// Collective; nothing is queued.
void write_pieces(Runtime& runtime, const std::filesystem::path& path, const GridArguments& grid,
                  const SeriesOfTimes& series = {});

/// The root writes the whole grid. Collective.
void write_whole(Runtime& runtime, const std::string& path, const GridArguments& grid);

}  // namespace op2::api
