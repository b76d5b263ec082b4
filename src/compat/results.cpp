// SPDX-License-Identifier: BSD-3-Clause
// Results, files and memory.
#include <cstdlib>
#include <string_view>

#include <op2/compat/op2_functions.h>
#include <op2/hdf5.hpp>
#include <op2/op2.hpp>

#include <api/session.hpp>
#include <compat/errors.hpp>
#include <compat/types.hpp>
#include <core/error.hpp>

namespace op2::compat {
namespace {

/// @param size  bytes of one value, as the program has it
Type type_of_values(op_dat dat, int size) {
  core::check_handle(api::usable().mesh, "fetching data: the dat", dat);
  const Type type = core::record_of(dat)->value_type;
  if (static_cast<int>(core::size_of(type)) != size)
    core::fail(ErrorCode::bad_type, "dat '{}' has values of {} bytes, the array of {}", dat->name,
               core::size_of(type), size);
  return type;
}

void flush() {
  guarded([] { ::op_flush(); });
}

}  // namespace

void get_data(op_dat dat, int size, char* values) {
  guarded([&] { detail::fetch_data(dat, type_of_values(dat, size), values); });
}
void get_data_range(op_dat dat, int size, char* values, int low, int high) {
  guarded([&] { detail::fetch_data_range(dat, type_of_values(dat, size), values, low, high); });
}
void op_fetch_data_char(op_dat dat, char* values) {
  guarded([&] {
    core::check_handle(api::usable().mesh, "op_fetch_data: the dat", dat);
    detail::fetch_data(dat, core::record_of(dat)->value_type, values);
  });
}
void op_print_dat_to_txtfile(op_dat dat, const char* path) {
  guarded([&] { ::op_print_dat_to_txtfile(dat, path); });
}
void op_print_dat_to_binfile(op_dat dat, const char* path) {
  guarded([&] { ::op_print_dat_to_binfile(dat, path); });
}
wide_index op_get_size(op_set set) {
  return guarded([&] { return ::op_get_size(set); });
}
int op_size_of_set(const char* name) {
  return guarded([&] {
    for (const auto& set : api::usable().mesh.sets())
      if (std::string_view(set->name) == name) return static_cast<int>(set->rows());
    core::fail(ErrorCode::bad_name, "op_size_of_set: there is no set '{}'", name);
  });
}
void op_upload_all() {
  flush();
}
void op_upload_dat(op_dat) {
  flush();
}
void op_download_dat(op_dat) {
  flush();
}
void deviceSync() {
  flush();
}

void* op_malloc(unsigned long size) {
  return std::malloc(size);
}
void* op_calloc(unsigned long count, unsigned long size) {
  return std::calloc(count, size);
}
void* op_realloc(void* memory, unsigned long size) {
  return std::realloc(memory, size);
}
void op_free(void* memory) {
  std::free(memory);
}

op_set op_decl_set_hdf5(const char* file, const char* name) {
  return guarded([&] { return ::op_decl_set_hdf5(file, name); });
}
op_set op_decl_set_hdf5_infer_size(const char* file, const char* name, const char* dataset) {
  return guarded([&] { return ::op_decl_set_hdf5_infer_size(file, name, dataset); });
}
op_map op_decl_map_hdf5(op_set from, op_set to, int dim, const char* file, const char* name) {
  return guarded([&] { return ::op_decl_map_hdf5(from, to, dim, file, name); });
}
op_dat op_decl_dat_hdf5(op_set set, int dim, const char* type, const char* file, const char* name) {
  return guarded([&] {
    return ::op_decl_dat_hdf5(set, dim, core::name_of(type_of("dat", name, type)), file, name);
  });
}
void op_get_const_hdf5(const char* name, int dim, const char* type, char* data, const char* file) {
  guarded([&] { ::op_get_const_hdf5(name, dim, type, data, file); });
}
void op_write_const_hdf5(const char* name, int dim, const char* type, char* data,
                         const char* file) {
  guarded([&] { ::op_write_const_hdf5(name, dim, type, data, file); });
}
void op_dump_to_hdf5(const char* file) {
  guarded([&] { ::op_dump_to_hdf5(file); });
}
void op_fetch_data_hdf5_file(op_dat dat, const char* file) {
  guarded([&] { ::op_fetch_data_hdf5_file(dat, file); });
}
void op_fetch_data_hdf5_file_path(op_dat dat, const char* file, const char* path) {
  guarded([&] { ::op_fetch_data_hdf5_file_path(dat, file, path); });
}

}  // namespace op2::compat
