// SPDX-License-Identifier: BSD-3-Clause
// Lesson 8, step 1: a program for OP2's developer headers, before OP2's translator. It has two
// mistakes that go unnoticed there on one process; README.md finds them.
#include "net.h"
#include "op_seq.h"

int main(int argc, char **argv) {
  op_init(argc, argv, 1);
  Net net = make_net(20);
  op_set masses = op_decl_set(net.masses(), "masses");
  op_set springs = op_decl_set(net.springs(), "springs");
  op_map ends = op_decl_map(springs, masses, 2, net.ends.data(), "ends");
  op_dat p_x = op_decl_dat(masses, 3, "double", net.x.data(), "x");
  op_dat p_free = op_decl_dat(masses, 1, "double", net.free.data(), "free");
  op_dat p_length = op_decl_dat(springs, 1, "double", net.length.data(), "length");
  std::vector<double> zeros(3 * net.masses());
  op_dat p_v = op_decl_dat(masses, 3, "double", zeros.data(), "v");
  op_dat p_f = op_decl_dat(masses, 3, "double", zeros.data(), "f");
  op_decl_const(1, "double", &stiffness);
  op_decl_const(1, "double", &dt);

  const int middle = net.side / 2 * net.side + net.side / 2;
  for (int step = 1; step <= 1000; ++step) {
    op_par_loop(pull, "pull", springs,
                op_arg_dat(p_x, 0, ends, 3, "double", OP_READ),
                op_arg_dat(p_x, 1, ends, 3, "double", OP_READ),
                op_arg_dat(p_length, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(p_f, 0, ends, 3, "double", OP_INC),
                op_arg_dat(p_f, 1, ends, 3, "double", OP_INC));
    op_par_loop(fall, "fall", masses,
                op_arg_dat(p_free, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(p_f, -1, OP_ID, 3, "double", OP_READ),
                op_arg_dat(p_v, -1, OP_ID, 3, "double", OP_RW),
                op_arg_dat(p_x, -1, OP_ID, 3, "double", OP_RW));
    if (step % 250 != 0) continue;
    const double *x = (const double *)p_x->data;
    const double height = x[3 * middle + 2];
    double energy = 0;
    op_par_loop(measure, "measure", masses,
                op_arg_dat(p_v, -1, OP_ID, 3, "double", OP_READ),
                op_arg_gbl(&energy, 1, "double", OP_INC));
    op_printf("step %4d  height %.6f  energy %.6f\n", step, height, energy);
  }
  op_exit();
}
