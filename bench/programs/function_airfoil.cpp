// SPDX-License-Identifier: BSD-3-Clause
#include "function_airfoil.hpp"

#include <vector>

#include <op_seq.h>

namespace bench {
namespace {

double gam = 1.4f, gm1 = gam - 1, cfl = 0.9f, eps = 0.05f, mach = 0.4f;
double qinf[4];

inline void save_soln(const double* q, double* qold) {
  for (int n = 0; n < 4; n++) qold[n] = q[n];
}

inline void add_side(const double* a, const double* b, double u, double v, double sound,
                     double* sum) {
  const double dx = b[0] - a[0], dy = b[1] - a[1];
  *sum += fabs(u * dy - v * dx) + sound * sqrt(dx * dx + dy * dy);
}

inline void adt_calc(const double* x1, const double* x2, const double* x3, const double* x4,
                     const double* q, double* adt) {
  const double volume = 1 / q[0], u = volume * q[1], v = volume * q[2];
  const double sound = sqrt(gam * gm1 * (volume * q[3] - 0.5 * (u * u + v * v)));
  double sum = 0;
  add_side(x1, x2, u, v, sound, &sum);
  add_side(x2, x3, u, v, sound, &sum);
  add_side(x3, x4, u, v, sound, &sum);
  add_side(x4, x1, u, v, sound, &sum);
  *adt = sum / cfl;
}

inline void res_calc(const double* x1, const double* x2, const double* q1, const double* q2,
                     const double* adt1, const double* adt2, double* res1, double* res2) {
  const double dx = x1[0] - x2[0], dy = x1[1] - x2[1];
  const double volume1 = 1 / q1[0];
  const double p1 = gm1 * (q1[3] - 0.5 * volume1 * (q1[1] * q1[1] + q1[2] * q1[2]));
  const double speed1 = volume1 * (q1[1] * dy - q1[2] * dx);
  const double volume2 = 1 / q2[0];
  const double p2 = gm1 * (q2[3] - 0.5 * volume2 * (q2[1] * q2[1] + q2[2] * q2[2]));
  const double speed2 = volume2 * (q2[1] * dy - q2[2] * dx);
  const double mu = 0.5 * eps * (*adt1 + *adt2);
  const double f[] = {
      0.5 * (speed1 * q1[0] + speed2 * q2[0]) + mu * (q1[0] - q2[0]),
      0.5 * (speed1 * q1[1] + p1 * dy + speed2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1]),
      0.5 * (speed1 * q1[2] - p1 * dx + speed2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2]),
      0.5 * (speed1 * (q1[3] + p1) + speed2 * (q2[3] + p2)) + mu * (q1[3] - q2[3])};
  for (int n = 0; n < 4; n++) {
    res1[n] += f[n];
    res2[n] -= f[n];
  }
}

inline void bres_calc(const double* x1, const double* x2, const double* q1, const double* adt1,
                      double* res1, const int* bound) {
  const double dx = x1[0] - x2[0], dy = x1[1] - x2[1];
  const double volume1 = 1 / q1[0];
  const double p1 = gm1 * (q1[3] - 0.5 * volume1 * (q1[1] * q1[1] + q1[2] * q1[2]));
  if (*bound == 1) {
    res1[1] += p1 * dy;
    res1[2] -= p1 * dx;
    return;
  }
  const double speed1 = volume1 * (q1[1] * dy - q1[2] * dx);
  const double volume2 = 1 / qinf[0];
  const double p2 = gm1 * (qinf[3] - 0.5 * volume2 * (qinf[1] * qinf[1] + qinf[2] * qinf[2]));
  const double speed2 = volume2 * (qinf[1] * dy - qinf[2] * dx);
  const double mu = eps * *adt1;
  res1[0] += 0.5 * (speed1 * q1[0] + speed2 * qinf[0]) + mu * (q1[0] - qinf[0]);
  res1[1] += 0.5 * (speed1 * q1[1] + p1 * dy + speed2 * qinf[1] + p2 * dy) + mu * (q1[1] - qinf[1]);
  res1[2] += 0.5 * (speed1 * q1[2] - p1 * dx + speed2 * qinf[2] - p2 * dx) + mu * (q1[2] - qinf[2]);
  res1[3] += 0.5 * (speed1 * (q1[3] + p1) + speed2 * (qinf[3] + p2)) + mu * (q1[3] - qinf[3]);
}

inline void update(const double* qold, double* q, double* res, const double* adt, double* rms) {
  const double step = 1 / *adt;
  for (int n = 0; n < 4; n++) {
    const double change = step * res[n];
    q[n] = qold[n] - change;
    res[n] = 0;
    *rms += change * change;
  }
}

}  // namespace

struct FunctionAirfoil::Flow {
  op_set nodes, edges, bedges, cells;
  op_map pedge, pecell, pbedge, pbecell, pcell;
  op_dat x, q, qold, res, adt, bound;
};

FunctionAirfoil::FunctionAirfoil(const airfoil::Mesh& given) : flow_(new Flow) {
  const double uinf = sqrt(gam) * mach;
  const double undisturbed[4] = {1, uinf, 0, 1 / gm1 + 0.5 * uinf * uinf};
  for (int n = 0; n < 4; ++n) qinf[n] = undisturbed[n];
  op_decl_const(1, "double", &gam);
  op_decl_const(1, "double", &gm1);
  op_decl_const(1, "double", &cfl);
  op_decl_const(1, "double", &eps);
  op_decl_const(4, "double", qinf);

  airfoil::Mesh mesh = given;
  Flow& f = *flow_;
  f.nodes = op_decl_set(mesh.nodes(), "nodes");
  f.edges = op_decl_set(mesh.edges(), "edges");
  f.bedges = op_decl_set(mesh.bedges(), "bedges");
  f.cells = op_decl_set(mesh.cells(), "cells");
  f.pedge = op_decl_map(f.edges, f.nodes, 2, mesh.edge_nodes.data(), "pedge");
  f.pecell = op_decl_map(f.edges, f.cells, 2, mesh.edge_cells.data(), "pecell");
  f.pbedge = op_decl_map(f.bedges, f.nodes, 2, mesh.bedge_nodes.data(), "pbedge");
  f.pbecell = op_decl_map(f.bedges, f.cells, 1, mesh.bedge_cell.data(), "pbecell");
  f.pcell = op_decl_map(f.cells, f.nodes, 4, mesh.cell_nodes.data(), "pcell");

  std::vector<double> zeros(4 * static_cast<std::size_t>(mesh.cells())), q(zeros.size());
  for (std::size_t k = 0; k < q.size(); ++k) q[k] = qinf[k % 4];
  f.x = op_decl_dat(f.nodes, 2, "double", mesh.x.data(), "x");
  f.q = op_decl_dat(f.cells, 4, "double", q.data(), "q");
  f.qold = op_decl_dat(f.cells, 4, "double", zeros.data(), "qold");
  f.res = op_decl_dat(f.cells, 4, "double", zeros.data(), "res");
  f.adt = op_decl_dat(f.cells, 1, "double", zeros.data(), "adt");
  f.bound = op_decl_dat(f.bedges, 1, "int", mesh.bound.data(), "bound");
  op_partition("PTSCOTCH", "KWAY", f.cells, f.pecell, f.x);
}

FunctionAirfoil::~FunctionAirfoil() = default;

double FunctionAirfoil::iterate(int iterations) {
  const Flow& f = *flow_;
  double rms = 0;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    op_par_loop(save_soln, "save_soln", f.cells, op_arg_dat(f.q, -1, OP_ID, 4, "double", OP_READ),
                op_arg_dat(f.qold, -1, OP_ID, 4, "double", OP_WRITE));
    for (int half = 0; half < 2; ++half) {
      op_par_loop(adt_calc, "adt_calc", f.cells, op_arg_dat(f.x, 0, f.pcell, 2, "double", OP_READ),
                  op_arg_dat(f.x, 1, f.pcell, 2, "double", OP_READ),
                  op_arg_dat(f.x, 2, f.pcell, 2, "double", OP_READ),
                  op_arg_dat(f.x, 3, f.pcell, 2, "double", OP_READ),
                  op_arg_dat(f.q, -1, OP_ID, 4, "double", OP_READ),
                  op_arg_dat(f.adt, -1, OP_ID, 1, "double", OP_WRITE));
      op_par_loop(res_calc, "res_calc", f.edges, op_arg_dat(f.x, 0, f.pedge, 2, "double", OP_READ),
                  op_arg_dat(f.x, 1, f.pedge, 2, "double", OP_READ),
                  op_arg_dat(f.q, 0, f.pecell, 4, "double", OP_READ),
                  op_arg_dat(f.q, 1, f.pecell, 4, "double", OP_READ),
                  op_arg_dat(f.adt, 0, f.pecell, 1, "double", OP_READ),
                  op_arg_dat(f.adt, 1, f.pecell, 1, "double", OP_READ),
                  op_arg_dat(f.res, 0, f.pecell, 4, "double", OP_INC),
                  op_arg_dat(f.res, 1, f.pecell, 4, "double", OP_INC));
      op_par_loop(bres_calc, "bres_calc", f.bedges,
                  op_arg_dat(f.x, 0, f.pbedge, 2, "double", OP_READ),
                  op_arg_dat(f.x, 1, f.pbedge, 2, "double", OP_READ),
                  op_arg_dat(f.q, 0, f.pbecell, 4, "double", OP_READ),
                  op_arg_dat(f.adt, 0, f.pbecell, 1, "double", OP_READ),
                  op_arg_dat(f.res, 0, f.pbecell, 4, "double", OP_INC),
                  op_arg_dat(f.bound, -1, OP_ID, 1, "int", OP_READ));
      rms = 0;
      op_par_loop(update, "update", f.cells, op_arg_dat(f.qold, -1, OP_ID, 4, "double", OP_READ),
                  op_arg_dat(f.q, -1, OP_ID, 4, "double", OP_WRITE),
                  op_arg_dat(f.res, -1, OP_ID, 4, "double", OP_RW),
                  op_arg_dat(f.adt, -1, OP_ID, 1, "double", OP_READ),
                  op_arg_gbl(&rms, 1, "double", OP_INC));
    }
  }
  return rms;
}

}  // namespace bench
