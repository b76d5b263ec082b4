// SPDX-License-Identifier: BSD-3-Clause
// Lesson 7: an implicit solver in 3D. Heat flows through the wall of a pipe, from the temperature 1
// inside to 0 outside: linear finite elements on tetrahedra, conjugate gradients without a matrix.
// README.md has the commands.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include <op2/hdf5.hpp>
#include <op2/op2.hpp>

// Between two nodes of a tetrahedron, heat flows as between the ends of a wire: the difference of
// their temperatures times a conductance, which is minus an entry of the element's matrix,
// -volume * gradient_i . gradient_j. The gradient of the linear function that is 1 at a corner and 0
// at the others is the area of the opposite side, inwards, divided by three times the volume.
// conductance: of the wires 01, 02, 03, 12, 13, 23. diagonal: of the matrix. share: of a node, one
// quarter of the volume.
OP_KERNEL(find_conductances, (const double* const* x, double* conductance, double* const* diagonal,
                              double* const* share), {
  double side[3][3];  // from corner 0 to the others
  for (int k = 0; k < 3; ++k)
    for (int d = 0; d < 3; ++d) side[k][d] = x[k + 1][d] - x[0][d];
  double area[4][3];  // twice the areas of the sides, as vectors
  for (int d = 0; d < 3; ++d) {
    const int e = (d + 1) % 3;
    const int f = (d + 2) % 3;
    for (int k = 0; k < 3; ++k) {
      const double* a = side[(k + 1) % 3];
      const double* b = side[(k + 2) % 3];
      area[k + 1][d] = a[e] * b[f] - a[f] * b[e];
    }
    area[0][d] = -area[1][d] - area[2][d] - area[3][d];
  }
  const double volume6 =
      side[0][0] * area[1][0] + side[0][1] * area[1][1] + side[0][2] * area[1][2];
  int wire = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) {
      const double product =
          area[i][0] * area[j][0] + area[i][1] * area[j][1] + area[i][2] * area[j][2];
      conductance[wire] = -product / (6 * volume6);
      diagonal[i][0] += conductance[wire];
      diagonal[j][0] += conductance[wire];
      ++wire;
    }
  for (int i = 0; i < 4; ++i) share[i][0] += volume6 / 24;
});

// The matrix times a vector t: the heat that leaves each node.
OP_KERNEL(conduct, (const double* conductance, const double* const* t, double* const* heat), {
  const double flow01 = conductance[0] * (t[0][0] - t[1][0]);
  const double flow02 = conductance[1] * (t[0][0] - t[2][0]);
  const double flow03 = conductance[2] * (t[0][0] - t[3][0]);
  const double flow12 = conductance[3] * (t[1][0] - t[2][0]);
  const double flow13 = conductance[4] * (t[1][0] - t[3][0]);
  const double flow23 = conductance[5] * (t[2][0] - t[3][0]);
  heat[0][0] += flow01 + flow02 + flow03;
  heat[1][0] += flow12 + flow13 - flow01;
  heat[2][0] += flow23 - flow02 - flow12;
  heat[3][0] -= flow03 + flow13 + flow23;
});

// Counts the boundary faces of a node: several of them have it, so the count is an increment.
OP_KERNEL(mark, (double* const* faces), {
  for (int k = 0; k < 3; ++k) faces[k][0] += 1;
});

// The start. weight: one over the diagonal where the temperature is sought, 0 where it is given.
// With it as preconditioner, what is given never changes.
OP_KERNEL(set_given, (const double* inside, const double* outside, const double* diagonal,
                      double* weight, double* t), {
  *t = *inside > 0 ? 1 : 0;
  *weight = *inside > 0 || *outside > 0 ? 0 : 1 / *diagonal;
});
OP_KERNEL(begin, (const double* weight, double* heat, double* residual, double* direction,
                  double* square), {
  *residual = -*heat;
  *heat = 0;
  *direction = *weight * *residual;
  *square += *residual * *direction;
});

// An iteration. square: residual . weight . residual; curvature: direction . matrix . direction.
// Both are 0 when nothing is left to do.
OP_KERNEL(find_curvature, (const double* direction, const double* heat, double* curvature), {
  *curvature += *direction * *heat;
});
OP_KERNEL(go, (const double* square, const double* curvature, const double* direction,
               const double* weight, double* t, double* residual, double* heat, double* next), {
  const double length = *curvature > 0 ? *square / *curvature : 0;
  *t += length * *direction;
  *residual -= length * *heat;
  *heat = 0;
  *next += *weight * *residual * *residual;
});
OP_KERNEL(turn, (const double* square, const double* next, const double* weight,
                 const double* residual, double* direction), {
  *direction = *weight * *residual + (*square > 0 ? *next / *square : 0) * *direction;
});

// The known solution depends on the radius r alone: log(2 / r) / log(2).
OP_KERNEL(compare, (const double* x, const double* t, const double* share, double* square), {
  const double error = *t - (1 - 0.5 * std::log2(x[0] * x[0] + x[1] * x[1]));
  *square += *share * error * error;
});
OP_KERNEL(add_heat, (const double* inside, const double* heat, double* total), {
  *total += *inside > 0 ? *heat : 0;
});

struct Pipe {
  op_set nodes, cells;
  op_map corners;
  op_dat x, conductance, share, inside, weight, t;
};

op_dat zeros(op_set set, int dim, const char* name) {
  return op_decl_dat(set, dim, "double", static_cast<double*>(nullptr), name);
}

// How many faces of the boundary group each node has.
op_dat find_nodes_of(const std::string& group, op_set nodes, op_set faces, op_map corners) {
  const op_dat count = zeros(nodes, 1, group.c_str());
  op_par_loop(mark, "mark", faces, op_arg_dat(count, -3, corners, OP_INC));
  return count;
}

Pipe declare(const char* file) {
  const op_set nodes = op_decl_set_hdf5(file, "nodes"), cells = op_decl_set_hdf5(file, "cells"),
               inner = op_decl_set_hdf5(file, "boundary/inside/faces"),
               outer = op_decl_set_hdf5(file, "boundary/outside/faces");
  const op_map corners = op_decl_map_hdf5(cells, nodes, 4, file, "cell_nodes"),
               inner_nodes = op_decl_map_hdf5(inner, nodes, 3, file, "boundary/inside/nodes"),
               outer_nodes = op_decl_map_hdf5(outer, nodes, 3, file, "boundary/outside/nodes");
  const op_dat x = op_decl_dat_hdf5(nodes, 3, "double", file, "x"),
               conductance = zeros(cells, 6, "conductance"), diagonal = zeros(nodes, 1, "diagonal"),
               share = zeros(nodes, 1, "share"), weight = zeros(nodes, 1, "weight"),
               t = zeros(nodes, 1, "temperature");
  op_partition("PTSCOTCH", "KWAY", nodes, corners, x);

  op_par_loop(find_conductances, "find_conductances", cells, op_arg_dat(x, -4, corners, OP_READ),
              op_arg_dat(conductance, OP_WRITE), op_arg_dat(diagonal, -4, corners, OP_INC),
              op_arg_dat(share, -4, corners, OP_INC));
  const op_dat inside = find_nodes_of("inside", nodes, inner, inner_nodes),
               outside = find_nodes_of("outside", nodes, outer, outer_nodes);
  op_par_loop(set_given, "set_given", nodes, op_arg_dat(inside, OP_READ),
              op_arg_dat(outside, OP_READ), op_arg_dat(diagonal, OP_READ),
              op_arg_dat(weight, OP_WRITE), op_arg_dat(t, OP_WRITE));
  return {nodes, cells, corners, x, conductance, share, inside, weight, t};
}

void multiply(const Pipe& pipe, op_dat t, op_dat heat) {
  op_par_loop(conduct, "conduct", pipe.cells, op_arg_dat(pipe.conductance, OP_READ),
              op_arg_dat(t, -4, pipe.corners, OP_READ), op_arg_dat(heat, -4, pipe.corners, OP_INC));
}

// Conjugate gradients until the residual is 1e-10 of the first one. Only every tenth iteration asks
// for a number; until then nothing has to be computed. Returns the iterations.
int solve(const Pipe& pipe, op_dat heat) {
  const double zero = 0;
  const op_dat residual = zeros(pipe.nodes, 1, "residual"),
               direction = zeros(pipe.nodes, 1, "direction");
  const op_global curvature = op_decl_global(1, &zero, "curvature");
  op_global square = op_decl_global(1, &zero, "square"), next = op_decl_global(1, &zero, "next");

  multiply(pipe, pipe.t, heat);
  op_par_loop(begin, "begin", pipe.nodes, op_arg_dat(pipe.weight, OP_READ), op_arg_dat(heat, OP_RW),
              op_arg_dat(residual, OP_WRITE), op_arg_dat(direction, OP_WRITE),
              op_arg_gbl(square, OP_INC));
  double first = 0, last = 0;
  op_fetch_global(square, &first);
  for (int iteration = 1; iteration <= 10000; ++iteration) {
    multiply(pipe, direction, heat);
    op_set_global(curvature, &zero);
    op_par_loop(find_curvature, "find_curvature", pipe.nodes, op_arg_dat(direction, OP_READ),
                op_arg_dat(heat, OP_READ), op_arg_gbl(curvature, OP_INC));
    op_set_global(next, &zero);
    op_par_loop(go, "go", pipe.nodes, op_arg_gbl(square, OP_READ), op_arg_gbl(curvature, OP_READ),
                op_arg_dat(direction, OP_READ), op_arg_dat(pipe.weight, OP_READ),
                op_arg_dat(pipe.t, OP_RW), op_arg_dat(residual, OP_RW), op_arg_dat(heat, OP_RW),
                op_arg_gbl(next, OP_INC));
    op_par_loop(turn, "turn", pipe.nodes, op_arg_gbl(square, OP_READ), op_arg_gbl(next, OP_READ),
                op_arg_dat(pipe.weight, OP_READ), op_arg_dat(residual, OP_READ),
                op_arg_dat(direction, OP_RW));
    std::swap(square, next);
    if (iteration % 10 != 0) continue;
    op_fetch_global(square, &last);
    op_printf("iteration %4d  residual %.1e\n", iteration, std::sqrt(last / first));
    if (last <= 1e-20 * first) return iteration;
  }
  throw std::runtime_error("no convergence in 10000 iterations: is the mesh one of a pipe?");
}

void run(const char* file) {
  const Pipe pipe = declare(file);
  const op_dat heat = zeros(pipe.nodes, 1, "heat");
  const int iterations = solve(pipe, heat);

  double square = 0, total = 0;  // these loops end here with a number, the temperature is complete
  op_par_loop(compare, "compare", pipe.nodes, op_arg_dat(pipe.x, OP_READ),
              op_arg_dat(pipe.t, OP_READ), op_arg_dat(pipe.share, OP_READ),
              op_arg_gbl(&square, 1, "double", OP_INC));
  multiply(pipe, pipe.t, heat);
  op_par_loop(add_heat, "add_heat", pipe.nodes, op_arg_dat(pipe.inside, OP_READ),
              op_arg_dat(heat, OP_READ), op_arg_gbl(&total, 1, "double", OP_INC));
  const double known = std::numbers::pi / 2 / std::numbers::ln2;
  op_printf("%d nodes, %d iterations: error %.3e, heat %.6f, known %.6f\n",
            static_cast<int>(op_get_size(pipe.nodes)), iterations, std::sqrt(square), total, known);
  op_write_pvtu("temperature.pvtu", pipe.corners, pipe.x, {&pipe.t, 1});
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s PIPE.h5, where op2-mesh has made the mesh\n", argv[0]);
    return EXIT_FAILURE;
  }
  try {
    op_init(argc, argv);
    run(argv[1]);
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());  // on every rank: it may be of this rank alone
    return EXIT_FAILURE;
  }
}
