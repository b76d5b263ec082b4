// SPDX-License-Identifier: BSD-3-Clause
// Lesson 5: dye flows around a cylinder, on the mesh of a mesh generator: its boundary groups, time
// steps that the library limits, output for ParaView, and going on after an interruption.
//
//     op2-mesh convert tests/mesh/cylinder.msh cylinder.h5
//     mpirun -np 2 05_mesh_to_picture cylinder.h5 2.0        # until time 2
//     mpirun -np 3 05_mesh_to_picture cylinder.h5 4.0        # goes on until time 4
//     examples/airfoil/plot_mach.py dye.pvd dye.png --field dye --view -2 4 -2 2
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <op2/checkpoint.hpp>
#include <op2/hdf5.hpp>
#include <op2/op2.hpp>

// The volume per time that flows through a face along its normal: ideal flow around a cylinder of
// radius 1/2 at the origin, which has speed 1 far away.
OP_KERNEL(find_flow, (const double* centre, const double* normal, double* flow), {
  const double x = centre[0], y = centre[1], r2 = x * x + y * y, ratio = 0.25 / (r2 * r2);
  const double u = 1 - ratio * (x * x - y * y), v = -2 * ratio * x * y;
  *flow = u * normal[0] + v * normal[1];
});

// What leaves cells per time, for the length of a time step.
OP_KERNEL(find_outflow, (const double* flow, double* outflow1, double* outflow2), {
  *outflow1 += *flow > 0 ? *flow : 0;
  *outflow2 += *flow < 0 ? -*flow : 0;
});
OP_KERNEL(find_boundary_outflow, (const double* flow, double* outflow), {
  *outflow += *flow > 0 ? *flow : 0;
});

// No cell may lose more than 9/10 of its volume in a time step.
OP_KERNEL(limit, (const double* volume, const double* outflow, double* dt), {
  const double longest = 0.9 * *volume / *outflow;
  *dt = longest < *dt ? longest : *dt;
});

// The dye that faces carry per time: that of the cell from which it flows.
OP_KERNEL(carry, (const double* flow, const double* dye1, const double* dye2, double* gain1,
                  double* gain2), {
  const double carried = *flow * (*flow > 0 ? *dye1 : *dye2);
  *gain1 -= carried;
  *gain2 += carried;
});
OP_KERNEL(carry_in, (const double* centre, const double* flow, double* gain), {
  const double dye = centre[1] > 0 && centre[1] < 1 ? 1 : 0;  // a stripe of the inlet
  *gain -= *flow * dye;
});
OP_KERNEL(carry_out, (const double* flow, const double* dye, double* gain), {
  *gain -= *flow * *dye;
});

OP_KERNEL(advance, (const double* volume, const double* dt, double* dye, double* gain,
                    double* amount), {
  *dye += *dt * *gain / *volume;
  *gain = 0;
  *amount += *volume * *dye;
});
OP_KERNEL(tick, (const double* dt, double* time), { *time += *dt; });

// Part of the boundary: its faces, and what flows through them.
struct Boundary {
  op_set faces;
  op_map cell;
  op_dat centre, normal, flow;
};

Boundary declare_boundary(const std::string& group, op_set cells, const char* file) {
  const std::string path = "boundary/" + group;
  const op_set faces = op_decl_set_hdf5(file, (path + "/faces").c_str());
  const op_map cell = op_decl_map_hdf5(faces, cells, 1, file, (path + "/cell").c_str());
  const op_dat centre = op_decl_dat_hdf5(faces, 2, "double", file, (path + "/centre").c_str());
  const op_dat normal = op_decl_dat_hdf5(faces, 2, "double", file, (path + "/normal").c_str());
  const op_dat flow = op_decl_dat(faces, 1, "double", static_cast<double*>(nullptr),
                                  (group + "_flow").c_str());
  return {faces, cell, centre, normal, flow};
}

void run(const char* file, double end) {
  const double* zeros = nullptr;
  const op_set nodes = op_decl_set_hdf5(file, "nodes"), cells = op_decl_set_hdf5(file, "cells"),
               faces = op_decl_set_hdf5(file, "faces");
  const op_map corners = op_decl_map_hdf5(cells, nodes, 3, file, "cell_nodes");
  const op_map sides = op_decl_map_hdf5(faces, cells, 2, file, "face_cells");
  const op_dat x = op_decl_dat_hdf5(nodes, 2, "double", file, "x");
  const op_dat volume = op_decl_dat_hdf5(cells, 1, "double", file, "cell_volume");
  const op_dat position = op_decl_dat_hdf5(cells, 2, "double", file, "cell_centre");
  const op_dat centre = op_decl_dat_hdf5(faces, 2, "double", file, "face_centre");
  const op_dat normal = op_decl_dat_hdf5(faces, 2, "double", file, "face_normal");
  const Boundary inlet = declare_boundary("inlet", cells, file),
                 outlet = declare_boundary("outlet", cells, file),
                 far = declare_boundary("far", cells, file);  // nothing flows through the wall
  const op_dat flow = op_decl_dat(faces, 1, "double", zeros, "flow"),
               outflow = op_decl_dat(cells, 1, "double", zeros, "outflow"),
               dye = op_decl_dat(cells, 1, "double", zeros, "dye"),
               gain = op_decl_dat(cells, 1, "double", zeros, "gain");
  const op_set clock = op_decl_set(op_is_root() ? 1 : 0, "clock");
  const double zero = 0, long_ago = 1e30;
  const op_global dt = op_decl_global(1, &long_ago, "dt"), time = op_decl_global(1, &zero, "time"),
                  amount = op_decl_global(1, &zero, "amount");
  op_partition("PTSCOTCH", "KWAY", cells, sides, position);

  op_par_loop(find_flow, "find_flow", faces, op_arg_dat(centre, OP_READ),
              op_arg_dat(normal, OP_READ), op_arg_dat(flow, OP_WRITE));
  op_par_loop(find_outflow, "find_outflow", faces, op_arg_dat(flow, OP_READ),
              op_arg_dat(outflow, 0, sides, OP_INC), op_arg_dat(outflow, 1, sides, OP_INC));
  for (const Boundary& part : {inlet, outlet, far}) {
    op_par_loop(find_flow, "find_flow", part.faces, op_arg_dat(part.centre, OP_READ),
                op_arg_dat(part.normal, OP_READ), op_arg_dat(part.flow, OP_WRITE));
    op_par_loop(find_boundary_outflow, "find_boundary_outflow", part.faces,
                op_arg_dat(part.flow, OP_READ), op_arg_dat(outflow, 0, part.cell, OP_INC));
  }

  // What a checkpoint holds beside dats and globals. If there is none, nothing happens.
  int step = 0;
  op_keep("step", &step);
  if (op_restore("dye.ckpt")) op_printf("goes on after step %d\n", step);
  op_checkpoint_at("dye.ckpt", {.every_seconds = 60, .signal = SIGUSR1});

  double now = 0;
  op_fetch_global(time, &now);
  while (now < end) {
    op_set_global(dt, &long_ago);
    op_par_loop(limit, "limit", cells, op_arg_dat(volume, OP_READ), op_arg_dat(outflow, OP_READ),
                op_arg_gbl(dt, OP_MIN));
    op_par_loop(carry, "carry", faces, op_arg_dat(flow, OP_READ),
                op_arg_dat(dye, 0, sides, OP_READ), op_arg_dat(dye, 1, sides, OP_READ),
                op_arg_dat(gain, 0, sides, OP_INC), op_arg_dat(gain, 1, sides, OP_INC));
    op_par_loop(carry_in, "carry_in", inlet.faces, op_arg_dat(inlet.centre, OP_READ),
                op_arg_dat(inlet.flow, OP_READ), op_arg_dat(gain, 0, inlet.cell, OP_INC));
    for (const Boundary& part : {outlet, far})
      op_par_loop(carry_out, "carry_out", part.faces, op_arg_dat(part.flow, OP_READ),
                  op_arg_dat(dye, 0, part.cell, OP_READ), op_arg_dat(gain, 0, part.cell, OP_INC));
    op_set_global(amount, &zero);
    op_par_loop(advance, "advance", cells, op_arg_dat(volume, OP_READ), op_arg_gbl(dt, OP_READ),
                op_arg_dat(dye, OP_RW), op_arg_dat(gain, OP_RW), op_arg_gbl(amount, OP_INC));
    op_par_loop(tick, "tick", clock, op_arg_gbl(dt, OP_READ), op_arg_gbl(time, OP_INC));
    ++step;
    if (op_checkpoint_step()) return;  // a signal: everything is written
    if (step % 20 != 0) continue;      // until here nothing had to be computed
    double dyed = 0;
    op_fetch_global(time, &now);
    op_fetch_global(amount, &dyed);
    op_printf("step %4d  time %.4f  dye %.6f\n", step, now, dyed);
    op_write_series("dye.pvd", now, corners, x, {&dye, 1});
  }
  op_checkpoint("dye.ckpt");
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s MESH.h5 END_TIME, where op2-mesh has made the mesh\n", argv[0]);
    return EXIT_FAILURE;
  }
  try {
    op_init(argc, argv);
    run(argv[1], std::atof(argv[2]));
    op_exit();
  } catch (const std::exception& error) {
    if (op_is_root()) std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
