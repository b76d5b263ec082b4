// SPDX-License-Identifier: BSD-3-Clause
#include <api/grid_values.hpp>

#include <algorithm>
#include <utility>

#include <api/session.hpp>
#include <api/whole_dat.hpp>
#include <comm/messages/records.hpp>
#include <comm/partition/rendezvous.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>

namespace op2::api {

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

namespace {

comm::Field field_of(const core::Dat& dat, std::int64_t count, const void* values) {
  return {dat.name, dat.value_type, dat.dim, count, values};
}

/// A field of a whole dat, whose values are in `stored` if they came from other ranks or orders.
comm::Field whole_field(Runtime& runtime, const core::Dat& dat, std::deque<comm::Bytes>& stored) {
  WholeDat whole = whole_dat(runtime, dat);
  const comm::Field field = whole.field();
  for (comm::Bytes* const bytes : {&whole.declared, &whole.joined})
    if (!bytes->empty()) stored.push_back(std::move(*bytes));  // their addresses stay
  return field;
}

}  // namespace

GridValues GridValues::whole(Runtime& runtime, const GridArguments& arguments) {
  GridValues grid(arguments.cells.dim);
  grid.points_ = whole_field(runtime, arguments.points, grid.stored_);
  for (const core::Dat* dat : arguments.on_cells)
    grid.on_cells_.push_back(whole_field(runtime, *dat, grid.stored_));
  for (const core::Dat* dat : arguments.on_points)
    grid.on_points_.push_back(whole_field(runtime, *dat, grid.stored_));
  runtime.enter("the cells of a grid, by map '{}'", arguments.cells.name);
  runtime.collectively([&] {
    comm::Bytes& declared =
        grid.stored_.emplace_back(runtime.rows.declared_entries(arguments.cells));
    const auto entries =
        comm::joined_on_root(runtime.ranks(), declared, grid.stored_.emplace_back());
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

bool GridValues::is_viewed(const void* values) const {
  const auto has_it = [&](const comm::Field& field) { return field.values == values; };
  return values == points_.values || values == cell_nodes_.data() ||
         std::ranges::any_of(on_cells_, has_it) || std::ranges::any_of(on_points_, has_it);
}

void GridValues::keep(comm::Field& field) {
  field.name = names_.emplace_back(field.name);
  if (is_stored(field.values)) return;
  const auto* const bytes = static_cast<const std::byte*>(field.values);
  field.values = stored_.emplace_back(bytes, bytes + field.bytes()).data();
}

void GridValues::keep() {
  std::erase_if(stored_, [&](const comm::Bytes& bytes) { return !is_viewed(bytes.data()); });
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

}  // namespace op2::api
