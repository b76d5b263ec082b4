// SPDX-License-Identifier: BSD-3-Clause
// Results: values, sizes and pointers.
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <op2/compat/op2_functions.h>
#include <op2/op2.hpp>

#include <api/session.hpp>
#include <compat/errors.hpp>
#include <core/error.hpp>

namespace op2::compat {
namespace {

/// @param size  bytes of one value in the program
Type type_of_values(op_dat dat, int size) {
  const core::Dat& record = api::checked_dat("fetching data: the dat", dat);
  if (record.size != record.dim * size)
    core::fail(ErrorCode::bad_type,
               "wrong type of the array: dat '{}', values of {} bytes instead of {}; pass an array "
               "of the dat's type",
               record.name_storage, size, record.size / record.dim);
  return record.value_type;
}

/// Memory that the program frees.
template <class T>
T* plain_copy(const T& original) {
  auto* const copy = static_cast<T*>(op_malloc(sizeof(T)));
  std::memcpy(copy, &original, sizeof(T));
  return copy;
}

template <class T>
void print_values(const core::Dat& dat, std::span<const std::byte> rows) {
  const T* value = reinterpret_cast<const T*>(rows.data());
  for (std::int64_t row = 0; row < dat.on().global_size; ++row) {
    std::string line;
    for (int k = 0; k < dat.dim; ++k) line += fmt::format(" {}", *value++);
    compat::op_printf("%s\n", line.c_str());
  }
}

/// The result of `of` for a set of this session.
template <class Size>
int size_of_set(const char* function, op_set set, const Size& of) {
  return guarded([&] {
    const core::Mesh& mesh = api::running().mesh;
    if (!mesh.knows(set)) core::check_handle(mesh, fmt::format("{}: the set", function), set);
    return of(*set);
  });
}

/// The program has written rows of these dats, so that their halos are out of date.
void take_written(api::Runtime& runtime, std::span<const op_dat> dats) {
  runtime.flush();
  for (const op_dat dat : dats) {
    dat->dirtybit = dat->dirty_hd = 0;
    core::record_of(dat)->rows.take_host_copy();
    runtime.engine.forget_halo(*core::record_of(dat));
  }
}

}  // namespace

void get_data(op_dat dat, int size, char* values) {
  guarded([&] { detail::fetch_data(dat, type_of_values(dat, size), values); });
}
void get_data_range(op_dat dat, int size, char* values, int low, int high) {
  guarded([&] { detail::fetch_data_range(dat, type_of_values(dat, size), values, low, high); });
}
void op_fetch_data_char(op_dat dat, char* values) {
  in_session([&](api::Runtime&) {
    detail::fetch_data(dat, api::checked_dat("op_fetch_data: the dat", dat).value_type, values);
  });
}
void op_print_dat_to_txtfile(op_dat dat, const char* path) {
  guarded([&] { ::op_print_dat_to_txtfile(dat, path); });
}
void op_print_dat_to_binfile(op_dat dat, const char* path) {
  guarded([&] { ::op_print_dat_to_binfile(dat, path); });
}
void op_fetch_data_idx_char(op_dat dat, char* values, int low, int high) {
  in_session([&](api::Runtime& runtime) {
    core::check_handle(runtime.mesh, "op_fetch_data_idx: the dat", dat);
    detail::fetch_data_range(dat, core::record_of(dat)->value_type, values, low, high);
  });
}

op_dat op_mpi_get_data(op_dat dat) {
  return in_session([&](api::Runtime&) {
    const core::Dat& record = api::checked_dat("op_mpi_get_data: the dat", dat);
    op_set_core set = *dat->set;
    set.size = set.core_size = record.on().declared;
    set.exec_size = set.nonexec_size = 0;
    op_dat_core copy = *dat;
    copy.set = plain_copy(set);
    copy.data = static_cast<char*>(op_malloc(record.declared_bytes()));
    detail::fetch_data(dat, record.value_type, copy.data);
    return plain_copy(copy);
  });
}
op_dat op_fetch_data_file_char(op_dat dat) {
  return compat::op_mpi_get_data(dat);
}
void op_mpi_put_data(op_dat) {}

void put_data(op_dat dat, const void* values, unsigned long elements) {
  in_session([&](api::Runtime& runtime) {
    core::check_handle(runtime.mesh, "op_mpi_put_data: the dat", dat);
    core::Dat& record = *core::record_of(dat);
    runtime.flush();
    const auto declared = static_cast<unsigned long>(record.on().declared);
    if (elements != declared || (values == nullptr && declared > 0))
      core::fail(ErrorCode::bad_size,
                 "wrong number of elements: op_mpi_put_data, dat '{}', {} here, but {} are given; "
                 "pass the values of all of them",
                 record.name_storage, declared, values == nullptr ? 0 : elements);
    runtime.set_rows(record, values);
  });
}

void op_dump_dat(op_dat dat) {
  in_session([&](api::Runtime& runtime) {
    const core::Dat& record = api::checked_dat("op_dump_dat: the dat", dat);
    if (record.opaque)
      not_supported("op_dump_dat",
                    "only the program knows the type of the rows of this dat; fetch and print them "
                    "by the program");
    const api::WholeDat whole = api::whole_dat(runtime, record);
    if (!runtime.ranks().is_root()) return;
    compat::op_printf("dat '%s' on set '%s'\n", dat->name, dat->set->name);
    core::with_type(whole.dat.value_type,
                    [&]<class T>() { print_values<T>(whole.dat, whole.rows); });
  });
}

wide_index op_get_size(op_set set) {
  return guarded([&] { return ::op_get_size(set); });
}
int op_size_of_set(const char* name) {
  return guarded([&] {
    core::check_name("op_size_of_set", name);
    for (const auto& set : api::usable("op_size_of_set").mesh.sets())
      if (std::string_view(set->name) == name) return static_cast<int>(set->rows());
    core::fail(ErrorCode::bad_name, "unknown set: op_size_of_set, '{}'; name one that is declared",
               name);
  });
}

int op_get_size_local(op_set set) {
  return size_of_set("op_get_size_local", set, [](const op_set_core& of) { return of.size; });
}
int op_get_size_local_core(op_set set) {
  return size_of_set("op_get_size_local_core", set,
                     [](const op_set_core& of) { return of.core_size; });
}
int op_get_size_local_exec(op_set set) {
  return size_of_set("op_get_size_local_exec", set,
                     [](const op_set_core& of) { return of.size + of.exec_size; });
}
int op_get_size_local_full(op_set set) {
  return size_of_set("op_get_size_local_full", set, [](const op_set_core& of) {
    return of.size + of.exec_size + of.nonexec_size;
  });
}
wide_index op_get_global_set_offset(op_set set) {
  return in_session([&](api::Runtime& runtime) {
    core::check_handle(runtime.mesh, "op_get_global_set_offset: the set", set);
    runtime.flush();
    runtime.enter("op_get_global_set_offset '{}'", set->name);
    return wide_index{runtime.ranks().partial_sum(set->size).before};
  });
}
op_dat search_dat(op_set set, int dim, const char* type, int size, const char* name) {
  return in_session([&](api::Runtime& runtime) -> op_dat {
    core::check_name("search_dat", name);
    for (const auto& dat : runtime.mesh.dats())  // programs may have changed `dat->name`
      if (runtime.mesh.knows(dat.get()) && dat->set == set && dat->dim == dim &&
          dat->size == size && std::string_view(shown(dat->name)) == name &&
          !differs(type, dat->type))
        return dat.get();
    return nullptr;
  });
}
int compare_sets(op_set one, op_set other) {
  return one == other ? 1 : 0;
}

void* data_of(op_dat dat) {
  return in_session([&](api::Runtime& runtime) {
    core::check_handle(runtime.mesh, "op_get_data_ptr: the dat", dat);
    runtime.flush();
    core::record_of(dat)->rows.host_read();
    return static_cast<void*>(dat->data);
  });
}
int* entries_of(op_map map) {
  return in_session([&](api::Runtime& runtime) {
    core::check_handle(runtime.mesh, "op_get_map_ptr: the map", map);
    runtime.flush();
    return map->map;
  });
}

void op_upload_all() {
  in_session([](api::Runtime& runtime) {
    std::vector<op_dat> live;
    for (const auto& dat : runtime.mesh.dats())
      if (runtime.mesh.knows(dat.get())) live.push_back(dat.get());
    take_written(runtime, live);
  });
}
void op_upload_dat(op_dat dat) {
  in_session([&](api::Runtime& runtime) {
    core::check_handle(runtime.mesh, "op_upload_dat: the dat", dat);
    take_written(runtime, {&dat, 1});
  });
}
void op_download_dat(op_dat dat) {
  in_session([&](api::Runtime& runtime) {
    runtime.flush();
    if (runtime.mesh.knows(dat)) core::record_of(dat)->rows.host_read();
  });
}
void deviceSync() {
  guarded([] { ::op_flush(); });
}

}  // namespace op2::compat
