// SPDX-License-Identifier: BSD-3-Clause
// Three components that spread over tetrahedra, with elementary functions, sums of float and
// double, and extremes; four steps form a chain.
#include <array>
#include <cmath>

#include <same_bits/problem.hpp>

namespace op2::test {
namespace {

constexpr int side = 9;  ///< nodes on each side of a cube

struct Tetrahedra {
  std::vector<double> x;     ///< [nodes x 3]
  std::vector<int> corners;  ///< [tetrahedra x 4]
};

Tetrahedra make_cube() {
  // Six tetrahedra of a cube of eight nodes, node k at (k & 1, k >> 1 & 1, k >> 2).
  constexpr std::array<std::array<int, 4>, 6> split = {
      {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}}};
  Tetrahedra mesh;
  for (int k = 0; k < side; ++k)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i)
        mesh.x.insert(mesh.x.end(), {i + 0.2 * std::sin(j + 2 * k), j + 0.2 * std::cos(i * k),
                                     k + 0.1 * std::sin(3 * i)});
  for (int k = 0; k + 1 < side; ++k)
    for (int j = 0; j + 1 < side; ++j)
      for (int i = 0; i + 1 < side; ++i)
        for (const auto& corners : split)
          for (const int c : corners)
            mesh.corners.push_back(((k + (c >> 2)) * side + j + (c >> 1 & 1)) * side + i + (c & 1));
  return mesh;
}

OP_KERNEL(start, (const double* x, double* state, float* mass), {
  for (int k = 0; k < 3; ++k) state[k] = x[k] * x[(k + 1) % 3] - std::sin(x[(k + 2) % 3]);
  *mass = 0;
});
OP_KERNEL(measure,
          (const double* a, const double* b, const double* c, const double* d, double* volume,
           float* at_a, float* at_b, float* at_c, float* at_d),
          {
            double u[3], v[3], w[3];
            for (int k = 0; k < 3; ++k) {
              u[k] = b[k] - a[k];
              v[k] = c[k] - a[k];
              w[k] = d[k] - a[k];
            }
            *volume = (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
                       u[2] * (v[0] * w[1] - v[1] * w[0])) /
                      6;
            const float quarter = static_cast<float>(*volume / 4);
            *at_a += quarter;
            *at_b += quarter;
            *at_c += quarter;
            *at_d += quarter;
          });
OP_KERNEL(spread,
          (const double* volume, const double* a, const double* b, const double* c, const double* d,
           double* at_a, double* at_b, double* at_c, double* at_d),
          {
            for (int k = 0; k < 3; ++k) {
              const double mean = (a[k] + b[k] + c[k] + d[k]) / 4;
              at_a[k] += *volume * (mean - a[k]);
              at_b[k] += *volume * (mean - b[k]);
              at_c[k] += *volume * (mean - c[k]);
              at_d[k] += *volume * (mean - d[k]);
            }
          });
OP_KERNEL(step,
          (const float* mass, double* change, double* state, double* sums, double* largest,
           float* total),
          {
            for (int k = 0; k < 3; ++k) {
              state[k] += 0.1 * change[k] / *mass * std::exp(-std::pow(state[k] / 64, 2));
              sums[k] += state[k];
              *largest = change[k] > *largest ? change[k] : *largest;
              change[k] = 0;
            }
            *total += *mass;
          });

/// The results of all nodes.
struct Results {
  op_global sums, largest, total;

  Results() {
    const std::array<double, 3> none{};
    const float nothing = 0;
    sums = op_decl_global(3, none.data(), "sums");
    largest = op_decl_global(1, none.data(), "largest");
    total = op_decl_global(1, &nothing, "total");
  }

  void print() const {
    std::array<double, 3> sum{};
    double most = 0;
    float mass = 0;
    op_fetch_global(sums, sum.data());
    op_fetch_global(largest, &most);
    op_fetch_global(total, &mass);
    op_printf("sums %a %a %a, largest %a, total %a\n", sum[0], sum[1], sum[2], most,
              static_cast<double>(mass));
  }
};

}  // namespace

void run_tetrahedra(const Problem& problem) {
  const Tetrahedra mesh = make_cube();
  const Indices of_node = new_indices(static_cast<int>(mesh.x.size() / 3), problem.numbering, 7),
                of_cell =
                    new_indices(static_cast<int>(mesh.corners.size() / 4), problem.numbering, 8);
  const auto x_rows = block_of(renumbered(mesh.x, 3, of_node), 3);
  const auto corner_rows = block_of(renumbered_map(mesh.corners, 4, of_cell, of_node), 4);

  const op_set nodes = op_decl_set(static_cast<int>(x_rows.size() / 3), "nodes");
  const op_set cells = op_decl_set(static_cast<int>(corner_rows.size() / 4), "tetrahedra");
  const op_map corners = op_decl_map(cells, nodes, 4, corner_rows, "corners");
  const op_dat x = op_decl_dat(nodes, 3, x_rows, "x");
  const op_dat state = op_decl_dat(nodes, 3, "double", static_cast<double*>(nullptr), "state"),
               change = op_decl_dat(nodes, 3, "double", static_cast<double*>(nullptr), "change"),
               volume = op_decl_dat(cells, 1, "double", static_cast<double*>(nullptr), "volume");
  const op_dat mass = op_decl_dat(nodes, 1, "float", static_cast<float*>(nullptr), "mass");
  op_partition("PTSCOTCH", "KWAY", cells, corners, x);

  op_par_loop(start, "start", nodes, op_arg_dat(x, OP_READ), op_arg_dat(state, OP_WRITE),
              op_arg_dat(mass, OP_WRITE));
  op_par_loop(measure, "measure", cells, op_arg_dat(x, 0, corners, OP_READ),
              op_arg_dat(x, 1, corners, OP_READ), op_arg_dat(x, 2, corners, OP_READ),
              op_arg_dat(x, 3, corners, OP_READ), op_arg_dat(volume, OP_WRITE),
              op_arg_dat(mass, 0, corners, OP_INC), op_arg_dat(mass, 1, corners, OP_INC),
              op_arg_dat(mass, 2, corners, OP_INC), op_arg_dat(mass, 3, corners, OP_INC));
  const Results results;
  for (int number = 1; number <= 16; ++number) {
    op_par_loop(spread, "spread", cells, op_arg_dat(volume, OP_READ),
                op_arg_dat(state, 0, corners, OP_READ), op_arg_dat(state, 1, corners, OP_READ),
                op_arg_dat(state, 2, corners, OP_READ), op_arg_dat(state, 3, corners, OP_READ),
                op_arg_dat(change, 0, corners, OP_INC), op_arg_dat(change, 1, corners, OP_INC),
                op_arg_dat(change, 2, corners, OP_INC), op_arg_dat(change, 3, corners, OP_INC));
    op_par_loop(step, "step", nodes, op_arg_dat(mass, OP_READ), op_arg_dat(change, OP_RW),
                op_arg_dat(state, OP_RW), op_arg_gbl(results.sums, OP_INC),
                op_arg_gbl(results.largest, OP_MAX), op_arg_gbl(results.total, OP_INC));
    if (number % 4 == 0) results.print();
  }
  op_print_dat_to_binfile(state, (problem.output + ".state").c_str());
  op_print_dat_to_binfile(mass, (problem.output + ".mass").c_str());
}

}  // namespace op2::test
