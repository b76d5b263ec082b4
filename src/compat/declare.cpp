// SPDX-License-Identifier: BSD-3-Clause
// Declarations and partitioning.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <op2/compat/op2_functions.h>
#include <op2/op2.hpp>

#include <api/session.hpp>
#include <compat/errors.hpp>
#include <compat/program.hpp>
#include <core/error.hpp>
#include <core/text.hpp>
#include <core/value_type.hpp>

namespace op2::compat {
op_set op_decl_set(int size, const char* name) {
  return guarded([&] { return ::op_decl_set(size, name); });
}

namespace {

/// Number of entries in a program's array for the declared elements of `from`.
std::int64_t count_of(op_set from, int dim, const char* name) {
  core::check_handle(api::usable().mesh, fmt::format("map '{}', set 'from'", name), from);
  return std::int64_t{core::record_of(from)->declared} * dim;
}

/// The entries as indices from zero.
template <class T>
std::vector<int> from_zero(const T* values, std::int64_t count, const char* name) {
  const T base = program().values.maps_base_index;
  std::vector<int> entries;
  for (std::int64_t k = 0; k < count; ++k) {
    const T entry = values[k] - base;
    if (entry > std::numeric_limits<int>::max() || entry < -1)
      core::fail(ErrorCode::too_large,
                 "an entry is out of range: map '{}', entry {} is {}, outside {} .. 2^31 - 1; "
                 "check the mesh",
                 name, k, values[k], base);
    entries.push_back(static_cast<int>(entry));
  }
  return entries;
}

template <class T>
op_map declare_map(op_set from, op_set to, int dim, const T* values, const char* name) {
  core::check_name("op_decl_map", name);
  if (values == nullptr) return ::op_decl_map(from, to, dim, nullptr, name);
  const std::vector<int> entries = from_zero(values, count_of(from, dim, name), name);
  return ::op_decl_map(from, to, dim, entries.data(), name);
}

/// The type that a string names, if its values have `size` bytes. Other types only the program
/// knows.
std::optional<Type> known_type(const char* name, const char* type, int size) {
  if (type == nullptr) type_of(fmt::format("dat '{}'", name), type);
  const auto known = type_named(type);
  return known && static_cast<int>(core::size_of(*known)) == size ? known : std::nullopt;
}

/// If the string names a type of which several values fit into a row: the type. A row of bool is
/// more likely one of another type.
std::optional<Type> padded_type(const char* type, int row_bytes) {
  const auto known = type_named(type);
  if (!known || *known == Type::b8) return std::nullopt;
  return row_bytes % static_cast<int>(core::size_of(*known)) == 0 ? known : std::nullopt;
}

op_dat make_opaque(op_dat made, int dim, const char* type) {
  core::Dat& dat = *core::record_of(made);
  dat.dim = dim;
  dat.opaque = true;
  dat.type_storage = type;
  dat.type = dat.type_storage.c_str();
  api::running().ranks().declare(
      fmt::format("rows of dat '{}', {} x {}", dat.name_storage, dim, type));
  if (const auto known = padded_type(type, dat.size)) {
    const int values = dat.size / static_cast<int>(core::size_of(*known));
    dat.value_type = values > dim ? *known : dat.value_type;
    dat.padding = std::max(values - dim, 0);
  }
  api::running().log.debug(
      fmt::format("dat '{}': values of {} bytes are not of type \"{}\"; {}", dat.name_storage,
                  dat.size / dim, type,
                  dat.is_untyped() ? "its rows are opaque, and loops with it run as host functions"
                                   : "its rows are longer than their values"));
  return made;
}

/// Bytes of a row, as the dim of a dat of bytes.
int row_bytes(const char* name, int dim, int size) {
  core::check_dim("dat", name, dim);
  const std::int64_t bytes = std::int64_t{dim} * size;
  if (size < 1 || bytes > core::max_dim)
    core::fail(ErrorCode::bad_size,
               "wrong size of a row: dat '{}', {} values of {} bytes, not 1 .. {} bytes in all; "
               "correct the dim or the size of a value",
               name, dim, size, core::max_dim);
  return static_cast<int>(bytes);
}

/// Compares as OP2 does: case-sensitively, names in capitals.
bool is_partitioner(const api::Runtime& runtime, std::string_view name) {
  if (name == "PARMETIS" || name == "KAHIP" || name == "INERTIAL") return true;
  const std::string registered = core::lower_case(std::string(name));
  return std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; }) &&
         comm::find_partitioner(runtime.partitioners, registered) != nullptr;
}

/// Any other name keeps the declared partition, as in OP2; "" selects that on purpose.
void warn_of_unknown_partitioner(api::Runtime& runtime, std::string_view name) {
  if (name.empty()) return;
  runtime.log.warning(fmt::format(
      "op_partition: unknown partitioner '{}', so every rank keeps what it declared; use one of "
      "{}, or parmetis, kahip or inertial, in capitals",
      name, comm::names_of(runtime.partitioners)));
}

/// OP2 keeps the rows of such a map on one rank; this library ignores it, results are the same.
void warn_of_force_part(api::Runtime& runtime) {
  for (const auto& map : runtime.mesh.maps())
    if (map->force_part)
      runtime.log.warning_once(
          fmt::format("force_part of {}", map->name),
          fmt::format(
              "op_partition: map '{}' has force_part, which is ignored: its rows may be cut; "
              "choose owners with op_partition(\"EXTERNAL\", ...)",
              map->name));
}

/// Every rank owns what it declared. The order of sums is that with any partitioner.
void keep_as_declared(op_dat coordinates) {
  api::Runtime& runtime = api::usable();
  if (coordinates != nullptr)
    core::check_handle(runtime.mesh, "op_partition, coordinates", coordinates);
  runtime.flush();
  runtime.enter("op_partition as declared");
  runtime.return_to_declared();
  if (runtime.mesh.sets().empty()) return;
  runtime.decide_order(coordinates);
  runtime.settle();
}

}  // namespace

op_map op_decl_map(op_set from, op_set to, int dim, int* values, const char* name) {
  return guarded([&] {
    if (program().values.maps_base_index == 0) return ::op_decl_map(from, to, dim, values, name);
    return declare_map(from, to, dim, values, name);
  });
}
op_map op_decl_map_long(op_set from, op_set to, int dim, wide_index* values, const char* name) {
  return guarded([&] { return declare_map(from, to, dim, values, name); });
}
void check_map(const char* name, op_set from, op_set to, int dim, int* values) {
  guarded([&] {
    core::check_name("check_map", name);
    core::check_dim("map", name, dim);
    core::check_handle(api::usable().mesh, fmt::format("map '{}', set 'to'", name), to);
    const std::int64_t count = count_of(from, dim, name);
    std::vector<int> entries;
    if (values != nullptr) entries = from_zero(values, count, name);
    core::check_map_values(from, to, dim, values == nullptr ? nullptr : entries.data(), name);
  });
}

op_dat op_decl_dat_char(op_set set, int dim, const char* type, int size, char* data,
                        const char* name) {
  return guarded([&] {
    core::check_name("op_decl_dat", name);
    const std::optional<Type> known = known_type(name, type, size);
    if (!known)
      return make_opaque(
          detail::decl_dat(set, row_bytes(name, dim, size), nullptr, Type::b8, data, name), dim,
          type);
    return detail::decl_dat(set, dim, core::name_of(*known), *known, data, name);
  });
}

op_dat op_decl_dat_temp_char(op_set set, int dim, const char* type, int size, const char* name) {
  return guarded([&] {
    core::check_name("op_decl_dat_temp", name);
    const std::optional<Type> known = known_type(name, type, size);
    if (!known)
      return make_opaque(::op_decl_dat_temp(set, row_bytes(name, dim, size), "bool", name), dim,
                         type);
    return ::op_decl_dat_temp(set, dim, core::name_of(*known), name);
  });
}

int op_free_dat_temp_char(op_dat dat) {
  return guarded([&] { return ::op_free_dat_temp(dat) ? 1 : -1; });
}

void decl_const(int dim, const char* type, int size, const void* values) {
  guarded([&] {
    if (type == nullptr) type_of("a constant", type);
    const auto known = type_named(type);  // others only the program knows
    if (known ? static_cast<int>(core::size_of(*known)) != size : size < 1)
      core::fail(ErrorCode::bad_type,
                 "wrong size: a constant of type \"{}\", a value has {} bytes, not {}; pass the "
                 "type of the values",
                 type, known ? core::size_of(*known) : 1, size);
    if (values == nullptr || dim < 1)
      core::fail(ErrorCode::bad_constant,
                 "{}: a constant of type \"{}\", dim {}; pass the address of at least one value",
                 values == nullptr ? "the address is null" : "the dim is not positive", type, dim);
    api::usable("op_decl_const");  // loops use variables as they are at the call, declared or not
  });
}

void op_decl_const_char(int dim, const char* type, int size, char* values, const char*) {
  decl_const(dim, type, size, values);
}

op_dat op_decl_dat_overlay(op_set, op_dat) {
  not_supported("op_decl_dat_overlay",
                "a dat always has separate memory; declare it with op_decl_dat");
}
op_dat op_decl_dat_overlay_ptr(op_set, char*) {
  not_supported("op_decl_dat_overlay_ptr",
                "a dat always has separate memory; declare it with op_decl_dat");
}

void op_partition(const char* library, const char* routine, op_set set, op_map map,
                  op_dat coordinates) {
  in_session([&](api::Runtime& runtime) {
    const auto word = [](const char* text) { return text == nullptr ? "" : text; };
    const bool warns = !runtime.alone() && runtime.ranks().is_root();
    if (is_partitioner(runtime, word(library)) || !runtime.options.partitioner.empty()) {
      if (warns && word(library) != std::string_view("EXTERNAL")) warn_of_force_part(runtime);
      ::op_partition(word(library), word(routine), set, map, coordinates);
    } else {
      if (warns) warn_of_unknown_partitioner(runtime, word(library));
      keep_as_declared(coordinates);
    }
    program().partitioned = true;
  });
}

void op_halo_create() {
  in_session([](api::Runtime& runtime) {
    runtime.flush();
    if (runtime.mesh.sets().empty()) return;
    runtime.enter("op_halo_create");
    runtime.settle();
  });
}
void op_halo_permap_create() {
  compat::op_halo_create();
}

// Elements are ordered when they are needed; partitions and halos end with the session.
void op_renumber(op_map) {
  in_session([](api::Runtime& runtime) { runtime.rows.keep_order(false); });
}
void op_halo_destroy() {}
void op_partition_destroy() {}
void op_partition_reverse() {}

}  // namespace op2::compat
