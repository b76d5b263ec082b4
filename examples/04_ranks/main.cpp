// SPDX-License-Identifier: BSD-3-Clause
// Lesson 4: heat spreads over a square of cells, on any number of ranks: mpirun -np 4 04_ranks
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include <op2/op2.hpp>

constexpr int side = 40;                       // cells along each side
constexpr int all_cells = side * side;
constexpr int all_edges = 2 * side * (side - 1);  // between two cells

OP_KERNEL(flow, (const double* heat1, const double* heat2, double* gain1, double* gain2), {
  const double moved = 0.2 * (*heat1 - *heat2);
  *gain1 -= moved;
  *gain2 += moved;
});

OP_KERNEL(update, (double* heat, double* gain, double* change), {
  *heat += *gain;
  *change += *gain * *gain;
  *gain = 0;
});

// The block of `all` elements that this rank declares; blocks are contiguous, in the order of the
// ranks. (If every rank declared the whole mesh, there would be one copy per rank.)
struct Block {
  int begin, end;
};
Block block_of(int all) {
  return {static_cast<int>(std::int64_t{all} * op_rank() / op_ranks()),
          static_cast<int>(std::int64_t{all} * (op_rank() + 1) / op_ranks())};
}

// The global indices of the two cells of an edge: the first half of the edges connects neighbours
// in a row, the second half neighbours in a column.
void append_cells(int edge, std::vector<int>& cells) {
  const int half = all_edges / 2, k = edge % half;
  const int across = edge < half;
  const int cell = across ? k / (side - 1) * side + k % (side - 1) : k;
  cells.insert(cells.end(), {cell, cell + (across ? 1 : side)});
}

void run() {
  const Block cell_block = block_of(all_cells), edge_block = block_of(all_edges);
  std::vector<double> heat_values, coordinates;
  for (int k = cell_block.begin; k < cell_block.end; ++k) {
    heat_values.push_back(k == all_cells / 2 + side / 2 ? 1000 : 0);
    coordinates.insert(coordinates.end(), {double(k % side), double(k / side)});
  }
  std::vector<int> edge_cells;
  for (int k = edge_block.begin; k < edge_block.end; ++k) append_cells(k, edge_cells);

  const op_set cells = op_decl_set(cell_block.end - cell_block.begin, "cells");
  const op_set edges = op_decl_set(edge_block.end - edge_block.begin, "edges");
  const op_map ends = op_decl_map(edges, cells, 2, edge_cells, "ends");
  const op_dat heat = op_decl_dat(cells, 1, heat_values, "heat");
  const op_dat position = op_decl_dat(cells, 2, coordinates, "position");
  const double* zeros = nullptr;
  const op_dat gain = op_decl_dat(cells, 1, zeros, "gain");
  // From here on each rank owns a compact part of the square. Without it each rank owns its block.
  op_partition("PTSCOTCH", "KWAY", cells, ends, position);

  const double zero = 0;
  const op_global change = op_decl_global(1, &zero, "change");
  for (int step = 1; step <= 200; ++step) {
    op_set_global(change, &zero);
    op_par_loop(flow, "flow", edges,
                op_arg_dat(heat, 0, ends, OP_READ), op_arg_dat(heat, 1, ends, OP_READ),
                op_arg_dat(gain, 0, ends, OP_INC), op_arg_dat(gain, 1, ends, OP_INC));
    op_par_loop(update, "update", cells,
                op_arg_dat(heat, OP_RW), op_arg_dat(gain, OP_RW), op_arg_gbl(change, OP_INC));
    if (step % 50 != 0) continue;
    double sum = 0;  // equal on all ranks
    op_fetch_global(change, &sum);
    op_printf("step %3d: change %.6e\n", step, std::sqrt(sum));
  }
  op_print_dat_to_txtfile(heat, "heat.txt");  // the whole square, in the declared order
}

int main(int argc, char** argv) {
  try {
    op_init(argc, argv);
    run();
    op_exit();
  } catch (const std::exception& error) {
    // An error that occurs on all ranks is thrown, and so printed, on all of them; but it may be of
    // this rank alone.
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
