// SPDX-License-Identifier: BSD-3-Clause
// The templates under OP2's names. Type strings are "double", "float", "int", "uint", "ll", "ull"
// and "bool", or the Fortran spellings ("r8", "integer(4)"), optionally followed by ":soa", which
// is accepted and ignored.
#pragma once

#include "op_lib_c.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/// 1 if a type string does not name the type that the pointer points to. Programs with user-defined
/// types add overloads in op_user_datatypes.h (OP_USER_DATATYPES).
inline int type_error(const double*, const char* type) {
  return op2::compat::differs(type, "double");
}
inline int type_error(const float*, const char* type) {
  return op2::compat::differs(type, "float");
}
inline int type_error(const int*, const char* type) {
  return op2::compat::differs(type, "int");
}
inline int type_error(const uint*, const char* type) {
  return op2::compat::differs(type, "uint");
}
inline int type_error(const ll*, const char* type) {
  return op2::compat::differs(type, "ll");
}
inline int type_error(const ull*, const char* type) {
  return op2::compat::differs(type, "ull");
}
inline int type_error(const bool*, const char* type) {
  return op2::compat::differs(type, "bool");
}
/// Any other type: its name is not known, so it is not checked.
inline int type_error(const void*, const char*) {
  return 0;
}

/// Zero of a type, as in OP2 including the semicolon.
#define ZERO_double 0.0;
#define ZERO_float 0.0f;
#define ZERO_int 0;
#define ZERO_uint 0;
#define ZERO_ll 0;
#define ZERO_ull 0;
#define ZERO_bool 0;

#ifdef OP_USER_DATATYPES
#include "op_user_datatypes.h"
#endif

namespace op2 {
namespace compat {

/// The bytes of values, const or not.
template <class T>
char* bytes_of(T* values) {
  return reinterpret_cast<char*>(const_cast<void*>(static_cast<const void*>(values)));
}
/// Bytes of a value.
template <class T>
int size_of(const T*) {
  return static_cast<int>(sizeof(T));
}
/// Ends the program with `wrong_type` if `type` does not name T.
template <class T>
void check_type(const char* what, const char* name, const T* values, const char* type,
                const char* file, int line) {
  if (type_error(values, type)) wrong_type(what, name, type, file, line);
}

// A type error names the line of the call: do not pass `file` and `line`.

/// Data on `set`. Collective. Errors: bad_type (`type` does not name T), bad_dim, bad_name,
/// bad_size, out_of_memory.
/// @param data  shape [set->size x dim], or null for zeros; is copied
template <class T>
op_dat op_decl_dat(op_set set, int dim, const char* type, T* data, const char* name,
                   const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  compat::check_type("dat", name, data, type, file, line);
  return op_decl_dat_char(set, dim, type, compat::size_of(data), compat::bytes_of(data), name);
}

/// Temporary data on `set`. Collective. Errors as above.
/// @param data  only for its type: a temporary dat is initially zero
template <class T>
op_dat op_decl_dat_temp(op_set set, int dim, const char* type, T* data, const char* name,
                        const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  compat::check_type("dat", name, data, type, file, line);
  return op_decl_dat_temp_char(set, dim, type, compat::size_of(data), name);
}

/// Frees a temporary dat; pending loops with it are still executed. Local.
/// @return 1, or -1 if it is not a temporary dat
inline int op_free_dat_temp(op_dat dat) {
  return op_free_dat_temp_char(dat);
}

/// Declares a constant by the address of its variable, shape [dim]: loops use the value at their
/// call. Local. Errors: bad_type, bad_constant.
template <class T>
void op_decl_const(int dim, const char* type, T* data, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) {
  compat::check_type("constant", NULL, data, type, file, line);
  decl_const(dim, type, compat::size_of(data), data);
}
template <class T>
void op_decl_const2(const char* name, int dim, const char* type, T* data,
                    const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  compat::check_type("constant", name, data, type, file, line);
  op_decl_const_char(dim, type, compat::size_of(data), compat::bytes_of(data), name);
}

/// A global: memory of the program, shape [dim], which loops read, or reduce over elements and
/// ranks. With `opt` 0 the argument is off, and `data` may be null. Local. Errors: bad_type.
template <class T>
arg op_arg_gbl(T* data, int dim, const char* type, int acc, const char* file = __builtin_FILE(),
               int line = __builtin_LINE()) {
  if (data != NULL) compat::check_type("global", NULL, data, type, file, line);
  return op_arg_gbl_char(compat::bytes_of(data), dim, type, compat::size_of(data), acc);
}
template <class T>
arg op_opt_arg_gbl(int opt, T* data, int dim, const char* type, int acc,
                   const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (data != NULL && opt) compat::check_type("global", NULL, data, type, file, line);
  return op_opt_arg_gbl_char(opt, compat::bytes_of(data), dim, type, compat::size_of(data), acc);
}

/// The payload of a minimum or maximum, such as the index of its element: the values that the
/// kernel has written for the extreme value of argument `reference`. Local. Errors: bad_type.
/// @param data       shape [dim]
/// @param reference  index of an argument with OP_MIN or OP_MAX, from 0
template <class T>
arg op_arg_info(T* data, int dim, const char* type, int reference,
                const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  compat::check_type("global", NULL, data, type, file, line);
  return op_arg_info_char(compat::bytes_of(data), dim, type, compat::size_of(data), reference);
}

/// Executes pending loops and copies the values of the elements that this rank declared, in their
/// order, shape [declared elements x dim], or on all ranks those of the elements low .. high
/// (global indices, inclusive). Collective. Errors: bad_handle, bad_type, bad_range.
template <class T>
void op_fetch_data(op_dat dat, T* values) {
  get_data(dat, compat::size_of(values), compat::bytes_of(values));
}
template <class T>
void op_fetch_data_idx(op_dat dat, T* values, int low, int high) {
  get_data_range(dat, compat::size_of(values), compat::bytes_of(values), low, high);
}

}  // namespace compat
}  // namespace op2

using op2::compat::op_arg_gbl;
using op2::compat::op_arg_info;
using op2::compat::op_decl_const;
using op2::compat::op_decl_const2;
using op2::compat::op_decl_dat;
using op2::compat::op_decl_dat_temp;
using op2::compat::op_fetch_data;
using op2::compat::op_fetch_data_idx;
using op2::compat::op_free_dat_temp;
using op2::compat::op_mpi_reduce;
using op2::compat::op_opt_arg_gbl;
