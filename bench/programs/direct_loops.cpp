// SPDX-License-Identifier: BSD-3-Clause
#include "direct_loops.hpp"

#include <airfoil/kernels.hpp>

namespace bench {

DirectAirfoil::DirectAirfoil(const airfoil::Mesh& m)
    : mesh(m), q(4 * m.cells()), qold(q.size()), res(q.size()), adt(m.cells()) {
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = airfoil::qinf[i % 4];
}

void save_soln(int begin, int end, DirectAirfoil& d) {
  for (int c = begin; c < end; ++c) airfoil::save_soln_host(&d.q[4 * c], &d.qold[4 * c]);
}

void restore_soln(int begin, int end, DirectAirfoil& d) {
  for (int c = begin; c < end; ++c) airfoil::save_soln_host(&d.qold[4 * c], &d.q[4 * c]);
}

void adt_calc(int begin, int end, DirectAirfoil& d) {
  const double* x = d.mesh.x.data();
  for (int c = begin; c < end; ++c) {
    const int* node = &d.mesh.cell_nodes[4 * c];
    airfoil::adt_calc_host(x + 2 * node[0], x + 2 * node[1], x + 2 * node[2], x + 2 * node[3],
                           &d.q[4 * c], &d.adt[c]);
  }
}

void res_calc(int begin, int end, DirectAirfoil& d) {
  const double* x = d.mesh.x.data();
  for (int e = begin; e < end; ++e) {
    const int *node = &d.mesh.edge_nodes[2 * e], *cell = &d.mesh.edge_cells[2 * e];
    airfoil::res_calc_host(x + 2 * node[0], x + 2 * node[1], &d.q[4 * cell[0]], &d.q[4 * cell[1]],
                           &d.adt[cell[0]], &d.adt[cell[1]], &d.res[4 * cell[0]],
                           &d.res[4 * cell[1]]);
  }
}

void bres_calc(int begin, int end, DirectAirfoil& d) {
  const double* x = d.mesh.x.data();
  for (int b = begin; b < end; ++b) {
    const int* node = &d.mesh.bedge_nodes[2 * b];
    const int cell = d.mesh.bedge_cell[b];
    airfoil::bres_calc_host(x + 2 * node[0], x + 2 * node[1], &d.q[4 * cell], &d.adt[cell],
                            &d.res[4 * cell], &d.mesh.bound[b]);
  }
}

void update(int begin, int end, DirectAirfoil& d) {
  double rms = 0;
  for (int c = begin; c < end; ++c) {
    airfoil::update_host(&d.qold[4 * c], &d.q[4 * c], &d.res[4 * c], &d.adt[c], &rms);
  }
  d.rms += rms;
}

}  // namespace bench
