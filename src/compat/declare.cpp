// SPDX-License-Identifier: BSD-3-Clause
// Declarations and partitioning.
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <op2/compat/op2_functions.h>
#include <op2/op2.hpp>

#include <api/session.hpp>
#include <compat/errors.hpp>
#include <compat/types.hpp>
#include <core/error.hpp>
#include <core/value_type.hpp>

namespace op2::compat {
namespace {

/// @param size  bytes of one value, as the program has it
Type checked_type(const char* what, const char* name, const char* type, int size) {
  const Type known = type_of(what, name, type);
  if (static_cast<int>(core::size_of(known)) != size)
    core::fail(ErrorCode::bad_type, "{} '{}': a value of type \"{}\" has {} bytes, not {}", what,
               name, type, core::size_of(known), size);
  return known;
}

}  // namespace

op_set op_decl_set(int size, const char* name) {
  return guarded([&] { return ::op_decl_set(size, name); });
}

op_map op_decl_map(op_set from, op_set to, int dim, int* values, const char* name) {
  return guarded([&] { return ::op_decl_map(from, to, dim, values, name); });
}

op_map op_decl_map_long(op_set from, op_set to, int dim, wide_index* values, const char* name) {
  return guarded([&] {
    std::vector<int> narrow;
    const wide_index count = from == nullptr ? 0 : wide_index{from->size} * dim;
    for (wide_index k = 0; values != nullptr && k < count; ++k) {
      if (values[k] > std::numeric_limits<int>::max() || values[k] < 0)
        core::fail(ErrorCode::too_large, "map '{}': entry {} is {}, outside 0 .. 2^31 - 1", name, k,
                   values[k]);
      narrow.push_back(static_cast<int>(values[k]));
    }
    return ::op_decl_map(from, to, dim, values == nullptr ? nullptr : narrow.data(), name);
  });
}

op_dat op_decl_dat_char(op_set set, int dim, const char* type, int size, char* data,
                        const char* name) {
  return guarded([&] {
    const Type value_type = checked_type("dat", name, type, size);
    return detail::decl_dat(set, dim, core::name_of(value_type), value_type, data, name);
  });
}

op_dat op_decl_dat_temp_char(op_set set, int dim, const char* type, int size, const char* name) {
  return guarded([&] {
    const Type value_type = checked_type("dat", name, type, size);
    return ::op_decl_dat_temp(set, dim, core::name_of(value_type), name);
  });
}

int op_free_dat_temp_char(op_dat dat) {
  return guarded([&] { return ::op_free_dat_temp(dat) ? 1 : -1; });
}

void decl_const(int dim, const char* type, int size, const void* values) {
  guarded([&] {
    checked_type("constant", "at an address", type, size);
    if (values == nullptr || dim < 1)
      core::fail(ErrorCode::bad_constant, "a constant of type \"{}\": {}", type,
                 values == nullptr ? "its address is null" : "its dim is not positive");
    api::usable().flush();  // functions that are queued read the variable itself
  });
}

void op_partition(const char* library, const char* routine, op_set set, op_map map,
                  op_dat coordinates) {
  guarded([&] {
    const auto word = [](const char* text) { return text == nullptr ? "" : text; };
    const std::string_view name = word(library);
    const bool is_known = name == "PTSCOTCH" || name == "PARMETIS" || name == "KAHIP" ||
                          name == "INERTIAL" || name == "RANDOM" || name == "EXTERNAL" ||
                          name == "RCB" || name == "BLOCK";
    // OP2 takes any other name for: as declared.
    ::op_partition(is_known ? library : "BLOCK", word(routine), set, map, coordinates);
  });
}

// Elements are ordered, and halos made, when they are needed.
void op_renumber(op_map) {}
void op_halo_create() {}
void op_halo_destroy() {}

}  // namespace op2::compat
