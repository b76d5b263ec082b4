// SPDX-License-Identifier: BSD-3-Clause
#include "chain.hpp"

#include "kernels.hpp"

namespace loop_chain {

namespace {

void queue_update(const Mesh& m) {
  op_par_loop(update, "update", m.edges,
              op_arg_dat(m.state, 0, m.edge_nodes, OP_READ),
              op_arg_dat(m.state, 1, m.edge_nodes, OP_READ),
              op_arg_dat(m.weight, OP_READ),
              op_arg_dat(m.first, 0, m.edge_nodes, OP_INC),
              op_arg_dat(m.first, 1, m.edge_nodes, OP_INC),
              op_arg_dat(m.second, 0, m.edge_nodes, OP_INC),
              op_arg_dat(m.second, 1, m.edge_nodes, OP_INC));
}

void queue_update_with_feedback(const Mesh& m) {
  op_par_loop(update_with_feedback, "update_with_feedback", m.edges,
              op_arg_dat(m.state, 0, m.edge_nodes, OP_READ),
              op_arg_dat(m.state, 1, m.edge_nodes, OP_READ),
              op_arg_dat(m.flux, 0, m.edge_nodes, OP_READ),
              op_arg_dat(m.flux, 1, m.edge_nodes, OP_READ),
              op_arg_dat(m.weight, OP_READ),
              op_arg_dat(m.first, 0, m.edge_nodes, OP_INC),
              op_arg_dat(m.first, 1, m.edge_nodes, OP_INC),
              op_arg_dat(m.second, 0, m.edge_nodes, OP_INC),
              op_arg_dat(m.second, 1, m.edge_nodes, OP_INC));
}

void queue_edge_flux(const Mesh& m) {
  op_par_loop(edge_flux, "edge_flux", m.edges,
              op_arg_dat(m.first, 0, m.edge_nodes, OP_READ),
              op_arg_dat(m.first, 1, m.edge_nodes, OP_READ),
              op_arg_dat(m.second, 0, m.edge_nodes, OP_READ),
              op_arg_dat(m.second, 1, m.edge_nodes, OP_READ),
              op_arg_dat(m.weight, OP_READ),
              op_arg_dat(m.flux, 0, m.edge_nodes, OP_INC),
              op_arg_dat(m.flux, 1, m.edge_nodes, OP_INC));
}

}  // namespace

Mesh declare_mesh(const Grid& grid) {
  op_decl_const(1, &feedback, "feedback");
  const Block block = make_block(grid, op_rank(), op_ranks());
  const double* zeros = nullptr;
  Mesh mesh{};
  mesh.nodes = op_decl_set(block.nodes(), "nodes");
  mesh.edges = op_decl_set(block.edges(), "edges");
  mesh.edge_nodes = op_decl_map(mesh.edges, mesh.nodes, 2, block.edge_nodes, "edge_nodes");
  mesh.x = op_decl_dat(mesh.nodes, grid.dim, block.x, "x");
  mesh.mode = op_decl_dat(mesh.nodes, components, block.mode, "mode");
  mesh.weight = op_decl_dat(mesh.edges, kinds, block.weight, "weight");
  mesh.state = op_decl_dat(mesh.nodes, components, zeros, "state");
  mesh.first = op_decl_dat(mesh.nodes, components, zeros, "first");
  mesh.second = op_decl_dat(mesh.nodes, components, zeros, "second");
  mesh.flux = op_decl_dat(mesh.nodes, components, zeros, "flux");
  return mesh;
}

void prepare_inputs(const Mesh& mesh, double amplitude) {
  op_par_loop(prepare, "prepare", mesh.nodes,
              op_arg_dat(mesh.mode, OP_READ),
              op_arg_gbl(&amplitude, 1, "double", OP_READ),
              op_arg_dat(mesh.state, OP_WRITE),
              op_arg_dat(mesh.first, OP_WRITE),
              op_arg_dat(mesh.second, OP_WRITE),
              op_arg_dat(mesh.flux, OP_WRITE));
  op_flush();
}

void queue_chain(const Mesh& mesh, int pairs, bool with_feedback) {
  for (int pair = 0; pair < pairs; ++pair) {
    with_feedback ? queue_update_with_feedback(mesh) : queue_update(mesh);
    queue_edge_flux(mesh);
  }
}

State expected_flux(const Grid& grid, int pairs, bool with_feedback) {
  const State first_factor = eigenvalues(grid, 0), second_factor = eigenvalues(grid, 1);
  State flux{};
  for (int c = 0; c < components; ++c) {
    double first = 0, second = 0;
    for (int pair = 0; pair < pairs; ++pair) {
      const double state = with_feedback ? 1 + feedback * flux[c] : 1;
      first += first_factor[c] * state;
      second += second_factor[c] * state;
      flux[c] += first_factor[c] * first + second_factor[c] * second;
    }
  }
  return flux;
}

Comparison compare_flux(const Mesh& mesh, const State& expected) {
  Comparison result;
  op_par_loop(compare, "compare", mesh.nodes,
              op_arg_dat(mesh.flux, OP_READ),
              op_arg_dat(mesh.mode, OP_READ),
              op_arg_gbl(expected, components, "double", OP_READ),
              op_arg_gbl(&result.deviation, 1, "double", OP_MAX),
              op_arg_gbl(&result.sum_of_squares, 1, "double", OP_INC));
  return result;
}

}  // namespace loop_chain
