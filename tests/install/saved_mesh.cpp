// SPDX-License-Identifier: BSD-3-Clause
// saved_mesh write|read: a mesh in a file, written and read on any numbers of ranks.
#include <cstdio>
#include <string>
#include <vector>

#include <op2/hdf5.hpp>
#include <op2/op2.hpp>

OP_KERNEL(add, (const double* q, double* sum), { *sum += *q; });

int main(int argc, char** argv) {
  op_init(argc, argv);
  if (argc > 1 && std::string(argv[1]) == "write") {
    const op_set cells = op_decl_set(6, "cells");  // of each rank
    op_decl_dat(cells, 1, std::vector<double>(6, 1 + op_rank()), "q");
    op_dump_to_hdf5("mesh.h5");
  } else {
    const op_set cells = op_decl_set_hdf5("mesh.h5", "cells");
    const op_dat q = op_decl_dat_hdf5(cells, 1, "double", "mesh.h5", "q");
    double sum = 0;
    op_par_loop(add, "add", cells, op_arg_dat(q, OP_READ), op_arg_gbl(&sum, 1, "double", OP_INC));
    op_printf("the sum is %g\n", sum);
  }
  op_exit();
}
