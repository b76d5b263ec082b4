// SPDX-License-Identifier: BSD-3-Clause
// Kernels as users write them (helpers, local arrays, loops with constant bounds) on one thread: by
// the library against the sequential loops of the same source by the host compiler, in turns in one
// process. One line of JSON per kernel.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <op2/op2.hpp>

#include "kernel_loops.hpp"
#include "stopwatch.hpp"

namespace bench {
namespace {

struct Settings {
  int side = 48, rounds = 5, repeats = 3;
  std::vector<std::string> only;
  bool agree_only = false;
};

/// Smooth values that differ from row to row; those of component 0 are 1 to 1.2.
std::vector<double> values(int rows, int dim, double offset = 0) {
  std::vector<double> list(static_cast<std::size_t>(rows) * dim);
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < dim; ++k)
      list[static_cast<std::size_t>(r) * dim + k] =
          offset + 0.1 * std::sin(0.37 * r + 1.7 * k) + 0.05 * std::cos(0.011 * r * (k + 1));
  return list;
}

/// A grid of side^3 nodes in lexicographic order.
struct Grid {
  explicit Grid(int nodes_of_side) : side(nodes_of_side) {}
  int node(int i, int j, int k) const { return (k * side + j) * side + i; }
  int nodes() const { return side * side * side; }

  std::vector<int> hexahedra() const {
    std::vector<int> list;
    for (int k = 0; k + 1 < side; ++k)
      for (int j = 0; j + 1 < side; ++j)
        for (int i = 0; i + 1 < side; ++i)
          for (int a = 0; a < 8; ++a)
            list.push_back(node(i + (a & 1), j + (a >> 1 & 1), k + (a >> 2)));
    return list;
  }

  /// Five for each cube.
  std::vector<int> tetrahedra() const {
    constexpr int corners[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}, {1, 2, 4, 7}};
    std::vector<int> list;
    for (int k = 0; k + 1 < side; ++k)
      for (int j = 0; j + 1 < side; ++j)
        for (int i = 0; i + 1 < side; ++i)
          for (const auto& tetrahedron : corners)
            for (const int a : tetrahedron)
              list.push_back(node(i + (a & 1), j + (a >> 1 & 1), k + (a >> 2)));
    return list;
  }

  /// Between neighbours, those of one node together.
  std::vector<int> faces() const {
    std::vector<int> list;
    for (int k = 0; k < side; ++k)
      for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
          const int here = node(i, j, k);
          if (i + 1 < side) list.insert(list.end(), {here, node(i + 1, j, k)});
          if (j + 1 < side) list.insert(list.end(), {here, node(i, j + 1, k)});
          if (k + 1 < side) list.insert(list.end(), {here, node(i, j, k + 1)});
        }
    return list;
  }

  /// The six neighbours of each node; at the border those of the other side.
  std::vector<int> around() const {
    std::vector<int> list;
    const auto in = [this](int i) { return (i + side) % side; };
    for (int k = 0; k < side; ++k)
      for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i)
          list.insert(list.end(), {node(in(i - 1), j, k), node(in(i + 1), j, k),
                                   node(i, in(j - 1), k), node(i, in(j + 1), k),
                                   node(i, j, in(k - 1)), node(i, j, in(k + 1))});
    return list;
  }

  std::vector<double> coordinates() const {
    std::vector<double> list;
    const std::vector<double> noise = values(nodes(), 3);
    for (int n = 0; n < nodes(); ++n)
      for (int d = 0; d < 3; ++d)
        list.push_back((d == 0 ? n % side : d == 1 ? n / side % side : n / side / side) +
                       noise[3 * static_cast<std::size_t>(n) + d]);
    return list;
  }

  const int side;
};

/// Quadratic triangles in the plane: corners at even positions of a grid of n x n nodes.
std::vector<int> quadratic_triangles(int n) {
  std::vector<int> list;
  const auto node = [n](int i, int j) { return j * n + i; };
  for (int j = 0; j + 2 < n; j += 2)
    for (int i = 0; i + 2 < n; i += 2) {
      list.insert(list.end(), {node(i, j), node(i + 2, j), node(i, j + 2), node(i + 1, j),
                               node(i + 1, j + 1), node(i, j + 1)});
      list.insert(list.end(), {node(i + 2, j + 2), node(i, j + 2), node(i + 2, j),
                               node(i + 1, j + 2), node(i + 1, j + 1), node(i + 2, j + 1)});
    }
  return list;
}

std::vector<double> plane(int n) {
  std::vector<double> list;
  for (int k = 0; k < n * n; ++k) list.insert(list.end(), {0.5 * (k % n), 0.5 * (k / n)});
  return list;
}

op_kernel kernel(const char* name, const char* file) {
  return op_decl_kernel_file(name, (std::string(BENCH_KERNELS) + file).c_str());
}

/// Both ways to compute `result`.
struct Case {
  std::string name;
  int elements;
  op_dat result;
  std::function<void(double* result)> by_hand;
  std::function<void()> by_library;
};

class Cases {
 public:
  explicit Cases(const Settings& settings) : settings_(settings) {}

  void run(const Case& one) const {
    if (!settings_.only.empty() && std::ranges::find(settings_.only, one.name) == settings_.only.end())
      return;
    const int size = op_get_size(one.result->set) * one.result->dim;
    std::vector<double> expected(size), found(size);
    op_fetch_data(one.result, expected.data());
    one.by_hand(expected.data());
    one.by_library();
    op_fetch_data(one.result, found.data());
    for (int k = 0; k < size; ++k)
      if (!(std::fabs(found[k] - expected[k]) <= 1e-9 * (1 + std::fabs(expected[k]))))
        throw std::runtime_error(one.name + ": value " + std::to_string(k) + " is " +
                                 std::to_string(found[k]) + ", expected " +
                                 std::to_string(expected[k]));
    if (settings_.agree_only) return;
    double hand = 1e300, library = 1e300;
    for (int round = 0; round < settings_.rounds; ++round) {
      hand = std::min(hand, milliseconds([&] {
                        for (int k = 0; k < settings_.repeats; ++k) one.by_hand(expected.data());
                      }));
      library = std::min(library, milliseconds([&] {
                           for (int k = 0; k < settings_.repeats; ++k) {
                             one.by_library();
                             op_flush();
                           }
                         }));
    }
    std::printf("{\"case\": \"%s\", \"elements\": %d, \"hand_ns_per_element\": %.2f, "
                "\"library_ns_per_element\": %.2f, \"times_as_fast\": %.3f}\n",
                one.name.c_str(), one.elements, 1e6 * hand / settings_.repeats / one.elements,
                1e6 * library / settings_.repeats / one.elements, hand / library);
    std::fflush(stdout);
  }

 private:
  const Settings& settings_;
};

void flow_cases(const Cases& cases, const Settings& settings) {
  const Grid grid(settings.side);
  const std::vector<int> ends = grid.faces();
  const int faces = static_cast<int>(ends.size() / 2), cells = grid.nodes();
  std::vector<double> q = values(cells, 6, 1);
  for (int c = 0; c < cells; ++c) q[6 * static_cast<std::size_t>(c) + 4] += 2;
  const std::vector<double> gradient = values(cells, 18), geometry = values(faces, 9, 0.1),
                            volume = values(cells, 1, 1), modes = values(cells, 12, 1);
  op_set cell_set = op_decl_set(cells, "cells"), face_set = op_decl_set(faces, "faces");
  op_map sides = op_decl_map(face_set, cell_set, 2, ends, "sides");
  op_dat geometry_dat = op_decl_dat(face_set, 9, geometry, "geometry");
  op_dat q_dat = op_decl_dat(cell_set, 6, q, "q");
  op_dat gradient_dat = op_decl_dat(cell_set, 18, gradient, "gradient");
  op_dat volume_dat = op_decl_dat(cell_set, 1, volume, "volume");
  op_dat modes_dat = op_decl_dat(cell_set, 12, modes, "modes");
  const auto result = [&](int dim, const char* name) {
    return op_decl_dat<double>(cell_set, dim, nullptr, name);
  };
  const Faces geometry_of_faces{faces, ends.data(), geometry.data()};

  const op_kernel flux = kernel("face_flux", "euler.h"), first = kernel("face_flux_first", "euler.h"),
                  gauss = kernel("face_gradient", "euler.h"), step = kernel("local_step", "euler.h"),
                  jump = kernel("face_jump", "elements.h");
  op_dat r = result(6, "r"), r1 = result(6, "r1"), g = result(18, "g"), s = result(1, "s"),
         j = result(12, "j");
  cases.run({"flux of second order, viscous", faces, r,
             [&](double* to) { face_flux_loop(geometry_of_faces, q.data(), gradient.data(), to); },
             [&] {
               op_par_loop(flux, "face_flux", face_set, op_arg_dat(geometry_dat, OP_READ),
                           op_arg_dat(q_dat, 0, sides, OP_READ), op_arg_dat(q_dat, 1, sides, OP_READ),
                           op_arg_dat(gradient_dat, 0, sides, OP_READ),
                           op_arg_dat(gradient_dat, 1, sides, OP_READ),
                           op_arg_dat(r, 0, sides, OP_INC), op_arg_dat(r, 1, sides, OP_INC));
             }});
  cases.run({"flux of first order", faces, r1,
             [&](double* to) { face_flux_first_loop(geometry_of_faces, q.data(), to); },
             [&] {
               op_par_loop(first, "face_flux_first", face_set, op_arg_dat(geometry_dat, OP_READ),
                           op_arg_dat(q_dat, 0, sides, OP_READ), op_arg_dat(q_dat, 1, sides, OP_READ),
                           op_arg_dat(r1, 0, sides, OP_INC), op_arg_dat(r1, 1, sides, OP_INC));
             }});
  cases.run({"gradients by Gauss", faces, g,
             [&](double* to) { face_gradient_loop(geometry_of_faces, q.data(), to); },
             [&] {
               op_par_loop(gauss, "face_gradient", face_set, op_arg_dat(geometry_dat, OP_READ),
                           op_arg_dat(q_dat, 0, sides, OP_READ), op_arg_dat(q_dat, 1, sides, OP_READ),
                           op_arg_dat(g, 0, sides, OP_INC), op_arg_dat(g, 1, sides, OP_INC));
             }});
  cases.run({"local time steps", cells, s,
             [&](double* to) { local_step_loop(cells, q.data(), volume.data(), to); },
             [&] {
               op_par_loop(step, "local_step", cell_set, op_arg_dat(q_dat, OP_READ),
                           op_arg_dat(volume_dat, OP_READ), op_arg_dat(s, OP_WRITE));
             }});
  cases.run({"jumps over faces", faces, j,
             [&](double* to) { face_jump_loop(geometry_of_faces, modes.data(), to); },
             [&] {
               op_par_loop(jump, "face_jump", face_set, op_arg_dat(geometry_dat, OP_READ),
                           op_arg_dat(modes_dat, 0, sides, OP_READ),
                           op_arg_dat(modes_dat, 1, sides, OP_READ),
                           op_arg_dat(j, 0, sides, OP_INC), op_arg_dat(j, 1, sides, OP_INC));
             }});
}

void element_cases(const Cases& cases, const Settings& settings) {
  const Grid grid(settings.side);
  const std::vector<int> hexahedra = grid.hexahedra(), tetrahedra = grid.tetrahedra(),
                         around = grid.around();
  const std::vector<double> x = grid.coordinates(), u = values(grid.nodes(), 1),
                            u3 = values(grid.nodes(), 3);
  op_set nodes = op_decl_set(grid.nodes(), "nodes");
  op_set hexes = op_decl_set(static_cast<int>(hexahedra.size() / 8), "hexahedra");
  op_set tets = op_decl_set(static_cast<int>(tetrahedra.size() / 4), "tetrahedra");
  op_map hex_nodes = op_decl_map(hexes, nodes, 8, hexahedra, "hex_nodes");
  op_map tet_nodes = op_decl_map(tets, nodes, 4, tetrahedra, "tet_nodes");
  op_map neighbours = op_decl_map(nodes, nodes, 6, around, "neighbours");
  op_dat x_dat = op_decl_dat(nodes, 3, x, "x"), u_dat = op_decl_dat(nodes, 1, u, "u"),
         u3_dat = op_decl_dat(nodes, 3, u3, "u3");
  const auto result = [&](int dim, const char* name) {
    return op_decl_dat<double>(nodes, dim, nullptr, name);
  };
  op_dat r = result(1, "r_hex"), f = result(3, "f"), g = result(9, "g_squares");
  const op_kernel hexahedron = kernel("hexahedron", "elements.h"),
                  tetrahedron = kernel("elastic_tetrahedron", "elements.h"),
                  squares = kernel("least_squares", "elements.h"),
                  triangle = kernel("quadratic_triangle", "elements.h");
  cases.run({"hexahedra, local matrices", hexes->size, r,
             [&](double* to) { hexahedron_loop(hexes->size, hexahedra.data(), x.data(), u.data(), to); },
             [&] {
               op_par_loop(hexahedron, "hexahedron", hexes, op_arg_dat(x_dat, -8, hex_nodes, OP_READ),
                           op_arg_dat(u_dat, -8, hex_nodes, OP_READ),
                           op_arg_dat(r, -8, hex_nodes, OP_INC));
             }});
  cases.run({"tetrahedra, elasticity", tets->size, f,
             [&](double* to) {
               elastic_tetrahedron_loop(tets->size, tetrahedra.data(), x.data(), u3.data(), to);
             },
             [&] {
               op_par_loop(tetrahedron, "elastic_tetrahedron", tets,
                           op_arg_dat(x_dat, -4, tet_nodes, OP_READ),
                           op_arg_dat(u3_dat, -4, tet_nodes, OP_READ),
                           op_arg_dat(f, -4, tet_nodes, OP_INC));
             }});
  cases.run({"gradients of second order", nodes->size, g,
             [&](double* to) { least_squares_loop(nodes->size, around.data(), x.data(), u3.data(), to); },
             [&] {
               op_par_loop(squares, "least_squares", nodes, op_arg_dat(x_dat, OP_READ),
                           op_arg_dat(u3_dat, OP_READ), op_arg_dat(x_dat, -6, neighbours, OP_READ),
                           op_arg_dat(u3_dat, -6, neighbours, OP_READ), op_arg_dat(g, OP_WRITE));
             }});

  const int n = 2 * settings.side * 4 + 1;
  const std::vector<int> corners = quadratic_triangles(n);
  const std::vector<double> at = plane(n), w = values(n * n, 1);
  op_set points = op_decl_set(n * n, "points");
  op_set triangles = op_decl_set(static_cast<int>(corners.size() / 6), "triangles");
  op_map triangle_nodes = op_decl_map(triangles, points, 6, corners, "triangle_nodes");
  op_dat at_dat = op_decl_dat(points, 2, at, "at"), w_dat = op_decl_dat(points, 1, w, "w"),
         p = op_decl_dat<double>(points, 1, nullptr, "r_p2");
  cases.run({"quadratic triangles", triangles->size, p,
             [&](double* to) {
               quadratic_triangle_loop(triangles->size, corners.data(), at.data(), w.data(), to);
             },
             [&] {
               op_par_loop(triangle, "quadratic_triangle", triangles,
                           op_arg_dat(at_dat, -6, triangle_nodes, OP_READ),
                           op_arg_dat(w_dat, -6, triangle_nodes, OP_READ),
                           op_arg_dat(p, -6, triangle_nodes, OP_INC));
             }});
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("Measures kernels as users write them, by the host compiler and by the library");
  bench::Settings settings;
  app.add_option("--side", settings.side, "nodes along a side")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "measurements; the minimum counts")
      ->capture_default_str();
  app.add_option("--only", settings.only, "names of the kernels to measure");
  app.add_flag("--agree-only", settings.agree_only, "only see whether both find the same");
  CLI11_PARSE(app, argc, argv);
  try {
    setenv("OP2_THREADS", "1", 0);
    op_init(argc, argv);
    const bench::Cases cases(settings);
    bench::flow_cases(cases, settings);
    bench::element_cases(cases, settings);
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernels_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
