// SPDX-License-Identifier: BSD-3-Clause
// Kernels as users write them (helpers, local arrays, loops of constant length) on one thread: by
// the library against sequential loops over the same functions, as OP2 generates them, by the host
// compiler, in turns in one process. One line of JSON per kernel.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <op2/op2.hpp>

#include "stopwatch.hpp"

namespace bench {
namespace {

#include "kernels/elements.h"
#include "kernels/euler.h"

struct Settings {
  int side = 48, rounds = 5, repeats = 3;
  std::vector<std::string> only;
  bool agree_only = false;
};

/// A map with its targets for sequential loops, shape [size of `from`][arity].
struct Map {
  Map(op_set from, op_set to, int columns, std::vector<int> all, const char* name)
      : targets(std::move(all)),
        handle(op_decl_map(from, to, columns, targets, name)),
        arity(columns) {}
  std::vector<int> targets;
  op_map handle;
  int arity;
};

/// A dat with a copy of its values for sequential loops.
struct Dat {
  /// Smooth values that differ from row to row, around `mean`; without one, zeros.
  Dat(op_set set, int components, const char* name, const double* mean = nullptr)
      : values(static_cast<std::size_t>(op_get_size(set)) * components), dim(components) {
    if (mean != nullptr)
      for (std::size_t r = 0; r < values.size() / dim; ++r)
        for (int k = 0; k < dim; ++k)
          values[r * dim + k] = *mean + 0.1 * std::sin(0.37 * static_cast<double>(r) + 1.7 * k) +
                                0.05 * std::cos(0.011 * static_cast<double>(r) * (k + 1));
    handle = op_decl_dat(set, dim, values, name);
  }
  Dat(op_set set, int components, const char* name, std::vector<double> all)
      : values(std::move(all)),
        handle(op_decl_dat(set, components, values, name)),
        dim(components) {}
  std::vector<double> values;
  op_dat handle;
  int dim;
};

/// Arguments, for both: what the library gets, and the pointer for one element.
struct Direct {
  Dat& dat;
  op_access access;
  op_arg arg() const { return op_arg_dat(dat.handle, access); }
  double* at(int element) const {
    return dat.values.data() + static_cast<std::ptrdiff_t>(element) * dat.dim;
  }
};

struct Column {
  Dat& dat;
  const Map& map;
  int column;
  op_access access;
  op_arg arg() const { return op_arg_dat(dat.handle, column, map.handle, access); }
  double* at(int element) const {
    return dat.values.data() + map.targets[element * map.arity + column] * dat.dim;
  }
};

template <int rows>
struct Pointers {
  double* row[rows];
  operator double* const*() const { return row; }
};

/// All columns of a map.
template <int rows>
struct Columns {
  Dat& dat;
  const Map& map;
  op_access access;
  op_arg arg() const { return op_arg_dat(dat.handle, -rows, map.handle, access); }
  Pointers<rows> at(int element) const {
    Pointers<rows> pointers;
    for (int k = 0; k < rows; ++k)
      pointers.row[k] = dat.values.data() + map.targets[element * rows + k] * dat.dim;
    return pointers;
  }
};

template <class T>
struct Global {
  const T* values;
  int dim;
  const char* type;
  op_access access = OP_READ;
  op_arg arg() const { return op_arg_gbl(const_cast<T*>(values), dim, type, OP_READ); }
  const T* at(int) const { return values; }
};

void expect_equal(const char* kernel, const Dat& dat) {
  std::vector<double> found(dat.values.size());
  op_fetch_data(dat.handle, found);
  for (std::size_t k = 0; k < found.size(); ++k)
    if (!(std::fabs(found[k] - dat.values[k]) <= 1e-9 * (1 + std::fabs(dat.values[k]))))
      throw std::runtime_error(std::string(kernel) + ": value " + std::to_string(k) + " is " +
                               std::to_string(found[k]) + ", expected " +
                               std::to_string(dat.values[k]));
}

class Bench {
 public:
  explicit Bench(const Settings& settings) : settings_(settings) {}

  /// @param kernel  a function of the file, and of this program
  template <auto kernel, class... Arguments>
  void run(const char* name, const char* file, op_set set, const Arguments&... arguments) const {
    const auto& only = settings_.only;
    if (!only.empty() && std::ranges::find(only, name) == only.end()) return;
    const op_kernel handle = op_decl_kernel_file(name, (std::string(BENCH_KERNELS) + file).c_str());
    const int size = op_get_size(set);
    const auto sequential = [&] {
      for (int element = 0; element < size; ++element) kernel(arguments.at(element)...);
    };
    const auto by_library = [&] {
      op_par_loop(handle, name, set, arguments.arg()...);
      op_flush();
    };
    sequential();
    by_library();
    (compare(name, arguments), ...);
    if (settings_.agree_only) return;
    double hand = 1e300, library = 1e300;
    for (int round = 0; round < settings_.rounds; ++round) {
      hand = std::min(hand, milliseconds([&] { repeat(sequential); }));
      library = std::min(library, milliseconds([&] { repeat(by_library); }));
    }
    const double elements = 1e-6 * settings_.repeats * size;
    std::printf(
        "{\"case\": \"%s\", \"threads\": 1, \"elements\": %d, \"hand_ns_per_element\": "
        "%.2f, \"library_ns_per_element\": %.2f, \"times_as_fast\": %.3f}\n",
        name, size, hand / elements, library / elements, hand / library);
    std::fflush(stdout);
  }

 private:
  template <class Argument>
  static void compare(const char* name, const Argument& argument) {
    if constexpr (requires { argument.dat; })
      if (argument.access != OP_READ) expect_equal(name, argument.dat);
  }
  void repeat(const auto& work) const {
    for (int k = 0; k < settings_.repeats; ++k) work();
  }

  const Settings& settings_;
};

/// A grid of side^3 nodes in lexicographic order.
class Grid {
 public:
  explicit Grid(int nodes_of_side) : side_(nodes_of_side) {}
  int nodes() const { return side_ * side_ * side_; }

  std::vector<int> hexahedra() const {
    constexpr int all[1][8] = {{0, 1, 2, 3, 4, 5, 6, 7}};
    return of_cubes(all);
  }
  std::vector<int> tetrahedra() const {
    constexpr int five[5][4] = {
        {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}, {1, 2, 4, 7}};
    return of_cubes(five);
  }

  /// Between neighbours, those of one node together.
  std::vector<int> faces() const {
    std::vector<int> list;
    for (int n = 0; n < nodes(); ++n)
      for (const auto& [at, step] : {std::pair{n % side_, 1},
                                     {n / side_ % side_, side_},
                                     {n / side_ / side_, side_ * side_}})
        if (at + 1 < side_) list.insert(list.end(), {n, n + step});
    return list;
  }

  /// The nodes at some distances along each axis; beyond the border those of the other side.
  std::vector<int> around(std::initializer_list<int> distances, int axes) const {
    std::vector<int> list;
    for (int n = 0; n < nodes(); ++n)
      for (int axis = 0; axis < axes; ++axis)
        for (const int distance : distances) {
          int at[3] = {n % side_, n / side_ % side_, n / side_ / side_};
          at[axis] = (at[axis] + distance + side_) % side_;
          list.push_back(node(at[0], at[1], at[2]));
        }
    return list;
  }

  std::vector<double> coordinates() const {
    std::vector<double> list;
    for (int n = 0; n < nodes(); ++n)
      for (const int at : {n % side_, n / side_ % side_, n / side_ / side_})
        list.push_back(at + 0.1 * std::sin(0.7 * n + at));
    return list;
  }

 private:
  int node(int i, int j, int k) const { return (k * side_ + j) * side_ + i; }

  /// @param corners  of each element in a cube: bits 0, 1, 2 are its three coordinates
  template <int elements, int size>
  std::vector<int> of_cubes(const int (&corners)[elements][size]) const {
    std::vector<int> list;
    for (int k = 0; k + 1 < side_; ++k)
      for (int j = 0; j + 1 < side_; ++j)
        for (int i = 0; i + 1 < side_; ++i)
          for (const auto& element : corners)
            for (const int a : element)
              list.push_back(node(i + (a & 1), j + (a >> 1 & 1), k + (a >> 2)));
    return list;
  }

  int side_;
};

void run_flow(const Bench& bench, const Grid& grid) {
  constexpr double one = 1, none = 0, tenth = 0.1, three = 3;
  const std::vector<int> ends = grid.faces();
  op_set cells = op_decl_set(grid.nodes(), "cells"),
         faces = op_decl_set(static_cast<int>(ends.size() / 2), "faces");
  const Map sides(faces, cells, 2, ends, "sides");
  std::vector<double> with_pressure = Dat(cells, 6, "values", &one).values;
  for (std::size_t c = 0; c < with_pressure.size(); c += 6) with_pressure[c + 4] += 2;
  Dat geometry(faces, 9, "geometry", &tenth), q(cells, 6, "q", with_pressure),
      size(cells, 1, "size", &one), gradient(cells, 18, "gradient", &none),
      modes(cells, 12, "modes", &one), matrix(cells, 25, "matrix", &none),
      right(cells, 5, "right", &one);
  Dat least(cells, 6, "least", &none), greatest(cells, 6, "greatest", &three);
  Dat r(cells, 6, "r"), sums(cells, 18, "sums"), step(cells, 1, "step"), jumps(cells, 12, "jumps"),
      w(cells, 6, "w"), x(cells, 5, "x");

  const Direct face{geometry, OP_READ};
  const Column ql{q, sides, 0, OP_READ}, qr{q, sides, 1, OP_READ}, gl{gradient, sides, 0, OP_READ},
      gr{gradient, sides, 1, OP_READ}, rl{r, sides, 0, OP_INC}, rr{r, sides, 1, OP_INC};
  const Direct q_of_cell{q, OP_READ}, gradient_of_cell{gradient, OP_READ},
      size_of_cell{size, OP_READ};
  const char* const file = "euler.h";
  bench.run<face_flux>("face_flux", file, faces, face, ql, qr, gl, gr, rl, rr);
  bench.run<face_flux_first>("face_flux_first", file, faces, face, ql, qr, rl, rr);
  bench.run<face_rusanov>("face_rusanov", file, faces, face, ql, qr, rl, rr);
  bench.run<face_viscous>("face_viscous", file, faces, face, ql, qr, gl, gr, rl, rr);
  const double far[6] = {1, 0.5, 0.1, 0, 3, 1};
  const int kind = 1;
  bench.run<boundary_flux>("boundary_flux", file, faces, Global<int>{&kind, 1, "int"},
                           Global<double>{far, 6, "double"}, face, ql, rl);
  bench.run<face_gradient>("face_gradient", file, faces, face, ql, qr,
                           Column{sums, sides, 0, OP_INC}, Column{sums, sides, 1, OP_INC});
  bench.run<local_step>("local_step", file, cells, q_of_cell, size_of_cell, Direct{step, OP_WRITE});
  bench.run<cell_limiter>("cell_limiter", file, cells, q_of_cell, gradient_of_cell,
                          Direct{least, OP_READ}, Direct{greatest, OP_READ}, size_of_cell,
                          Direct{w, OP_WRITE});
  bench.run<to_primitive>("to_primitive", file, cells, q_of_cell, Direct{w, OP_WRITE});
  bench.run<solve_block>("solve_block", file, cells, Direct{matrix, OP_READ},
                         Direct{right, OP_READ}, Direct{x, OP_WRITE});
  bench.run<face_jump>("face_jump", "elements.h", faces, face, Column{modes, sides, 0, OP_READ},
                       Column{modes, sides, 1, OP_READ}, Column{jumps, sides, 0, OP_INC},
                       Column{jumps, sides, 1, OP_INC});
}

void run_elements(const Bench& bench, const Grid& grid) {
  constexpr double one = 1;
  const char* const file = "elements.h";
  const std::vector<int> all_hexahedra = grid.hexahedra(), all_tetrahedra = grid.tetrahedra();
  op_set nodes = op_decl_set(grid.nodes(), "nodes"),
         hexahedra = op_decl_set(static_cast<int>(all_hexahedra.size() / 8), "hexahedra"),
         tetrahedra = op_decl_set(static_cast<int>(all_tetrahedra.size() / 4), "tetrahedra");
  const Map of_hexahedra(hexahedra, nodes, 8, all_hexahedra, "of_hexahedra"),
      of_tetrahedra(tetrahedra, nodes, 4, all_tetrahedra, "of_tetrahedra"),
      around(nodes, nodes, 6, grid.around({-1, 1}, 3), "around"),
      line(nodes, nodes, 5, grid.around({-2, -1, 0, 1, 2}, 1), "line");
  Dat x(nodes, 3, "coordinates", grid.coordinates()), u(nodes, 1, "u", &one),
      u3(nodes, 3, "u3", &one);
  Dat r(nodes, 1, "load"), r3(nodes, 3, "forces"), gradient(nodes, 9, "squares");
  bench.run<hexahedron>("hexahedron", file, hexahedra, Columns<8>{x, of_hexahedra, OP_READ},
                        Columns<8>{u, of_hexahedra, OP_READ}, Columns<8>{r, of_hexahedra, OP_INC});
  bench.run<elastic_tetrahedron>(
      "elastic_tetrahedron", file, tetrahedra, Columns<4>{x, of_tetrahedra, OP_READ},
      Columns<4>{u3, of_tetrahedra, OP_READ}, Columns<4>{r3, of_tetrahedra, OP_INC});
  bench.run<mass_tetrahedron>(
      "mass_tetrahedron", file, tetrahedra, Columns<4>{x, of_tetrahedra, OP_READ},
      Columns<4>{u3, of_tetrahedra, OP_READ}, Columns<4>{r3, of_tetrahedra, OP_INC});
  bench.run<least_squares>("least_squares", file, nodes, Direct{x, OP_READ}, Direct{u3, OP_READ},
                           Columns<6>{x, around, OP_READ}, Columns<6>{u3, around, OP_READ},
                           Direct{gradient, OP_WRITE});
  bench.run<smooth>("smooth", file, nodes, Direct{x, OP_READ}, Columns<6>{x, around, OP_READ},
                    Columns<6>{u, around, OP_READ}, Direct{r, OP_WRITE});
  bench.run<weno>("weno", file, nodes, Columns<5>{u, line, OP_READ}, Direct{r, OP_WRITE});
}

/// Of a plane with n x n points; corners of triangles and quadrilaterals are two points apart.
void run_plane(const Bench& bench, int n) {
  constexpr double one = 1;
  const char* const file = "elements.h";
  const auto point = [n](int i, int j) { return j * n + i; };
  std::vector<int> six, three, four;
  for (int j = 0; j + 2 < n; j += 2)
    for (int i = 0; i + 2 < n; i += 2) {
      const int corner[4] = {point(i, j), point(i + 2, j), point(i + 2, j + 2), point(i, j + 2)};
      const int half[5] = {point(i + 1, j), point(i + 1, j + 1), point(i, j + 1),
                           point(i + 1, j + 2), point(i + 2, j + 1)};
      six.insert(six.end(), {corner[0], corner[1], corner[3], half[0], half[1], half[2]});
      six.insert(six.end(), {corner[2], corner[3], corner[1], half[3], half[1], half[4]});
      three.insert(three.end(), {corner[0], corner[1], corner[3]});
      three.insert(three.end(), {corner[2], corner[3], corner[1]});
      four.insert(four.end(), corner, corner + 4);
    }
  std::vector<double> positions;
  for (int k = 0; k < n * n; ++k) positions.insert(positions.end(), {0.5 * (k % n), 0.5 * (k / n)});
  op_set points = op_decl_set(n * n, "points"),
         triangles = op_decl_set(static_cast<int>(three.size() / 3), "triangles"),
         quadrilaterals = op_decl_set(static_cast<int>(four.size() / 4), "quadrilaterals");
  const Map of_six(triangles, points, 6, six, "of_six"),
      of_three(triangles, points, 3, three, "of_three"),
      of_four(quadrilaterals, points, 4, four, "of_four");
  Dat x(points, 2, "positions", positions), u(points, 1, "potential", &one), r(points, 1, "rest");
  bench.run<quadratic_triangle>("quadratic_triangle", file, triangles,
                                Columns<6>{x, of_six, OP_READ}, Columns<6>{u, of_six, OP_READ},
                                Columns<6>{r, of_six, OP_INC});
  bench.run<linear_triangle>("linear_triangle", file, triangles, Columns<3>{x, of_three, OP_READ},
                             Columns<3>{u, of_three, OP_READ}, Columns<3>{r, of_three, OP_INC});
  bench.run<quadrilateral>("quadrilateral", file, quadrilaterals, Columns<4>{x, of_four, OP_READ},
                           Columns<4>{u, of_four, OP_READ}, Columns<4>{r, of_four, OP_INC});
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
    const bench::Bench bench(settings);
    const bench::Grid grid(settings.side);
    bench::run_flow(bench, grid);
    bench::run_elements(bench, grid);
    bench::run_plane(bench, 8 * settings.side + 1);
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernels_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
