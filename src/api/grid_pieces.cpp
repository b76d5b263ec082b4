// SPDX-License-Identifier: BSD-3-Clause
#include <api/grid_pieces.hpp>

#include <iterator>
#include <memory>
#include <utility>

#include <api/earlier_times.hpp>
#include <comm/files/file_writer.hpp>
#include <comm/files/leftovers.hpp>
#include <core/progress.hpp>

namespace op2::api {
namespace {

using Work = BackgroundResults::Work;

/// Collective.
void write(Runtime& runtime, Work work) {
  if (runtime.background_results != nullptr) {
    runtime.collectively([&] { runtime.background_results->begin(std::move(work)); });
    return;
  }
  runtime.check_together(work.write);
  if (!work.publish) return;
  runtime.check_together([&] {
    if (runtime.ranks().is_root()) work.publish();
  });
}

/// "flow_3.vtu" for piece 3 of "results/flow.pvtu".
std::string name_of_piece(const std::filesystem::path& path, int rank) {
  return fmt::format("{}_{}.vtu", path.stem().string(), rank);
}

std::vector<std::string> names_of_pieces(const std::filesystem::path& path, int ranks) {
  std::vector<std::string> names;
  for (int rank = 0; rank < ranks; ++rank) names.push_back(name_of_piece(path, rank));
  return names;
}

void publish(const std::string& path, const std::string& index, const SeriesOfTimes& series) {
  comm::FileWriter file(path);
  file.write(index);
  file.publish();
  if (!series.path.empty()) comm::write_series(series.path, series.times);
}

}  // namespace

void log_fetched(Runtime& runtime, op_dat coordinates, std::span<const op_dat> fields) {
  if (!runtime.value_log) return;
  runtime.value_log->fetched(*core::record_of(coordinates));
  for (const op_dat field : fields) runtime.value_log->fetched(*core::record_of(field));
}

void write_pieces(Runtime& runtime, const std::filesystem::path& path, const GridArguments& grid,
                  const SeriesOfTimes& series) {
  const core::Progress progress(runtime.log, fmt::format("writing '{}'", path.string()));
  const comm::Communicator& ranks = runtime.ranks();
  const auto [piece, index] = runtime.collectively([&] {
    auto values = std::make_shared<GridValues>(GridValues::piece(runtime, grid));
    if (runtime.background_results != nullptr) values->keep();
    return std::pair(values, comm::pvtu_text(values->view(), names_of_pieces(path, ranks.size())));
  });
  const bool first_on_node = ranks.on_node().rank == 0;  // a folder may be large
  const std::string mine = (path.parent_path() / name_of_piece(path, ranks.rank())).string();
  if (series.others_follow)
    shorten_series(runtime, series.path, [&] {
      comm::write_series(series.path, {series.times.begin(), std::prev(series.times.end())});
    });
  write(runtime,
        {piece->bytes(),
         [=, piece = piece] {
           if (first_on_node)
             comm::remove_leftovers(path.parent_path(), path.stem().string() + "_");
           comm::write_vtu(mine, piece->view(), comm::Leftovers::keep);
         },
         [=, index = index] { publish(path.string(), index, series); }, series.path, series.times});
}

void write_whole(Runtime& runtime, const std::string& path, const GridArguments& grid) {
  const core::Progress progress(runtime.log, fmt::format("writing '{}'", path));
  GridValues whole = GridValues::whole(runtime, grid);
  const bool is_root = runtime.ranks().is_root();
  const auto values = is_root ? std::make_shared<GridValues>(std::move(whole)) : nullptr;
  if (runtime.background_results != nullptr)
    runtime.check_together([&] {
      if (!is_root) return;
      comm::check_grid(values->view());
      values->keep();
    });
  write(runtime, {is_root ? values->bytes() : 0,
                  [=] {
                    if (is_root) comm::write_vtu(path, values->view());
                  },
                  nullptr,
                  {},
                  {}});
}

}  // namespace op2::api
