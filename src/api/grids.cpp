// SPDX-License-Identifier: BSD-3-Clause
// Meshes and fields for ParaView: in one file, in one piece per rank, as VTU or XDMF series; now or
// in the background.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <op2/io.hpp>

#include <api/background_results.hpp>
#include <api/runtime.hpp>
#include <api/session.hpp>
#include <comm/files/hdf5_file.hpp>
#include <comm/files/open_file.hpp>
#include <comm/files/paraview.hpp>
#include <comm/messages/records.hpp>
#include <comm/partition/rendezvous.hpp>
#include <core/error.hpp>
#include <core/log.hpp>
#include <core/validate.hpp>

namespace op2::api {
namespace {

/// The arguments of a call that writes a grid.
struct GridArguments {
  const core::Map& cells;
  const core::Dat& points;
  std::vector<const core::Dat*> on_cells, on_points;
};

/// A grid that this rank writes. Names and values are those of dats, unless `keep` was called.
class GridValues {
 public:
  /// The whole grid on the root, and nothing on other ranks. Executes what is queued. Collective.
  static GridValues whole(Runtime& runtime, const GridArguments& arguments);
  /// The cells that this rank owns, and the nodes that they lead to. Collective; nothing is queued.
  static GridValues piece(Runtime& runtime, const GridArguments& arguments);

  GridValues(GridValues&&) = default;  // a copy would show the values of the original
  GridValues& operator=(GridValues&&) = delete;

  /// A view of it.
  comm::VtuGrid view() const { return {points_, arity_, cell_nodes_, on_cells_, on_points_}; }

  /// Copies what belongs to dats: they may change and end afterwards. Local.
  void keep();
  /// Of values and cells: what it holds after `keep`.
  std::int64_t bytes() const;

 private:
  explicit GridValues(int arity) : arity_(arity) {}
  bool is_stored(const void* values) const;
  void keep(comm::Field& field);

  int arity_;
  comm::Field points_{};
  std::span<const std::int32_t> cell_nodes_;
  std::vector<comm::Field> on_cells_, on_points_;
  std::vector<std::int32_t> piece_nodes_;
  std::deque<comm::Bytes> stored_;
  std::deque<std::string> names_;
};

/// @throws Error wrong_set, bad handles
GridArguments checked_grid(const char* function, const char* path, op_map cells_to_nodes,
                           op_dat coordinates, std::span<const op_dat> fields) {
  core::check_path(function, path);
  const core::Dat& points = checked_dat(function, coordinates);
  core::check_handle(usable().mesh, function, cells_to_nodes);
  const core::Map& map = *core::record_of(cells_to_nodes);
  if (points.set != map.to)
    core::fail(ErrorCode::wrong_set,
               "wrong set: {}, map '{}' is to set '{}', but the coordinates '{}' are on set '{}'; "
               "use a map to that set",
               function, map.name, map.to->name, points.name, points.set->name);
  GridArguments grid{map, points, {}, {}};
  for (const op_dat field : fields) {
    const core::Dat& dat = checked_dat(function, field);
    if (dat.set != map.from && dat.set != map.to)
      core::fail(ErrorCode::wrong_set,
                 "wrong set: {}, dat '{}' is on set '{}', neither on '{}' nor on '{}'; give dats "
                 "on one of these",
                 function, dat.name_storage, dat.set->name, map.from->name, map.to->name);
    (dat.set == map.from ? grid.on_cells : grid.on_points).push_back(&dat);
  }
  return grid;
}

comm::Field field_of(const core::Dat& dat, std::int64_t count, const void* values) {
  return {dat.name, dat.value_type, dat.dim, count, values};
}

/// A field of a whole dat, whose values are in `stored` if they came from other ranks or orders.
comm::Field whole_field(Runtime& runtime, const core::Dat& dat, std::deque<comm::Bytes>& stored) {
  WholeDat whole = whole_dat(runtime, dat);
  const comm::Field field = whole.field();
  if (!whole.storage.empty()) stored.push_back(std::move(whole.storage));  // its address stays
  return field;
}

GridValues GridValues::whole(Runtime& runtime, const GridArguments& arguments) {
  GridValues grid(arguments.cells.dim);
  grid.points_ = whole_field(runtime, arguments.points, grid.stored_);
  for (const core::Dat* dat : arguments.on_cells)
    grid.on_cells_.push_back(whole_field(runtime, *dat, grid.stored_));
  for (const core::Dat* dat : arguments.on_points)
    grid.on_points_.push_back(whole_field(runtime, *dat, grid.stored_));
  runtime.enter("the cells of a grid, by map '{}'", arguments.cells.name);
  runtime.collectively([&] {
    comm::Bytes declared = runtime.rows.declared_entries(arguments.cells), joined;
    const auto entries = comm::joined_on_root(runtime.ranks(), declared, joined);
    grid.stored_.push_back(std::move(joined.empty() ? declared : joined));  // its address stays
    grid.cell_nodes_ = {reinterpret_cast<const std::int32_t*>(entries.data()),
                        entries.size() / sizeof(std::int32_t)};
  });
  return grid;
}

GridValues GridValues::piece(Runtime& runtime, const GridArguments& arguments) {
  GridValues grid(arguments.cells.dim);
  const std::vector<comm::GlobalId> targets = runtime.rows.owned_targets(arguments.cells);
  std::vector<comm::GlobalId> nodes = targets;
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  for (const comm::GlobalId node : targets)
    grid.piece_nodes_.push_back(
        static_cast<std::int32_t>(std::ranges::lower_bound(nodes, node) - nodes.begin()));
  grid.cell_nodes_ = grid.piece_nodes_;
  const comm::Blocks blocks = runtime.rows.declared_blocks(*core::record_of(arguments.cells.to));
  const comm::RowRequest request(runtime.ranks(), blocks, nodes);
  const auto at_nodes = [&](const core::Dat& dat) {
    comm::Bytes storage;
    grid.stored_.push_back(
        request.rows(runtime.rows.declared_rows(dat, storage), static_cast<std::size_t>(dat.size)));
    return field_of(dat, std::ssize(nodes), grid.stored_.back().data());
  };
  grid.points_ = at_nodes(arguments.points);
  for (const core::Dat* dat : arguments.on_points) grid.on_points_.push_back(at_nodes(*dat));
  for (const core::Dat* dat : arguments.on_cells)
    grid.on_cells_.push_back(field_of(*dat, dat->on().size, dat->rows.host_read()));
  return grid;
}

bool GridValues::is_stored(const void* values) const {
  return std::ranges::any_of(stored_,
                             [&](const comm::Bytes& bytes) { return bytes.data() == values; });
}

void GridValues::keep(comm::Field& field) {
  field.name = names_.emplace_back(field.name);
  if (is_stored(field.values)) return;
  const auto* const bytes = static_cast<const std::byte*>(field.values);
  field.values = stored_.emplace_back(bytes, bytes + field.bytes()).data();
}

void GridValues::keep() {
  keep(points_);
  for (comm::Field& field : on_cells_) keep(field);
  for (comm::Field& field : on_points_) keep(field);
}

std::int64_t GridValues::bytes() const {
  std::int64_t bytes = static_cast<std::int64_t>(cell_nodes_.size_bytes() + points_.bytes());
  for (const comm::Field& field : on_cells_) bytes += static_cast<std::int64_t>(field.bytes());
  for (const comm::Field& field : on_points_) bytes += static_cast<std::int64_t>(field.bytes());
  return bytes;
}

/// A series to which a time is added; nothing: an empty path.
struct SeriesOfTimes {
  std::string path;
  std::vector<comm::SeriesTime> times;  ///< before that time, then with it; count on the root
  std::size_t earlier = 0;              ///< how many are before that time
  std::size_t others = 0;  ///< in its file, which are replaced, as are the files that it names
};

/// Collective.
/// @param read  @return all its times; called on the root; may throw
template <class Read>
SeriesOfTimes earlier_times(Runtime& runtime, const std::string& path, double time,
                            const Read& read) {
  const core::Progress progress(runtime.log, fmt::format("reading '{}'", path));
  SeriesOfTimes series{path, {}};
  runtime.do_on_root([&] {
    series.times = read();
    series.others =
        std::erase_if(series.times, [&](const auto& known) { return !(known.time < time); });
  });
  std::array counts{series.times.size(), series.others};
  counts = runtime.collectively([&] { return comm::broadcast_record(runtime.ranks(), counts); });
  series.earlier = counts[0];
  series.others = counts[1];
  return series;
}

/// Before files are replaced that a series names: takes their times from it, when the background is
/// finished. Collective.
void shorten_series(Runtime& runtime, const std::string& series,
                    std::span<const comm::SeriesTime> earlier) {
  finish_background(runtime, "op_write_series, earlier results");
  runtime.enter("op_write_series '{}', earlier times", series);
  runtime.do_on_root([&] { comm::write_series(series, earlier); });
}

using Work = BackgroundResults::Work;

/// Collective.
void write_now_or_later(Runtime& runtime, Work work) {
  if (runtime.background_results != nullptr) {
    runtime.collectively([&] { runtime.background_results->begin(std::move(work)); });
    return;
  }
  runtime.check_together(work.write);
  if (!work.publish) return;
  runtime.do_on_root([&] { work.publish(); });
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
  comm::write_file(path, index);
  if (!series.path.empty()) comm::write_series(series.path, series.times);
}

/// Tells listeners. Collective.
void report_fetched(Runtime& runtime, op_dat coordinates, std::span<const op_dat> fields) {
  for (const auto& listener : runtime.measurements.listeners) {
    listener->fetched(*core::record_of(coordinates));
    for (const op_dat field : fields) listener->fetched(*core::record_of(field));
  }
}

/// Each rank writes its piece, then the root the file that names the pieces, and the series.
/// Collective; nothing is queued.
void write_pieces(Runtime& runtime, const std::filesystem::path& path, const GridArguments& grid,
                  const SeriesOfTimes& series = {}) {
  const core::Progress progress(runtime.log, fmt::format("writing '{}'", path.string()));
  const comm::Communicator& ranks = runtime.ranks();
  const auto [piece, index] = runtime.collectively([&] {
    auto values = std::make_shared<GridValues>(GridValues::piece(runtime, grid));
    if (runtime.background_results != nullptr) values->keep();
    return std::pair(values, comm::pvtu_text(values->view(), names_of_pieces(path, ranks.size())));
  });
  const bool first_on_node = ranks.on_node().rank == 0;  // a folder may be large
  const std::string mine = (path.parent_path() / name_of_piece(path, ranks.rank())).string();
  if (series.others > 0)
    shorten_series(runtime, series.path, std::span(series.times).first(series.times.size() - 1));
  write_now_or_later(
      runtime,
      {piece->bytes(),
       [=, kept = piece] {
         if (first_on_node) comm::remove_leftovers(path.parent_path(), path.stem().string() + "_");
         comm::write_vtu(mine, kept->view(), comm::Leftovers::keep);
       },
       [=, text = index] { publish(path.string(), text, series); }, series.path, series.times});
}

/// The root writes the whole grid. Collective.
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
  write_now_or_later(runtime, {is_root ? values->bytes() : 0,
                               [=] {
                                 if (is_root) comm::write_vtu(path, values->view());
                               },
                               nullptr,
                               {},
                               {}});
}

using comm::XdmfField;

XdmfField xdmf_field_of(const core::Dat& dat, bool on_cells) {
  return {dat.name_storage,
          on_cells,
          {(on_cells ? "cell_values/" : "point_values/") + dat.name_storage, dat.value_type,
           dat.dim, dat.on().global_size}};
}

/// @throws Error bad_name (two dats of one name), bad_type (opaque rows)
comm::XdmfGrid xdmf_grid_of(const GridArguments& grid, const std::string& file) {
  const core::Set& cells = *core::record_of(grid.cells.from);
  comm::XdmfGrid xdmf{
      file,
      {"grid/cells", Type::i32, grid.cells.dim, cells.global_size},
      {"grid/points", grid.points.value_type, grid.points.dim, grid.points.on().global_size},
      grid.points.name_storage,
      {}};
  std::vector<std::string> datasets;
  for (const bool on_cells : {true, false})
    for (const core::Dat* dat : on_cells ? grid.on_cells : grid.on_points) {
      const XdmfField& field = xdmf.fields.emplace_back(xdmf_field_of(*dat, on_cells));
      if (dat->opaque)
        core::fail(ErrorCode::bad_type,
                   "the rows are opaque: op_write_series, dat '{}', whose values have another size "
                   "than \"{}\"; leave it out",
                   dat->name_storage, dat->type);
      if (std::ranges::find(datasets, field.data.dataset) != datasets.end())
        core::fail(ErrorCode::bad_name,
                   "two fields of one name: op_write_series, dat '{}'; give one another name",
                   dat->name_storage);
      datasets.push_back(field.data.dataset);
    }
  return xdmf;
}

/// Collective.
void write_rows_of(Runtime& runtime, comm::Hdf5File& file, const std::string& dataset,
                   const core::Dat& dat) {
  comm::Bytes storage;
  const auto rows = runtime.collectively([&] { return runtime.rows.declared_rows(dat, storage); });
  file.write_rows({dataset, runtime.rows.declared_blocks(dat.on()), dat.value_type, dat.dim},
                  rows.data());
}

/// The file of one time. Collective.
void write_xdmf_values(Runtime& runtime, const std::string& path, const GridArguments& grid,
                       const comm::XdmfGrid& xdmf) {
  const core::Progress progress(runtime.log, fmt::format("writing '{}'", path));
  comm::Hdf5File file(runtime.ranks(), path, comm::Hdf5File::Access::create);
  const comm::Bytes entries =
      runtime.collectively([&] { return runtime.rows.declared_entries(grid.cells); });
  const comm::Blocks& blocks = runtime.rows.declared_blocks(*core::record_of(grid.cells.from));
  file.write_rows({xdmf.cells.dataset, blocks, Type::i32, grid.cells.dim}, entries.data());
  write_rows_of(runtime, file, xdmf.points.dataset, grid.points);
  auto field = xdmf.fields.begin();
  for (const auto* dats : {&grid.on_cells, &grid.on_points})
    for (const core::Dat* dat : *dats) write_rows_of(runtime, file, field++->data.dataset, *dat);
  file.publish();
}

/// Adds a time; those from it on are replaced. Each rank writes its rows of a file for each time.
/// Collective; nothing is queued.
void write_xdmf_series(Runtime& runtime, const std::string& path_of_series, double time,
                       const GridArguments& grid) {
  SeriesOfTimes series = earlier_times(runtime, path_of_series, time,
                                       [&] { return comm::read_series(path_of_series); });
  const std::filesystem::path path = series.path;
  const std::string name = fmt::format("{}_{:04}.h5", path.stem().string(), series.earlier);
  const comm::XdmfGrid xdmf = xdmf_grid_of(grid, name);
  const comm::SeriesTime added = comm::xdmf_time(time, xdmf);
  if (series.others > 0) shorten_series(runtime, series.path, series.times);
  series.times.push_back(added);
  write_xdmf_values(runtime, (path.parent_path() / name).string(), grid, xdmf);
  runtime.enter("op_write_series '{}', end", series.path);
  runtime.do_on_root([&] { comm::write_series(series.path, series.times); });
}

/// The times of a series with those that are written in the background. Local, on the root.
std::vector<comm::SeriesTime> times_of(const Runtime& runtime, const std::string& series) {
  std::optional<std::vector<comm::SeriesTime>> coming;
  if (runtime.background_results) coming = runtime.background_results->times_of(series);
  return coming ? std::move(*coming) : comm::read_series(series);
}

}  // namespace

}  // namespace op2::api

void op_write_vtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                  std::span<const op_dat> fields) {
  const op2::api::GridArguments grid =
      op2::api::checked_grid("op_write_vtu", path, cells_to_nodes, coordinates, fields);
  auto& runtime = op2::api::usable();
  const op2::core::InPart part(&runtime.measurements.profile, op2::core::Part::files);
  runtime.flush();
  runtime.enter("op_write_vtu '{}'", path);
  runtime.compare_declarations(path);
  op2::api::look_at_background(runtime);
  op2::api::write_whole(runtime, path, grid);
}

void op_write_pvtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                   std::span<const op_dat> fields) {
  const op2::api::GridArguments grid =
      op2::api::checked_grid("op_write_pvtu", path, cells_to_nodes, coordinates, fields);
  auto& runtime = op2::api::usable();
  const op2::core::InPart part(&runtime.measurements.profile, op2::core::Part::files);
  runtime.flush();
  op2::api::report_fetched(runtime, coordinates, fields);
  runtime.enter("op_write_pvtu '{}'", path);
  runtime.compare_declarations(path);
  op2::api::look_at_background(runtime);
  op2::api::write_pieces(runtime, path, grid);
}

void op_write_series(const char* series, double time, op_map cells_to_nodes, op_dat coordinates,
                     std::span<const op_dat> fields) {
  const op2::api::GridArguments grid =
      op2::api::checked_grid("op_write_series", series, cells_to_nodes, coordinates, fields);
  auto& runtime = op2::api::usable();
  const op2::core::InPart part(&runtime.measurements.profile, op2::core::Part::files);
  if (!std::isfinite(time))
    op2::core::fail(op2::ErrorCode::bad_range,
                    "the time is not finite: op_write_series '{}', {}; give the time of the values",
                    series, time);
  if (!op2::comm::is_xdmf(series) && std::filesystem::path(series).extension() != ".pvd")
    op2::core::fail(
        op2::ErrorCode::io_failure,
        "the name of a time series has no known ending: op_write_series '{}'; end it in "
        ".pvd (VTU), .xdmf or .xmf (HDF5)",
        series);
  runtime.flush();
  op2::api::report_fetched(runtime, coordinates, fields);
  runtime.enter("op_write_series '{}' at {}", series, time);
  runtime.compare_declarations(series);
  if (op2::comm::is_xdmf(series)) return op2::api::write_xdmf_series(runtime, series, time, grid);
  op2::api::look_at_background(runtime);
  op2::api::SeriesOfTimes times = op2::api::earlier_times(
      runtime, series, time, [&] { return op2::api::times_of(runtime, series); });
  const std::filesystem::path path = series;
  const std::string name = fmt::format("{}_{:04}.pvtu", path.stem().string(), times.earlier);
  times.times.push_back(op2::comm::pvd_time(time, name));
  op2::api::write_pieces(runtime, path.parent_path() / name, grid, times);
}
