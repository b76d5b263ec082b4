// SPDX-License-Identifier: BSD-3-Clause
// Calls that do not compile: each with -DWRONG=<number>; without, the program compiles.
#include <array>
#include <list>
#include <vector>

#include <op2/op2.hpp>

void function(double* value) {
  *value = 1;
}
#if WRONG == 17
#define OP2_KERNEL_HEADER types.h
#endif
OP_KERNEL(kernel, (double* value), { *value = 1; });

// What must go on to compile: null pointers and arrays.
void right(op_set set, op_dat dat, const double* constants, long* integers) {
  double array[2] = {1, 2};
  const int targets[] = {0, 1};
  op_decl_dat(set, 1, array, "a");
  op_decl_dat(set, 1, "double", constants, "b");
  op_decl_dat(set, 1, integers, "c");
  op_decl_dat<double>(set, 1, nullptr, "d");
  op_decl_dat<double>(set, 1, "double", nullptr, "e");
  op_decl_dat<double>(set, 1, 0, "f");
  op_decl_map(set, set, 1, targets, "g");
  op_decl_map(set, set, 1, nullptr, "h");
  op_decl_map(set, set, 1, 0, "i");
  op_decl_const(2, array, "j");
  op_decl_global<double>(1, nullptr, "k");
  op_par_loop(kernel, "kernel", set, op_arg_dat(dat, OP_WRITE));
  op_par_loop(kernel, "kernel", set, std::span<const op_arg>());
  op_fetch_data(dat, array);
  op_fetch_data_idx(dat, integers, 0, 1);
}

void wrong(op_set set, op_dat dat) {
  std::list<double> list;
  std::vector<bool> bits;
  const std::vector<double> constants;
#if WRONG == 1
  op_decl_dat(set, 1, list, "a");
#elif WRONG == 2
  op_decl_dat(set, 1, "bool", bits, "a");
#elif WRONG == 3
  op_decl_const(1, bits, "a");
#elif WRONG == 4
  op_decl_global(1, list, "a");
#elif WRONG == 5
  op_decl_dat(set, 1, nullptr, "a");
#elif WRONG == 6
  op_decl_dat(set, 1, "double", nullptr, "a");
#elif WRONG == 7
  op_decl_map(set, set, 2, std::vector<long>(2), "a");
#elif WRONG == 8
  op_fetch_data(dat, list);
#elif WRONG == 9
  op_fetch_data(dat, constants);
#elif WRONG == 10
  op_fetch_data(dat, std::vector<double>(2));
#elif WRONG == 11
  op_fetch_data_idx(dat, bits, 0, 1);
#elif WRONG == 12
  op_par_loop(function, "function", set, op_arg_dat(dat, OP_WRITE));
#elif WRONG == 13
  op_par_loop([](double* value) { *value = 1; }, "lambda", set, op_arg_dat(dat, OP_WRITE));
#elif WRONG == 14
  op_par_loop(&function, "pointer", set, op_arg_dat(dat, OP_WRITE));
#elif WRONG == 15
  op_decl_const("a", 1, constants.data());
#elif WRONG == 16
  op_decl_const("a", 1, constants);
#else
  right(set, dat, constants.data(), nullptr);
#endif
}
