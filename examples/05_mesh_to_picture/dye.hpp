// SPDX-License-Identifier: BSD-3-Clause
// Dye that flows around a cylinder, for lessons 5 and 6: kernels, mesh, loops.
#pragma once

#include <string>

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

// dt, time and amount are lazy: nothing waits for them until the program asks for their values.
struct Dye {
  op_set nodes, cells, faces;
  op_set clock;  // has one element, for what is computed once
  op_map corners, sides;
  op_dat x, volume, centre, normal, flow, outflow, dye, gain;
  Boundary inlet, outlet, far;  // nothing flows through the wall
  op_global dt, time, amount;
};

inline op_dat zeros(op_set set, const std::string& name) {
  return op_decl_dat(set, 1, "double", static_cast<double*>(nullptr), name.c_str());
}

inline Boundary declare_boundary(const std::string& group, op_set cells, const char* file) {
  const std::string path = "boundary/" + group;
  const op_set faces = op_decl_set_hdf5(file, (path + "/faces").c_str());
  return {faces, op_decl_map_hdf5(faces, cells, 1, file, (path + "/cell").c_str()),
          op_decl_dat_hdf5(faces, 2, "double", file, (path + "/centre").c_str()),
          op_decl_dat_hdf5(faces, 2, "double", file, (path + "/normal").c_str()),
          zeros(faces, group + "_flow")};
}

// What the file of op2-mesh has, and what is computed.
inline Dye declare_dye(const char* file) {
  Dye d{};
  d.nodes = op_decl_set_hdf5(file, "nodes");
  d.cells = op_decl_set_hdf5(file, "cells");
  d.faces = op_decl_set_hdf5(file, "faces");
  d.corners = op_decl_map_hdf5(d.cells, d.nodes, 3, file, "cell_nodes");
  d.sides = op_decl_map_hdf5(d.faces, d.cells, 2, file, "face_cells");
  d.x = op_decl_dat_hdf5(d.nodes, 2, "double", file, "x");
  d.volume = op_decl_dat_hdf5(d.cells, 1, "double", file, "cell_volume");
  d.centre = op_decl_dat_hdf5(d.faces, 2, "double", file, "face_centre");
  d.normal = op_decl_dat_hdf5(d.faces, 2, "double", file, "face_normal");
  const op_dat position = op_decl_dat_hdf5(d.cells, 2, "double", file, "cell_centre");
  d.inlet = declare_boundary("inlet", d.cells, file);
  d.outlet = declare_boundary("outlet", d.cells, file);
  d.far = declare_boundary("far", d.cells, file);
  d.flow = zeros(d.faces, "flow");
  d.outflow = zeros(d.cells, "outflow");
  d.dye = zeros(d.cells, "dye");
  d.gain = zeros(d.cells, "gain");
  d.clock = op_decl_set(op_is_root() ? 1 : 0, "clock");
  const double zero = 0;
  d.dt = op_decl_global(1, &zero, "dt");
  d.time = op_decl_global(1, &zero, "time");
  d.amount = op_decl_global(1, &zero, "amount");
  op_partition("PTSCOTCH", "KWAY", d.cells, d.sides, position);
  return d;
}

// What flows through all faces, and what leaves each cell.
inline void find_flows(const Dye& d) {
  op_par_loop(find_flow, "find_flow", d.faces, op_arg_dat(d.centre, OP_READ),
              op_arg_dat(d.normal, OP_READ), op_arg_dat(d.flow, OP_WRITE));
  op_par_loop(find_outflow, "find_outflow", d.faces, op_arg_dat(d.flow, OP_READ),
              op_arg_dat(d.outflow, 0, d.sides, OP_INC), op_arg_dat(d.outflow, 1, d.sides, OP_INC));
  for (const Boundary& part : {d.inlet, d.outlet, d.far}) {
    op_par_loop(find_flow, "find_flow", part.faces, op_arg_dat(part.centre, OP_READ),
                op_arg_dat(part.normal, OP_READ), op_arg_dat(part.flow, OP_WRITE));
    op_par_loop(find_boundary_outflow, "find_boundary_outflow", part.faces,
                op_arg_dat(part.flow, OP_READ), op_arg_dat(d.outflow, 0, part.cell, OP_INC));
  }
}

// The longest time step that all cells allow.
inline void limit_step(const Dye& d) {
  const double long_ago = 1e30;
  op_set_global(d.dt, &long_ago);
  op_par_loop(limit, "limit", d.cells, op_arg_dat(d.volume, OP_READ),
              op_arg_dat(d.outflow, OP_READ), op_arg_gbl(d.dt, OP_MIN));
}

inline void carry_dye(const Dye& d) {
  op_par_loop(carry, "carry", d.faces, op_arg_dat(d.flow, OP_READ),
              op_arg_dat(d.dye, 0, d.sides, OP_READ), op_arg_dat(d.dye, 1, d.sides, OP_READ),
              op_arg_dat(d.gain, 0, d.sides, OP_INC), op_arg_dat(d.gain, 1, d.sides, OP_INC));
  op_par_loop(carry_in, "carry_in", d.inlet.faces, op_arg_dat(d.inlet.centre, OP_READ),
              op_arg_dat(d.inlet.flow, OP_READ), op_arg_dat(d.gain, 0, d.inlet.cell, OP_INC));
  for (const Boundary& part : {d.outlet, d.far})
    op_par_loop(carry_out, "carry_out", part.faces, op_arg_dat(part.flow, OP_READ),
                op_arg_dat(d.dye, 0, part.cell, OP_READ), op_arg_dat(d.gain, 0, part.cell, OP_INC));
}

inline void advance_dye(const Dye& d) {
  const double zero = 0;
  op_set_global(d.amount, &zero);
  op_par_loop(advance, "advance", d.cells, op_arg_dat(d.volume, OP_READ), op_arg_gbl(d.dt, OP_READ),
              op_arg_dat(d.dye, OP_RW), op_arg_dat(d.gain, OP_RW), op_arg_gbl(d.amount, OP_INC));
  op_par_loop(tick, "tick", d.clock, op_arg_gbl(d.dt, OP_READ), op_arg_gbl(d.time, OP_INC));
}
