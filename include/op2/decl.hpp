// SPDX-License-Identifier: BSD-3-Clause
// Declarations: sets, maps, dats, constants and globals. All arrays are copied by the call.
// Unless marked local, functions are collective over the ranks and arrays are this rank's block.
// Instead of a pointer, functions take a container (op2/lengths.hpp), most also a list in braces,
// whose length is checked: bad_size if it is not exactly as long as needed. All ranks must choose
// the same form. All functions throw op2::Error; `not_initialised`, `wrong_thread`, `wrong_process`
// and `bad_handle` may come from any of them and are not repeated below.
#pragma once

#include <initializer_list>

#include <op2/lengths.hpp>
#include <op2/types.hpp>

/// A set, of which this rank declares one block. Blocks are numbered contiguously in the order of
/// the ranks.
/// @param local_size  elements of this rank's block, at least 0
/// @param name        for messages and files; if it is taken, a number is added
/// @throws op2::Error bad_size, bad_name, too_large (2^31 elements or more on all ranks)
OP2_API op_set op_decl_set(int local_size, const char* name);

/// A map from every element of `from` to `dim` elements of `to`.
/// @param dim     arity, 1 to 65536
/// @param values  global indices of `to`, shape [elements of `from` declared here x dim]; null is
///                allowed if there are none
/// @param name    as of a set
/// @throws op2::Error bad_dim, bad_name, null_data, bad_size, map_out_of_range (names row, column,
/// value and size)
OP2_API op_map op_decl_map(op_set from, op_set to, int dim, const int* values, const char* name);
template <op2::IndexArray C>
op_map op_decl_map(op_set from, op_set to, int dim, const C& values, const char* name) {
  op2::detail::check_length("op_decl_map", "map", from, dim, name, op2::detail::given(values));
  return op_decl_map(from, to, dim, std::data(values), name);
}
inline op_map op_decl_map(op_set from, op_set to, int dim, std::initializer_list<int> values,
                          const char* name) {
  op2::detail::check_length("op_decl_map", "map", from, dim, name, op2::detail::given(values));
  return op_decl_map(from, to, dim, std::data(values), name);
}
template <op2::NoIndices C>
op_map op_decl_map(op_set, op_set, int, const C&, const char*) {
  op2::detail::refuse_indices<C>();
  return nullptr;
}

namespace op2::detail {
OP2_API op_dat decl_dat(op_set set, int dim, const char* type, Type value_type, const void* values,
                        const char* name);
OP2_API void decl_const(const char* name, int dim, const char* type, Type value_type,
                        const void* values);
OP2_API op_global decl_global(int dim, Type value_type, const void* initial, const char* name);
OP2_API void set_global(op_global global, Type value_type, const void* values);
OP2_API void fetch_global(op_global global, Type value_type, void* values);
}  // namespace op2::detail

/// Data on `set`. `type`, where it is given, must name T: "double", "float", "int", "uint", "ll",
/// "ull" or "bool".
/// @param dim     values of an element, 1 to 65536
/// @param values  shape [elements declared here x dim], or null for zeros
/// @param name    as of a set
/// @throws op2::Error bad_dim, bad_type, bad_name, bad_size, out_of_memory
template <op2::Value T>
op_dat op_decl_dat(op_set set, int dim, const char* type, const T* values, const char* name) {
  return op2::detail::decl_dat(set, dim, type, op2::type_of<T>(), values, name);
}
template <op2::Value T>
op_dat op_decl_dat(op_set set, int dim, const T* values, const char* name) {
  return op2::detail::decl_dat(set, dim, nullptr, op2::type_of<T>(), values, name);
}
template <op2::SizedArray C>
op_dat op_decl_dat(op_set set, int dim, const char* type, const C& values, const char* name) {
  op2::detail::check_length("op_decl_dat", "dat", set, dim, name, op2::detail::given(values));
  return op_decl_dat(set, dim, type, std::data(values), name);
}
template <op2::SizedArray C>
op_dat op_decl_dat(op_set set, int dim, const C& values, const char* name) {
  return op_decl_dat(set, dim, nullptr, values, name);
}
template <class... None, op2::ListedValue<None...> T>
op_dat op_decl_dat(op_set set, int dim, const char* type, std::initializer_list<T> values,
                   const char* name) {
  op2::detail::check_length("op_decl_dat", "dat", set, dim, name, op2::detail::given(values));
  return op_decl_dat(set, dim, type, std::data(values), name);
}
template <class... None, op2::ListedValue<None...> T>
op_dat op_decl_dat(op_set set, int dim, std::initializer_list<T> values, const char* name) {
  return op_decl_dat(set, dim, nullptr, values, name);
}
template <class... None, op2::NoValues<None...> C>
op_dat op_decl_dat(op_set, int, const char*, const C&, const char*) {
  op2::detail::refuse_values<C>();
  return nullptr;
}
template <class... None, op2::NoValues<None...> C>
op_dat op_decl_dat(op_set, int, const C&, const char*) {
  op2::detail::refuse_values<C>();
  return nullptr;
}

/// Temporary data on `set`, initially zero. May be declared and freed inside a time loop: memory
/// is reused.
/// @param dim, type  as of op_decl_dat
/// @param name       need not be unique
/// @throws op2::Error bad_dim, bad_type, bad_name, out_of_memory
OP2_API op_dat op_decl_dat_temp(op_set set, int dim, const char* type, const char* name);

/// Frees a temporary dat; pending loops that use it are still executed. Local. The handle must not
/// be used again: a later temporary dat of the same shape may get the same handle.
/// @return false if `dat` is not a live temporary dat
OP2_API bool op_free_dat_temp(op_dat dat);

/// A constant that kernels given as source see under `name`: `const T name` or, with dim > 1,
/// `const T name[dim]`. The value is copied now; a later declaration with the same name executes
/// all pending loops, then replaces the value. No kernel is recompiled.
/// @param values  shape [dim], equal on all ranks
/// @throws op2::Error bad_constant (name cannot be used; type or dim differ from before), bad_dim,
/// null_data; what executing loops may throw
template <op2::Value T>
void op_decl_const(int dim, const T* values, const char* name) {
  op2::detail::decl_const(name, dim, nullptr, op2::type_of<T>(), values);
}
template <op2::SizedArray C>
void op_decl_const(int dim, const C& values, const char* name) {
  op2::detail::check_length("op_decl_const", "constant", name, dim, op2::detail::given(values));
  op_decl_const(dim, std::data(values), name);
}
template <class... None, op2::ListedValue<None...> T>
void op_decl_const(int dim, std::initializer_list<T> values, const char* name) {
  op2::detail::check_length("op_decl_const", "constant", name, dim, op2::detail::given(values));
  op_decl_const(dim, std::data(values), name);
}
template <class... None, op2::NoValues<None...> C>
void op_decl_const(int, const C&, const char*) {
  op2::detail::refuse_values<C>();
}
/// What an earlier version and `op_decl_const2` of OP2 begin with: says what to write.
template <class... None, class C>
void op_decl_const(const char*, int, const C&) {
  op2::detail::refuse_leading_name<C>();
}

/// A global value that the library owns (lazy global): reducing it does not end a chain of loops.
/// @param initial  shape [dim], equal on all ranks
/// @param name     as of a set
/// @throws op2::Error bad_dim, bad_name, null_data, bad_size
template <op2::Value T>
op_global op_decl_global(int dim, const T* initial, const char* name) {
  return op2::detail::decl_global(dim, op2::type_of<T>(), initial, name);
}
template <op2::SizedArray C>
op_global op_decl_global(int dim, const C& initial, const char* name) {
  op2::detail::check_length("op_decl_global", "global", name, dim, op2::detail::given(initial));
  return op_decl_global(dim, std::data(initial), name);
}
template <class... None, op2::ListedValue<None...> T>
op_global op_decl_global(int dim, std::initializer_list<T> initial, const char* name) {
  op2::detail::check_length("op_decl_global", "global", name, dim, op2::detail::given(initial));
  return op_decl_global(dim, std::data(initial), name);
}
template <class... None, op2::NoValues<None...> C>
op_global op_decl_global(int, const C&, const char*) {
  op2::detail::refuse_values<C>();
  return nullptr;
}

/// Sets a lazy global, in order with the queued loops. Executes pending loops only if the queue is
/// full.
/// @param values  shape [dim], equal on all ranks; copied
/// @throws op2::Error bad_type, null_data; what executing loops may throw
template <op2::Value T>
void op_set_global(op_global global, const T* values) {
  op2::detail::set_global(global, op2::type_of<T>(), values);
}
template <op2::SizedArray C>
void op_set_global(op_global global, const C& values) {
  op2::detail::check_length("op_set_global", global, op2::detail::given(values));
  op_set_global(global, std::data(values));
}

/// Executes pending loops and copies the value, which is equal on all ranks.
/// @param values  shape [dim]
/// @throws op2::Error bad_type, null_data, bad_size, and everything that executing loops may throw
template <op2::Value T>
void op_fetch_global(op_global global, T* values) {
  op2::detail::fetch_global(global, op2::type_of<T>(), values);
}
template <op2::WritableArray C>
void op_fetch_global(op_global global, C&& values) {
  op2::detail::check_length("op_fetch_global", global, op2::detail::given(values));
  op_fetch_global(global, std::data(values));
}
