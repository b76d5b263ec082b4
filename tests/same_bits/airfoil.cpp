// SPDX-License-Identifier: BSD-3-Clause
// The Airfoil example, on a small mesh with any numbering.
#include <same_bits/problem.hpp>

#include <flow.hpp>

namespace op2::test {
namespace {

airfoil::Mesh renumbered_mesh(const airfoil::Mesh& mesh, Numbering numbering) {
  const Indices nodes = new_indices(mesh.nodes(), numbering, 1),
                cells = new_indices(mesh.cells(), numbering, 2),
                edges = new_indices(mesh.edges(), numbering, 3),
                bedges = new_indices(mesh.bedges(), numbering, 4);
  airfoil::Mesh moved;
  moved.x = renumbered(mesh.x, 2, nodes);
  moved.cell_nodes = renumbered_map(mesh.cell_nodes, 4, cells, nodes);
  moved.edge_nodes = renumbered_map(mesh.edge_nodes, 2, edges, nodes);
  moved.edge_cells = renumbered_map(mesh.edge_cells, 2, edges, cells);
  moved.bedge_nodes = renumbered_map(mesh.bedge_nodes, 2, bedges, nodes);
  moved.bedge_cell = renumbered_map(mesh.bedge_cell, 1, bedges, cells);
  moved.bound = renumbered(mesh.bound, 1, bedges);
  return moved;
}

}  // namespace

void run_airfoil(const Problem& problem) {
  const airfoil::Mesh mesh = renumbered_mesh(airfoil::make_c_grid(30, 20), problem.numbering);
  const airfoil::Flow flow = airfoil::declare_flow(airfoil::block_of(mesh, op_rank(), op_ranks()));
  airfoil::Residual residual(true);
  for (int iteration = 1; iteration <= 24; ++iteration) {
    airfoil::iterate(flow, residual);
    if (iteration % 8 == 0) op_printf("residual %a\n", residual.value());
  }
  op_print_dat_to_binfile(flow.q, (problem.output + ".q").c_str());
  op_print_dat_to_binfile(flow.adt, (problem.output + ".adt").c_str());
}

}  // namespace op2::test
