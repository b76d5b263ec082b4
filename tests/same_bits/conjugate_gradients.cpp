// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation on triangles, by conjugate gradients without a matrix: each step length is
// made of two sums, so a bit that differs spreads over all values.
#include <algorithm>
#include <cmath>

#include <same_bits/problem.hpp>

namespace op2::test {
namespace {

constexpr int side = 25;  ///< nodes on each side of a square

struct Triangles {
  std::vector<double> x;         ///< [nodes x 2]
  std::vector<double> is_inner;  ///< 1, on the boundary 0; [nodes]
  std::vector<int> corners;      ///< [triangles x 3]
};

Triangles make_square() {
  Triangles mesh;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const bool inner = i > 0 && j > 0 && i < side - 1 && j < side - 1;
      mesh.x.insert(mesh.x.end(), {i + 0.3 * std::sin(j), j + 0.2 * std::cos(3 * i)});
      mesh.is_inner.push_back(inner ? 1 : 0);
    }
  for (int j = 0; j + 1 < side; ++j)
    for (int i = 0; i + 1 < side; ++i) {
      const int low = j * side + i, high = low + side;
      mesh.corners.insert(mesh.corners.end(), {low, low + 1, high, low + 1, high + 1, high});
    }
  return mesh;
}

OP_KERNEL(stiffness, (const double* a, const double* b, const double* c, double* matrix), {
  const double dx[3] = {c[0] - b[0], a[0] - c[0], b[0] - a[0]};
  const double dy[3] = {c[1] - b[1], a[1] - c[1], b[1] - a[1]};
  const double twice = dx[2] * -dy[1] + dy[2] * dx[1];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) matrix[3 * i + j] = (dx[i] * dx[j] + dy[i] * dy[j]) / (2 * twice);
});
OP_KERNEL(clear, (double* product), { *product = 0; });
OP_KERNEL(multiply,
          (const double* matrix, const double* a, const double* b, const double* c, double* at_a,
           double* at_b, double* at_c),
          {
            *at_a += matrix[0] * *a + matrix[1] * *b + matrix[2] * *c;
            *at_b += matrix[3] * *a + matrix[4] * *b + matrix[5] * *c;
            *at_c += matrix[6] * *a + matrix[7] * *b + matrix[8] * *c;
          });
OP_KERNEL(curvature, (const double* is_inner, const double* p, double* product, double* sum), {
  *product *= *is_inner;
  *sum += *p * *product;
});
OP_KERNEL(advance,
          (const double* length, const double* p, const double* product, double* u, double* r,
           double* sum),
          {
            *u += *length * *p;
            *r -= *length * *product;
            *sum += *r * *r;
          });
OP_KERNEL(turn, (const double* factor, const double* r, double* p), { *p = *r + *factor * *p; });

}  // namespace

void run_conjugate_gradients(const Problem& problem) {
  const Triangles mesh = make_square();
  const auto node_count = static_cast<int>(mesh.is_inner.size());
  const auto cell_count = static_cast<int>(mesh.corners.size() / 3);
  const Indices of_node = new_indices(node_count, problem.numbering, 5),
                of_cell = new_indices(cell_count, problem.numbering, 6);
  const auto x_rows = block_of(renumbered(mesh.x, 2, of_node), 2);
  const auto inner_rows = block_of(renumbered(mesh.is_inner, 1, of_node), 1);
  const auto corner_rows = block_of(renumbered_map(mesh.corners, 3, of_cell, of_node), 3);

  const op_set nodes = op_decl_set(static_cast<int>(inner_rows.size()), "nodes");
  const op_set cells = op_decl_set(static_cast<int>(corner_rows.size() / 3), "triangles");
  const op_map corners = op_decl_map(cells, nodes, 3, corner_rows, "corners");
  const op_dat x = op_decl_dat(nodes, 2, x_rows, "x");
  const op_dat is_inner = op_decl_dat(nodes, 1, inner_rows, "is_inner");
  const op_dat p = op_decl_dat(nodes, 1, inner_rows, "p"),
               r = op_decl_dat(nodes, 1, inner_rows, "r"),
               u = op_decl_dat(nodes, 1, "double", static_cast<double*>(nullptr), "u"),
               product = op_decl_dat(nodes, 1, "double", static_cast<double*>(nullptr), "product");
  const op_dat matrix = op_decl_dat(cells, 9, "double", static_cast<double*>(nullptr), "matrix");
  op_partition("PTSCOTCH", "KWAY", cells, corners, x);

  op_par_loop(stiffness, "stiffness", cells, op_arg_dat(x, 0, corners, OP_READ),
              op_arg_dat(x, 1, corners, OP_READ), op_arg_dat(x, 2, corners, OP_READ),
              op_arg_dat(matrix, OP_WRITE));
  auto before = static_cast<double>(std::ranges::count(mesh.is_inner, 1.0));  // the sum of r * r
  for (int step = 0; step < 20; ++step) {
    double sum = 0, after = 0;
    op_par_loop(clear, "clear", nodes, op_arg_dat(product, OP_WRITE));
    op_par_loop(multiply, "multiply", cells, op_arg_dat(matrix, OP_READ),
                op_arg_dat(p, 0, corners, OP_READ), op_arg_dat(p, 1, corners, OP_READ),
                op_arg_dat(p, 2, corners, OP_READ), op_arg_dat(product, 0, corners, OP_INC),
                op_arg_dat(product, 1, corners, OP_INC), op_arg_dat(product, 2, corners, OP_INC));
    op_par_loop(curvature, "curvature", nodes, op_arg_dat(is_inner, OP_READ),
                op_arg_dat(p, OP_READ), op_arg_dat(product, OP_RW),
                op_arg_gbl(&sum, 1, "double", OP_INC));
    double length = before / sum;
    op_par_loop(advance, "advance", nodes, op_arg_gbl(&length, 1, "double", OP_READ),
                op_arg_dat(p, OP_READ), op_arg_dat(product, OP_READ), op_arg_dat(u, OP_RW),
                op_arg_dat(r, OP_RW), op_arg_gbl(&after, 1, "double", OP_INC));
    double factor = after / before;
    op_par_loop(turn, "turn", nodes, op_arg_gbl(&factor, 1, "double", OP_READ),
                op_arg_dat(r, OP_READ), op_arg_dat(p, OP_RW));
    before = after;
    op_printf("residual %a\n", after);
  }
  op_print_dat_to_binfile(u, (problem.output + ".u").c_str());
  op_print_dat_to_binfile(r, (problem.output + ".r").c_str());
}

}  // namespace op2::test
