// SPDX-License-Identifier: BSD-3-Clause
#include "flow.hpp"

#include <span>

#include "kernels.hpp"

namespace airfoil {

Flow declare_flow(const Mesh& block, const Partitioner& partitioner) {
  op_decl_const(1, &gam, "gam");
  op_decl_const(1, &gm1, "gm1");
  op_decl_const(1, &cfl, "cfl");
  op_decl_const(1, &eps, "eps");
  op_decl_const(4, std::span(qinf), "qinf");

  Flow flow{};
  flow.nodes = op_decl_set(block.nodes(), "nodes");
  flow.edges = op_decl_set(block.edges(), "edges");
  flow.bedges = op_decl_set(block.bedges(), "bedges");
  flow.cells = op_decl_set(block.cells(), "cells");

  flow.pedge = op_decl_map(flow.edges, flow.nodes, 2, block.edge_nodes, "pedge");
  flow.pecell = op_decl_map(flow.edges, flow.cells, 2, block.edge_cells, "pecell");
  flow.pbedge = op_decl_map(flow.bedges, flow.nodes, 2, block.bedge_nodes, "pbedge");
  flow.pbecell = op_decl_map(flow.bedges, flow.cells, 1, block.bedge_cell, "pbecell");
  flow.pcell = op_decl_map(flow.cells, flow.nodes, 4, block.cell_nodes, "pcell");

  std::vector<double> undisturbed(block.cells() * std::size_t{4});
  for (std::size_t i = 0; i < undisturbed.size(); ++i) undisturbed[i] = qinf[i % 4];
  const double* zeros = nullptr;
  flow.x = op_decl_dat(flow.nodes, 2, block.x, "x");
  flow.q = op_decl_dat(flow.cells, 4, undisturbed, "q");
  flow.qold = op_decl_dat(flow.cells, 4, zeros, "qold");
  flow.res = op_decl_dat(flow.cells, 4, zeros, "res");
  flow.adt = op_decl_dat(flow.cells, 1, zeros, "adt");
  flow.bound = op_decl_dat(flow.bedges, 1, block.bound, "bound");

  op_partition(partitioner.library.c_str(), partitioner.routine.c_str(), flow.cells, flow.pecell,
               flow.x);
  return flow;
}

Residual::Residual(bool lazy) {
  if (lazy) global_ = op_decl_global(1, &sum_, "rms");
}

void Residual::reset() {
  sum_ = 0;
  if (global_ != nullptr) op_set_global(global_, &sum_);
}

op_arg Residual::increment() {
  return global_ != nullptr ? op_arg_gbl(global_, OP_INC) : op_arg_gbl(&sum_, 1, "double", OP_INC);
}

double Residual::value() {
  if (global_ != nullptr) op_fetch_global(global_, &sum_);
  return sum_;
}

void iterate(const Flow& f, Residual& residual) {
  op_par_loop(save_soln, "save_soln", f.cells,
              op_arg_dat(f.q, OP_READ),
              op_arg_dat(f.qold, OP_WRITE));

  for (int half = 0; half < 2; ++half) {
    op_par_loop(adt_calc, "adt_calc", f.cells,
                op_arg_dat(f.x, 0, f.pcell, OP_READ),
                op_arg_dat(f.x, 1, f.pcell, OP_READ),
                op_arg_dat(f.x, 2, f.pcell, OP_READ),
                op_arg_dat(f.x, 3, f.pcell, OP_READ),
                op_arg_dat(f.q, OP_READ),
                op_arg_dat(f.adt, OP_WRITE));

    op_par_loop(res_calc, "res_calc", f.edges,
                op_arg_dat(f.x, 0, f.pedge, OP_READ),
                op_arg_dat(f.x, 1, f.pedge, OP_READ),
                op_arg_dat(f.q, 0, f.pecell, OP_READ),
                op_arg_dat(f.q, 1, f.pecell, OP_READ),
                op_arg_dat(f.adt, 0, f.pecell, OP_READ),
                op_arg_dat(f.adt, 1, f.pecell, OP_READ),
                op_arg_dat(f.res, 0, f.pecell, OP_INC),
                op_arg_dat(f.res, 1, f.pecell, OP_INC));

    op_par_loop(bres_calc, "bres_calc", f.bedges,
                op_arg_dat(f.x, 0, f.pbedge, OP_READ),
                op_arg_dat(f.x, 1, f.pbedge, OP_READ),
                op_arg_dat(f.q, 0, f.pbecell, OP_READ),
                op_arg_dat(f.adt, 0, f.pbecell, OP_READ),
                op_arg_dat(f.res, 0, f.pbecell, OP_INC),
                op_arg_dat(f.bound, OP_READ));

    residual.reset();
    op_par_loop(update, "update", f.cells,
                op_arg_dat(f.qold, OP_READ),
                op_arg_dat(f.q, OP_WRITE),
                op_arg_dat(f.res, OP_RW),
                op_arg_dat(f.adt, OP_READ),
                residual.increment());
  }
}

void write_fields(const Flow& flow, const char* path) {
  const op_dat density = op_decl_dat_temp(flow.cells, 1, "double", "density");
  const op_dat pressure = op_decl_dat_temp(flow.cells, 1, "double", "pressure");
  const op_dat mach_number = op_decl_dat_temp(flow.cells, 1, "double", "mach");
  op_par_loop(flow_fields, "flow_fields", flow.cells,
              op_arg_dat(flow.q, OP_READ),
              op_arg_dat(density, OP_WRITE),
              op_arg_dat(pressure, OP_WRITE),
              op_arg_dat(mach_number, OP_WRITE));
  const op_dat fields[] = {density, pressure, mach_number};
  op_write_vtu(path, flow.pcell, flow.x, fields);
  for (const op_dat field : fields) op_free_dat_temp(field);
}

}  // namespace airfoil
