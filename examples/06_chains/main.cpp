// SPDX-License-Identifier: BSD-3-Clause
// Lesson 6: do chains of loops pay? The dye of lesson 5, in regions, with the time step found
// before each step or once. README.md has the commands, and shows how to read the reports.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <op2/op2.hpp>
#include <op2/region.hpp>

#include "../05_mesh_to_picture/dye.hpp"

// A loop counts in the region in which it is called, although it runs later, perhaps in one chain
// with loops of other regions.
void advance_one_step(const Dye& d, bool limit_each_step) {
  const op_region step("step");
  if (limit_each_step) {
    const op_region region("limit");  // "step/limit" in the tables
    limit_step(d);
  }
  {
    const op_region region("carry");
    carry_dye(d);
  }
  // This reads the time step. If the same chain has to find it first, on all ranks, the chain ends
  // here.
  const op_region region("advance");
  advance_dye(d);
}

void run(const char* file, int steps, bool limit_each_step) {
  const Dye d = declare_dye(file);
  {
    const op_region region("flows");
    find_flows(d);
    limit_step(d);
  }
  for (int step = 1; step <= steps; ++step) {
    advance_one_step(d, limit_each_step);
    if (step % 20 != 0 && step != steps) continue;
    const op_region region("report");  // only here something has to be computed
    double now = 0, dyed = 0;
    op_fetch_global(d.time, &now);
    op_fetch_global(d.amount, &dyed);
    if (step % 200 == 0 || step == steps)
      op_printf("step %5d  time %.4f  dye %.6f\n", step, now, dyed);
  }
}

int main(int argc, char** argv) {
  const int steps = argc == 4 ? std::atoi(argv[2]) : 0;
  const bool each = argc == 4 && std::strcmp(argv[3], "each") == 0;
  if (steps <= 0 || (!each && std::strcmp(argv[3], "once") != 0)) {
    std::fprintf(stderr,
                 "usage: %s MESH.h5 STEPS each|once, where op2-mesh has made the mesh, and the "
                 "time step is found before each step or once\n",
                 argv[0]);
    return EXIT_FAILURE;
  }
  try {
    op_init(argc, argv);
    run(argv[1], steps, each);
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());  // on every rank: it may be of this rank alone
    return EXIT_FAILURE;
  }
}
