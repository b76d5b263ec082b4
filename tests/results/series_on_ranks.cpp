// SPDX-License-Identifier: BSD-3-Clause
// Writes the same series for ParaView and as XDMF, and one cell of each shape in both forms, on any
// number of ranks: for check_xdmf.py and check_with_vtk.py, which know the values from
// expected_series.py.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <support/series_program.hpp>

namespace {

/// A mesh of one cell.
struct Shape {
  std::string name;
  int dim;
  std::vector<double> x;  ///< [corners x dim], in an order to which VTK gives a positive volume
};

const std::vector<Shape> shapes{
    {"line", 2, {0, 0, 3, 4}},
    {"triangle", 2, {0, 0, 2, 0, 0, 3}},
    {"triangle_in_space", 3, {0, 0, 1, 2, 0, 1, 0, 3, 1}},
    {"quadrilateral", 2, {0, 0, 2, 0, 3, 1, 0, 1}},
    {"tetrahedron", 3, {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4}},
    {"pyramid", 3, {0, 0, 0, 2, 0, 0, 2, 3, 0, 0, 3, 0, 1, 1, 4}},
    {"wedge", 3, {0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 4, 3, 0, 4, 0, 2, 4}},
    {"hexahedron", 3, {0, 0, 0, 2, 0, 0, 2, 3, 0, 0, 3, 0, 0, 0, 4, 2, 0, 4, 2, 3, 4, 0, 3, 4}},
};

/// The root has the cell, whose nodes are declared in the opposite order; others have nothing.
void write_shape(const Shape& shape, const std::string& folder) {
  const int corners = static_cast<int>(shape.x.size()) / shape.dim,
            here = op_is_root() ? corners : 0;
  std::vector<double> x;
  std::vector<int> nodes;
  for (int k = here - 1; k >= 0; --k) {
    const auto from = shape.x.begin() + k * shape.dim;
    x.insert(x.end(), from, from + shape.dim);
    nodes.push_back(k);
  }
  const op_set points = op_decl_set(here, (shape.name + "_points").c_str());
  const op_set cells = op_decl_set(op_is_root() ? 1 : 0, shape.name.c_str());
  const op_map map = op_decl_map(cells, points, corners, nodes, (shape.name + "_nodes").c_str());
  const op_dat at = op_decl_dat(points, shape.dim, x, (shape.name + "_x").c_str());
  for (const char* ending : {".pvd", ".xdmf"})
    op_write_series((folder + "/" + shape.name + ending).c_str(), 0, map, at, {});
}

void write_flow(const std::string& folder) {
  op2::test::SeriesProgram program;
  for (int k = 0; k < 4; ++k) {
    program.write_time(folder + "/flow.pvd");
    program.write_time(folder + "/flow.xdmf");
    program.advance();
  }
  program.step = 3;  // replaces the last time, by values of one step more
  program.write_time(folder + "/flow.pvd");
  program.write_time(folder + "/flow.xdmf");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    op_init(argc, argv);
    const std::string folder = argc > 1 ? argv[1] : ".";
    write_flow(folder);
    for (const Shape& shape : shapes) write_shape(shape, folder);
    op_exit();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
