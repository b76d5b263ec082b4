// SPDX-License-Identifier: BSD-3-Clause
// Meshes and fields for ParaView: in one file, or in one piece per rank.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <op2/io.hpp>

#include <api/session.hpp>
#include <api/whole_dat.hpp>
#include <comm/files/leftovers.hpp>
#include <comm/files/vtu_writer.hpp>
#include <comm/halo/row_request.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>
#include <core/progress.hpp>
#include <core/validate.hpp>

using namespace op2;

namespace {

/// The arguments of a call that writes a grid.
struct Grid {
  const core::Map& cells;
  const core::Dat& points;
  std::vector<const core::Dat*> on_cells, on_points;
};

Grid checked_grid(const char* function, const char* path, op_map cells_to_nodes, op_dat coordinates,
                  std::span<const op_dat> fields) {
  core::check_path(function, path);
  const core::Dat& points = api::checked_dat(function, coordinates);
  core::check_handle(api::usable().mesh, function, cells_to_nodes);
  const core::Map& map = *core::record_of(cells_to_nodes);
  if (points.set != map.to)
    core::fail(ErrorCode::wrong_set,
               "wrong set: {}, map '{}' is to set '{}', but the coordinates '{}' are on set '{}'; "
               "use a map to that set",
               function, map.name, map.to->name, points.name, points.set->name);
  Grid grid{map, points, {}, {}};
  for (const op_dat field : fields) {
    const core::Dat& dat = api::checked_dat(function, field);
    if (dat.set != map.from && dat.set != map.to)
      core::fail(ErrorCode::wrong_set,
                 "wrong set: {}, dat '{}' is on set '{}', neither on '{}' nor on '{}'; give dats "
                 "on one of these",
                 function, dat.name_storage, dat.set->name, map.from->name, map.to->name);
    (dat.set == map.from ? grid.on_cells : grid.on_points).push_back(&dat);
  }
  return grid;
}

std::vector<comm::Field> fields_of(const std::vector<api::WholeDat>& dats) {
  std::vector<comm::Field> fields;
  for (const api::WholeDat& dat : dats) fields.push_back(dat.field());
  return fields;
}

std::vector<api::WholeDat> whole_dats(api::Runtime& runtime,
                                      const std::vector<const core::Dat*>& dats) {
  std::vector<api::WholeDat> whole;
  for (const core::Dat* dat : dats) whole.push_back(api::whole_dat(runtime, *dat));
  return whole;
}

/// What one rank writes of a grid: the cells that it owns, and the nodes that they lead to.
class Piece {
 public:
  /// Collective; nothing is queued.
  Piece(api::Runtime& runtime, const Grid& grid) : grid_(grid) {
    const std::vector<comm::GlobalId> targets = runtime.rows.owned_targets(grid.cells);
    nodes_ = targets;
    std::ranges::sort(nodes_);
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    for (const comm::GlobalId node : targets)
      cell_nodes_.push_back(
          static_cast<std::int32_t>(std::ranges::lower_bound(nodes_, node) - nodes_.begin()));
    const comm::Blocks blocks = runtime.rows.declared_blocks(*core::record_of(grid.cells.to));
    const comm::RowRequest request(runtime.ranks(), blocks, nodes_);
    node_rows_.push_back(rows_at_nodes(runtime, request, grid.points));
    for (const core::Dat* dat : grid.on_points)
      node_rows_.push_back(rows_at_nodes(runtime, request, *dat));
    for (const core::Dat* dat : grid.on_cells)
      cell_fields_.push_back(field_of(*dat, dat->on().size, dat->rows.host_read()));
    for (std::size_t k = 0; k < grid.on_points.size(); ++k)
      node_fields_.push_back(node_field(*grid.on_points[k], node_rows_[k + 1]));
  }

  /// A view of this piece.
  comm::VtuGrid grid() const {
    return {node_field(grid_.points, node_rows_[0]), grid_.cells.dim, cell_nodes_, cell_fields_,
            node_fields_};
  }

 private:
  static comm::Field field_of(const core::Dat& dat, std::int64_t count, const void* values) {
    return {dat.name, dat.value_type, dat.dim, count, values};
  }
  comm::Field node_field(const core::Dat& dat, const comm::Bytes& rows) const {
    return field_of(dat, std::ssize(nodes_), rows.data());
  }
  static comm::Bytes rows_at_nodes(api::Runtime& runtime, const comm::RowRequest& request,
                                   const core::Dat& dat) {
    comm::Bytes storage;
    return request.rows(runtime.rows.declared_rows(dat, storage),
                        static_cast<std::size_t>(dat.size));
  }

  const Grid& grid_;
  std::vector<comm::GlobalId> nodes_;     ///< ascending
  std::vector<std::int32_t> cell_nodes_;  ///< positions in `nodes_`, shape [owned cells x arity]
  std::vector<comm::Bytes> node_rows_;    ///< of the coordinates and of each field, at `nodes_`
  std::vector<comm::Field> cell_fields_, node_fields_;
};

/// "flow_3.vtu" for piece 3 of "results/flow.pvtu".
std::string name_of_piece(const std::filesystem::path& path, int rank) {
  return fmt::format("{}_{}.vtu", path.stem().string(), rank);
}

}  // namespace

void op_write_vtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                  std::span<const op_dat> fields) {
  const Grid grid = checked_grid("op_write_vtu", path, cells_to_nodes, coordinates, fields);
  auto& runtime = api::usable();
  const core::InPart part(&runtime.profile, core::Part::files);
  runtime.flush();
  const core::Progress progress(runtime.log, fmt::format("writing '{}'", path));
  const api::WholeDat points = api::whole_dat(runtime, grid.points);
  const auto on_cells = whole_dats(runtime, grid.on_cells);
  const auto on_points = whole_dats(runtime, grid.on_points);
  runtime.enter("op_write_vtu '{}'", path);
  comm::Bytes declared, joined;
  const auto entries = runtime.collectively([&] {
    declared = runtime.rows.declared_entries(grid.cells);
    return comm::joined_on_root(runtime.ranks(), declared, joined);
  });
  const std::span cell_nodes(reinterpret_cast<const std::int32_t*>(entries.data()),
                             entries.size() / sizeof(std::int32_t));
  runtime.check_together([&] {
    if (runtime.ranks().is_root())
      comm::write_vtu(path, {points.field(), grid.cells.dim, cell_nodes, fields_of(on_cells),
                             fields_of(on_points)});
  });
}

void op_write_pvtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                   std::span<const op_dat> fields) {
  const Grid grid = checked_grid("op_write_pvtu", path, cells_to_nodes, coordinates, fields);
  auto& runtime = api::usable();
  const core::InPart part(&runtime.profile, core::Part::files);
  const comm::Communicator& ranks = runtime.ranks();
  runtime.flush();
  if (runtime.value_log) {
    runtime.value_log->fetched(grid.points);
    for (const op_dat field : fields) runtime.value_log->fetched(*core::record_of(field));
  }
  runtime.enter("op_write_pvtu '{}'", path);
  const core::Progress progress(runtime.log, fmt::format("writing '{}'", path));
  const Piece piece = runtime.collectively([&] { return Piece(runtime, grid); });
  const std::filesystem::path whole = path;
  runtime.check_together([&] {
    if (ranks.on_node().rank == 0)  // for all ranks of this host: a folder may be large
      comm::remove_leftovers(whole.parent_path(), whole.stem().string() + "_");
    comm::write_vtu((whole.parent_path() / name_of_piece(whole, ranks.rank())).string(),
                    piece.grid(), comm::Leftovers::keep);
  });
  runtime.check_together([&] {
    if (!ranks.is_root()) return;
    std::vector<std::string> pieces;
    for (int rank = 0; rank < ranks.size(); ++rank) pieces.push_back(name_of_piece(whole, rank));
    comm::write_pvtu(path, piece.grid(), pieces);
  });
}
