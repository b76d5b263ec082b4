// SPDX-License-Identifier: BSD-3-Clause
// As much of OP2's developer header as the samples need: what op2-embed-kernels has to recognise.
#pragma once

#include <cstddef>

struct op_set_core;
struct op_map_core;
struct op_dat_core;
using op_set = op_set_core*;
using op_map = op_map_core*;
using op_dat = op_dat_core*;
typedef int op_access;
typedef unsigned long long ull;

#define OP_READ 0
#define OP_WRITE 1
#define OP_RW 2
#define OP_INC 3
#define OP_MIN 4
#define OP_MAX 5
#define OP_ID (op_map) nullptr
#ifndef MAX
#define MAX(a, b) ((a > b) ? (a) : (b))
#endif

struct op_arg {
  const void* what;
};

inline op_arg op_arg_dat(op_dat, int, op_map, int, const char*, op_access) {
  return {};
}
inline op_arg op_opt_arg_dat(int, op_dat, int, op_map, int, const char*, op_access) {
  return {};
}
template <class T>
op_arg op_arg_gbl(T*, int, const char*, op_access) {
  return {};
}
template <class T>
op_arg op_opt_arg_gbl(int, T*, int, const char*, op_access) {
  return {};
}
template <class T>
op_arg op_arg_info(T*, int, const char*, int) {
  return {};
}
inline op_arg op_arg_idx(int, op_map) {
  return {};
}
template <class T>
void op_decl_const(int, const char*, T*) {}

struct op_loop_name {
  const char* text;
  const char* file;
  int line;
  op_loop_name(const char* name, const char* from = __builtin_FILE(), int at = __builtin_LINE())
      : text(name), file(from), line(at) {}
};

template <class... P, class... A>
void op_par_loop(void (*)(P...), op_loop_name, op_set, A...) {}
