// SPDX-License-Identifier: BSD-3-Clause
// A small graph, two loops over it and what they must yield; with the public interface alone.
#pragma once

#include <cstdint>
#include <vector>

#include <op2/op2.hpp>

namespace op2::test {

/// Known to every rank as a whole. All values stay whole numbers, so sums do not depend on order.
struct Graph {
  int cells = 0;
  std::vector<int> ends;  ///< of the edges, shape [edges x 2]

  int edges() const { return static_cast<int>(ends.size() / 2); }

  /// Adds cells that edges join to a ring.
  void add_ring(int length) {
    for (int k = 0; k < length; ++k) {
      ends.push_back(cells + k);
      ends.push_back(cells + (k + 1) % length);
    }
    cells += length;
  }
};

inline Graph ring(int length) {
  Graph graph;
  graph.add_ring(length);
  return graph;
}

inline double first_state(int cell) {
  return cell % 17;
}

/// Global numbers begin .. end - 1.
struct Block {
  int begin, end;
  int size() const { return end - begin; }
};

inline Block equal_block(int count) {
  const auto bound = [&](std::int64_t rank) { return static_cast<int>(rank * count / op_ranks()); };
  return {bound(op_rank()), bound(op_rank() + 1)};
}

/// Everything belongs to the last rank.
inline Block all_on_the_last(int count) {
  return {op_rank() + 1 == op_ranks() ? 0 : count, count};
}

struct DeclaredGraph {
  op_set cells, edges;
  op_map ends;
  op_dat state, flux;
  Block my_cells, my_edges;
};

inline DeclaredGraph declare(const Graph& graph, Block (*block)(int) = equal_block) {
  DeclaredGraph d{};
  d.my_cells = block(graph.cells);
  d.my_edges = block(graph.edges());
  d.cells = op_decl_set(d.my_cells.size(), "cells");
  d.edges = op_decl_set(d.my_edges.size(), "edges");
  d.ends = op_decl_map(d.edges, d.cells, 2, graph.ends.data() + 2 * d.my_edges.begin, "ends");
  std::vector<double> state;
  for (int cell = d.my_cells.begin; cell < d.my_cells.end; ++cell)
    state.push_back(first_state(cell));
  d.state = op_decl_dat(d.cells, 1, "double", state.data(), "state");
  d.flux = op_decl_dat<double>(d.cells, 1, "double", nullptr, "flux");
  return d;
}

OP_KERNEL(flow, (const double* a, const double* b, double* into_a, double* into_b), {
  *into_a += *b;
  *into_b += *a;
});
OP_KERNEL(update, (double* state, double* flux), {
  *state = *flux - *state;
  *flux = 0;
});

inline void run_flow(const DeclaredGraph& d) {
  op_par_loop(flow, "flow", d.edges, op_arg_dat(d.state, 0, d.ends, OP_READ),
              op_arg_dat(d.state, 1, d.ends, OP_READ), op_arg_dat(d.flux, 0, d.ends, OP_INC),
              op_arg_dat(d.flux, 1, d.ends, OP_INC));
}

inline void run_update(const DeclaredGraph& d) {
  op_par_loop(update, "update", d.cells, op_arg_dat(d.state, OP_RW), op_arg_dat(d.flux, OP_RW));
}

inline void run_steps(const DeclaredGraph& d, int steps) {
  for (int step = 0; step < steps; ++step) {
    run_flow(d);
    run_update(d);
  }
}

/// The state of all cells after so many steps.
inline std::vector<double> expected_state(const Graph& graph, int steps) {
  std::vector<double> state;
  for (int cell = 0; cell < graph.cells; ++cell) state.push_back(first_state(cell));
  for (int step = 0; step < steps; ++step) {
    std::vector<double> flux(state.size());
    for (std::size_t edge = 0; edge < graph.ends.size(); edge += 2) {
      const auto a = static_cast<std::size_t>(graph.ends[edge]);
      const auto b = static_cast<std::size_t>(graph.ends[edge + 1]);
      flux[a] += state[b];
      flux[b] += state[a];
    }
    for (std::size_t cell = 0; cell < state.size(); ++cell) state[cell] = flux[cell] - state[cell];
  }
  return state;
}

}  // namespace op2::test
