// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <vector>

#include <op2/io.hpp>
#include <op2/runtime.hpp>

#include <api/session.hpp>
#include <comm/dat_file.hpp>
#include <comm/vtu_writer.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>

using namespace op2;

namespace {

/// Executes what is queued; the rows of the dat are current afterwards.
const core::Dat& current_dat(const char* function, op_dat dat) {
  auto& runtime = api::usable();
  core::check_handle(runtime.mesh, function, dat);
  runtime.flush();
  return *core::record_of(dat);
}

void check_values(const char* function, const core::Dat& dat, Type value_type, const void* values) {
  if (dat.value_type != value_type)
    core::fail(ErrorCode::bad_type, "{}: dat '{}' is of type \"{}\", the values are {}", function,
               dat.name, dat.type, core::cxx_name_of(value_type));
  if (values == nullptr && dat.set->size > 0)
    core::fail(ErrorCode::null_data, "{}: the values for dat '{}' are null", function, dat.name);
}

comm::Field field_of(const core::Dat& dat) {
  return {dat.name, dat.value_type, dat.dim, dat.set->size, dat.rows.get()};
}

const char* checked_path(const char* function, const char* path) {
  if (path == nullptr || *path == '\0')
    core::fail(ErrorCode::bad_name, "{}: the path is empty", function);
  return path;
}

/// Sorts fields by the set they are on.
void add_field(op_dat field, op_set cells, op_set points, std::vector<comm::Field>& on_cells,
               std::vector<comm::Field>& on_points) {
  const core::Dat& dat = *core::record_of(field);
  if (dat.set == cells)
    on_cells.push_back(field_of(dat));
  else if (dat.set == points)
    on_points.push_back(field_of(dat));
  else
    core::fail(ErrorCode::wrong_set,
               "op_write_vtu: dat '{}' is on set '{}', neither on '{}' nor on '{}'", dat.name,
               dat.set->name, cells->name, points->name);
}

}  // namespace

void op2::detail::fetch_data(op_dat dat, Type value_type, void* values) {
  const core::Dat& record = current_dat("op_fetch_data", dat);
  check_values("op_fetch_data", record, value_type, values);
  if (record.set->size > 0) std::memcpy(values, record.rows.get(), record.bytes());
}

void op2::detail::fetch_data_range(op_dat dat, Type value_type, void* values, std::int64_t low,
                                   std::int64_t high) {
  const core::Dat& record = current_dat("op_fetch_data_idx", dat);
  check_values("op_fetch_data_idx", record, value_type, values);
  if (low < 0 || high >= record.set->size || low > high)
    core::fail(ErrorCode::bad_range,
               "op_fetch_data_idx: elements {} .. {} of dat '{}', but set '{}' has {}", low, high,
               record.name, record.set->name, record.set->size);
  const auto bytes = static_cast<std::size_t>(record.size);
  std::memcpy(values, record.rows.get() + static_cast<std::size_t>(low) * bytes,
              static_cast<std::size_t>(high - low + 1) * bytes);
}

std::int64_t op_get_size(op_set set) {
  core::check_handle(api::running().mesh, "op_get_size", set);
  return set->size;
}

bool op_is_root() {
  return true;
}

void op_print_dat_to_txtfile(op_dat dat, const char* path) {
  checked_path("op_print_dat_to_txtfile", path);
  comm::write_text_file(path, field_of(current_dat("op_print_dat_to_txtfile", dat)));
}

void op_print_dat_to_binfile(op_dat dat, const char* path) {
  checked_path("op_print_dat_to_binfile", path);
  comm::write_binary_file(path, field_of(current_dat("op_print_dat_to_binfile", dat)));
}

void op_write_vtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                  std::span<const op_dat> fields) {
  checked_path("op_write_vtu", path);
  const core::Dat& points = current_dat("op_write_vtu, coordinates", coordinates);
  const core::Mesh& mesh = api::running().mesh;
  core::check_handle(mesh, "op_write_vtu, map", cells_to_nodes);
  if (points.set != cells_to_nodes->to)
    core::fail(ErrorCode::wrong_set,
               "op_write_vtu: map '{}' leads to set '{}', but the coordinates '{}' are on set '{}'",
               cells_to_nodes->name, cells_to_nodes->to->name, points.name, points.set->name);
  std::vector<comm::Field> on_cells, on_points;
  for (const op_dat field : fields) {
    core::check_handle(mesh, "op_write_vtu, field", field);
    add_field(field, cells_to_nodes->from, cells_to_nodes->to, on_cells, on_points);
  }
  comm::write_vtu(path, {field_of(points), cells_to_nodes->dim,
                         core::record_of(cells_to_nodes)->entries, on_cells, on_points});
}
