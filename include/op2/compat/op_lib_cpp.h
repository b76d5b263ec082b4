// SPDX-License-Identifier: BSD-3-Clause
// The templates under OP2's names. Type strings are "double", "float", "int", "uint", "ll", "ull"
// and "bool", perhaps followed by ":soa", which is accepted and means nothing here.
#pragma once

#include "op_lib_c.h"

namespace op2 {
namespace compat {

template <class T>
op_dat op_decl_dat(op_set set, int dim, const char* type, T* data, const char* name) {
  return op_decl_dat_char(set, dim, type, static_cast<int>(sizeof(T)),
                          reinterpret_cast<char*>(data), name);
}

/// @param data  not used: a temporary dat begins with zeros
template <class T>
op_dat op_decl_dat_temp(op_set set, int dim, const char* type, T* data, const char* name) {
  static_cast<void>(data);
  return op_decl_dat_temp_char(set, dim, type, static_cast<int>(sizeof(T)), name);
}

/// @return 1, or -1 if it is no temporary dat
inline int op_free_dat_temp(op_dat dat) {
  return op_free_dat_temp_char(dat);
}

template <class T>
void op_decl_const(int dim, const char* type, T* data) {
  decl_const(dim, type, static_cast<int>(sizeof(T)), data);
}
template <class T>
void op_decl_const2(const char* name, int dim, const char* type, T* data) {
  static_cast<void>(name);
  decl_const(dim, type, static_cast<int>(sizeof(T)), data);
}

template <class T>
arg op_arg_gbl(T* data, int dim, const char* type, int acc) {
  return op_arg_gbl_char(reinterpret_cast<char*>(const_cast<void*>(static_cast<const void*>(data))),
                         dim, type, static_cast<int>(sizeof(T)), acc);
}
template <class T>
arg op_opt_arg_gbl(int opt, T* data, int dim, const char* type, int acc) {
  return op_opt_arg_gbl_char(
      opt, reinterpret_cast<char*>(const_cast<void*>(static_cast<const void*>(data))), dim, type,
      static_cast<int>(sizeof(T)), acc);
}
template <class T>
arg op_arg_info(T* data, int dim, const char* type, int reference) {
  return op_arg_info_char(reinterpret_cast<char*>(data), dim, type, static_cast<int>(sizeof(T)),
                          reference);
}

template <class T>
void op_fetch_data(op_dat dat, T* values) {
  get_data(dat, static_cast<int>(sizeof(T)), reinterpret_cast<char*>(values));
}
template <class T>
void op_fetch_data_idx(op_dat dat, T* values, int low, int high) {
  get_data_range(dat, static_cast<int>(sizeof(T)), reinterpret_cast<char*>(values), low, high);
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
using op2::compat::op_opt_arg_gbl;
