// SPDX-License-Identifier: BSD-3-Clause
// Lesson 5: dye flows around a cylinder, on the mesh of a mesh generator: its boundary groups, time
// steps that the library limits, output for ParaView, and going on after an interruption. The
// kernels and loops are in dye.hpp; README.md has the commands from the mesh to the picture.
//
//     op2-mesh convert cylinder.msh cylinder.h5
//     mpirun -np 2 05_mesh_to_picture cylinder.h5 2.0        # until time 2
//     mpirun -np 3 05_mesh_to_picture cylinder.h5 4.0        # goes on until time 4
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <op2/checkpoint.hpp>
#include <op2/op2.hpp>

#include "dye.hpp"

void run(const char* file, double end) {
  const Dye d = declare_dye(file);
  find_flows(d);

  // What a checkpoint holds beside dats and globals. If there is none, nothing happens.
  int step = 0;
  op_keep("step", &step);
  if (op_restore("dye.ckpt")) op_printf("goes on after step %d\n", step);
  op_checkpoint_at("dye.ckpt", {.every_seconds = 60, .signal = SIGUSR1});

  double now = 0;
  op_fetch_global(d.time, &now);
  while (now < end) {
    limit_step(d);
    carry_dye(d);
    advance_dye(d);
    ++step;
    if (op_checkpoint_step()) return;  // a signal: everything is written
    if (step % 20 != 0) continue;      // until here nothing had to be computed
    double dyed = 0;
    op_fetch_global(d.time, &now);
    op_fetch_global(d.amount, &dyed);
    op_printf("step %4d  time %.4f  dye %.6f\n", step, now, dyed);
    op_write_series("dye.pvd", now, d.corners, d.x, {&d.dye, 1});
  }
  op_checkpoint("dye.ckpt");
}

int main(int argc, char** argv) {
  char* rest = nullptr;
  const double end = argc == 3 ? std::strtod(argv[2], &rest) : 0;
  if (argc != 3 || rest == argv[2] || *rest != 0) {
    std::fprintf(stderr, "usage: %s MESH.h5 END_TIME, where op2-mesh has made the mesh\n", argv[0]);
    return EXIT_FAILURE;
  }
  try {
    op_init(argc, argv);
    run(argv[1], end);
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());  // on every rank: it may be of this rank alone
    return EXIT_FAILURE;
  }
}
