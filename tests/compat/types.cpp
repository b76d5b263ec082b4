// SPDX-License-Identifier: BSD-3-Clause
// Type strings of OP2 in C++ and Fortran.
#include "expect.h"

namespace {

void twice(double* value) {
  *value *= 2;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  const Ring ring(6);
  const char* const names[][2] = {{"r8", "double"},
                                  {"real*8:soa", "double"},
                                  {"real(8)", "double"},
                                  {"double precision", "double"},
                                  {"r4", "float"},
                                  {"real(4)", "float"},
                                  {"i4", "int"},
                                  {"integer*4", "int"},
                                  {"integer(4):soa", "int"},
                                  {"unsigned int", "uint"}};
  for (auto& pair : names) {
    const int size = pair[1][0] == 'd' ? 8 : 4;
    op_dat dat = op_decl_dat_char(ring.cells, 2, pair[0], size, NULL, pair[0]);
    expect(pair[0], strcmp(dat->type, pair[1]), 0);
    expect(pair[0], op_type_equivalence(pair[0], pair[1]), 1);
    expect(pair[0], search_dat(ring.cells, 2, pair[0], 2 * size, pair[0]) == dat, 1);
  }
  op_par_loop(twice, "twice", ring.cells, op_arg_dat(ring.number, -1, OP_ID, 1, "r8", OP_RW));
  double factor = 1, value = 0;
  op_decl_const(1, "real(8)", &factor);
  op_fetch_data_idx(ring.number, &value, 5, 5);
  expect("number", value, 10);
  ring.number->name = "other";
  expect("renamed", search_dat(ring.cells, 1, "double", 8, "other") == ring.number, 1);
  op_exit();
  return faults == 0 ? 0 : 1;
}
