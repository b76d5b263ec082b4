// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files, and grids for ParaView.
#include <span>

#include <op2/compat/op2_functions.h>
#include <op2/hdf5.hpp>
#include <op2/op2.hpp>

#include <api/session.hpp>
#include <compat/errors.hpp>
#include <compat/program.hpp>

namespace op2::compat {

namespace {

std::span<const op_dat> all_of(const char* function, const op_dat* fields, int count) {
  if (count < 0 || (fields == nullptr && count > 0))
    core::fail(
        ErrorCode::null_data,
        "wrong list of fields: {}, {} at address {}; pass an array and the number of its fields",
        function, count, fmt::format("{}", static_cast<const void*>(fields)));
  return {fields, static_cast<std::size_t>(count)};
}

/// OP2 prints this independently of the log level.
void tell_absence(const char* what, const char* file, const char* name) {
  if (api::running().log.logs(core::LogLevel::warning)) return;  // already logged
  compat::op_printf("op_decl_%s_hdf5: '%s' has no dataset '%s'; the %s is not declared\n", what,
                    file, name, what);
}

const char* type_of_constant(const char* name, const char* type, const char* file) {
  return core::name_of(
      type_of(fmt::format("constant '{}' of '{}'", shown(name), shown(file)), type));
}

}  // namespace

void op_write_vtu(const char* path, op_map cells_to_nodes, op_dat coordinates, const op_dat* fields,
                  int count) {
  guarded([&] {
    ::op_write_vtu(path, cells_to_nodes, coordinates, all_of("op_write_vtu", fields, count));
  });
}
void op_write_pvtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                   const op_dat* fields, int count) {
  guarded([&] {
    ::op_write_pvtu(path, cells_to_nodes, coordinates, all_of("op_write_pvtu", fields, count));
  });
}

op_set op_decl_set_hdf5(const char* file, const char* name) {
  return guarded([&] { return ::op_decl_set_hdf5(file, name); });
}
op_set op_decl_set_hdf5_infer_size(const char* file, const char* name, const char* dataset) {
  return guarded([&] { return ::op_decl_set_hdf5_infer_size(file, name, dataset); });
}
op_map op_decl_map_hdf5(op_set from, op_set to, int dim, const char* file, const char* name) {
  return guarded([&] {
    const op_map made =
        ::op_decl_map_hdf5(from, to, dim, file, name, program().values.maps_base_index);
    if (made == nullptr) tell_absence("map", file, name);
    return made;
  });
}
op_dat op_decl_dat_hdf5(op_set set, int dim, const char* type, const char* file, const char* name) {
  return guarded([&] {
    const Type known = type_of(fmt::format("dat '{}' of '{}'", shown(name), shown(file)), type);
    const op_dat made = ::op_decl_dat_hdf5(set, dim, core::name_of(known), file, name);
    if (made == nullptr) tell_absence("dat", file, name);
    return made;
  });
}

void op_get_const_hdf5(const char* name, int dim, const char* type, char* data, const char* file) {
  guarded([&] { ::op_get_const_hdf5(name, dim, type_of_constant(name, type, file), data, file); });
}
void op_write_const_hdf5(const char* name, int dim, const char* type, char* data,
                         const char* file) {
  guarded(
      [&] { ::op_write_const_hdf5(name, dim, type_of_constant(name, type, file), data, file); });
}
void op_dump_to_hdf5(const char* file) {
  guarded([&] { ::op_dump_to_hdf5(file, program().values.maps_base_index); });
}
void op_write_hdf5(const char* file) {
  compat::op_dump_to_hdf5(file);
}
void op_fetch_data_hdf5_file(op_dat dat, const char* file) {
  guarded([&] { ::op_fetch_data_hdf5_file(dat, file); });
}
void op_fetch_data_hdf5_file_path(op_dat dat, const char* file, const char* path) {
  guarded([&] { ::op_fetch_data_hdf5_file_path(dat, file, path); });
}

}  // namespace op2::compat
