// SPDX-License-Identifier: BSD-3-Clause
// Calls that cannot be given a meaning: each ends the program with a message. The first argument
// says which.
#include "expect.h"

namespace {

void plan(const Ring& ring) {
  op_arg arg = op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ);
  int indirect = -1;
  op_plan_get("loop", ring.cells, 0, 1, &arg, 0, &indirect);
}
void overlay(const Ring& ring) {
  op_decl_dat_overlay(ring.cells, ring.number);
}
void constant(const Ring&) {
  double wrong = 0;
  op_decl_const(1, "int", &wrong);
}
void dat(const Ring& ring) {
  op_decl_dat(ring.cells, 1, "float", (double*)NULL, "wrong");
}
void reductions(const Ring&) {
  op_disable_mpi_reductions(true);
}
void unknown_set(const Ring&) {
  op_size_of_set("none");
}
/// The other ranks wait for the last one.
void unknown_set_on_one(const Ring& ring) {
  int rank = 0;
  op_rank(&rank);
  if (rank == 1) unknown_set(ring);
  op_mpi_barrier();
}

struct Case {
  const char* name;
  void (*run)(const Ring& ring);
};
const Case cases[] = {{"plan", plan},
                      {"overlay", overlay},
                      {"constant", constant},
                      {"dat", dat},
                      {"reductions", reductions},
                      {"unknown_set", unknown_set},
                      {"unknown_set_on_one", unknown_set_on_one}};

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  const Ring ring(4);
  for (const Case& each : cases)
    if (strcmp(argv[1], each.name) == 0) each.run(ring);
  op_exit();
  return 0;
}
