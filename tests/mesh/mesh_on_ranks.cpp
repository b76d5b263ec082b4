// SPDX-License-Identifier: BSD-3-Clause
// Reads a file that op2-mesh has written and sums over it, on any number of ranks.
//     mesh_on_ranks FILE VOLUME GROUP AREA
// VOLUME: of all cells; AREA: of the boundary group GROUP. Prints what it found; the exit code is
// 0, 1 if a sum is not as expected, or 3 after an error.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <op2/op2.hpp>

namespace {

struct Expected {
  double volume, area;
  std::string group;
};

OP_KERNEL(close_cells, (const int* dim, const double* normal, double* first, double* second), {
  for (int k = 0; k < *dim; ++k) {
    first[k] += normal[k];
    second[k] -= normal[k];
  }
});
OP_KERNEL(close_boundary, (const int* dim, const double* normal, double* cell), {
  for (int k = 0; k < *dim; ++k) cell[k] += normal[k];
});
OP_KERNEL(gather,
          (const int* dim, const int* columns, const int* sign, const double* const* normal,
           double* gap),
          {
            for (int column = 0; column < *columns; ++column)
              for (int k = 0; k < *dim; ++k) gap[k] -= sign[column] * normal[column][k];
          });
OP_KERNEL(count_neighbours,
          (const int* columns, const int* has, const double* const* volume, const double* own,
           int* others, int* wrong),
          {
            for (int column = 0; column < *columns; ++column) {
              *others += has[column];
              *wrong += has[column] == 0 && *volume[column] != *own;
            }
          });
OP_KERNEL(largest, (const int* dim, const double* gap, double* most), {
  for (int k = 0; k < *dim; ++k) *most = std::fmax(*most, std::fabs(gap[k]));
});
OP_KERNEL(add, (const double* value, double* sum), { *sum += *value; });
OP_KERNEL(add_length, (const int* dim, const double* vector, double* sum), {
  double square = 0;
  for (int k = 0; k < *dim; ++k) square += vector[k] * vector[k];
  *sum += std::sqrt(square);
});
OP_KERNEL(count, (const int* group, const int* tag, int* faces), { *faces += *group == *tag; });

int read_int(const std::string& file, const std::string& name) {
  int value = 0;
  op_get_const_hdf5(name.c_str(), 1, "int", &value, file.c_str());
  return value;
}

struct Declared {
  int dimension, tag;  // of the group
  int columns;         // most faces of a cell
  op_set cells, faces, boundary, group;
  op_map face_cells, boundary_cell, cell_faces, cell_cells;
  op_dat all_normal, sign, has_neighbour;
  op_dat volume, normal, boundary_normal, boundary_group, group_normal, gap;
};

Declared declare(const char* file, const std::string& group) {
  const auto name = [&](const char* what) { return "boundary/" + group + "/" + what; };
  Declared d{};
  d.dimension = read_int(file, "dimension");
  d.tag = read_int(file, name("tag"));
  d.cells = op_decl_set_hdf5(file, "cells");
  d.faces = op_decl_set_hdf5(file, "faces");
  d.boundary = op_decl_set_hdf5(file, "boundary_faces");
  d.group = op_decl_set_hdf5(file, name("faces").c_str());
  const op_set nodes = op_decl_set_hdf5(file, "nodes");
  d.face_cells = op_decl_map_hdf5(d.faces, d.cells, 2, file, "face_cells");
  d.boundary_cell = op_decl_map_hdf5(d.boundary, d.cells, 1, file, "boundary_cell");
  op_decl_map_hdf5(d.group, d.cells, 1, file, name("cell").c_str());
  op_decl_map_hdf5(d.cells, nodes, d.dimension == 2 ? 4 : 8, file, "cell_nodes");
  op_decl_dat_hdf5(nodes, d.dimension, "double", file, "x");
  d.volume = op_decl_dat_hdf5(d.cells, 1, "double", file, "cell_volume");
  d.normal = op_decl_dat_hdf5(d.faces, d.dimension, "double", file, "face_normal");
  d.boundary_normal = op_decl_dat_hdf5(d.boundary, d.dimension, "double", file, "boundary_normal");
  d.boundary_group = op_decl_dat_hdf5(d.boundary, 1, "int", file, "boundary_group");
  d.group_normal = op_decl_dat_hdf5(d.group, d.dimension, "double", file, name("normal").c_str());
  d.columns = d.dimension == 2 ? 4 : 6;
  const op_set all_faces = op_decl_set_hdf5(file, "all_faces");
  d.cell_faces = op_decl_map_hdf5(d.cells, all_faces, d.columns, file, "cell_faces");
  d.cell_cells = op_decl_map_hdf5(d.cells, d.cells, d.columns, file, "cell_cells");
  d.sign = op_decl_dat_hdf5(d.cells, d.columns, "int", file, "cell_face_sign");
  d.has_neighbour = op_decl_dat_hdf5(d.cells, d.columns, "int", file, "cell_has_neighbour");
  d.all_normal = op_decl_dat_hdf5(all_faces, d.dimension, "double", file, "all_face_normal");
  d.gap = op_decl_dat<double>(d.cells, d.dimension, nullptr, "gap");
  const op_dat centre = op_decl_dat_hdf5(d.cells, d.dimension, "double", file, "cell_centre");
  op_partition("PTSCOTCH", "KWAY", d.cells, d.face_cells, centre);
  return d;
}

/// The largest component of the sum of the outward normals of a cell.
double open_cells(const Declared& d) {
  double most = 0;
  const auto dim = op_arg_gbl(&d.dimension, 1, "int", OP_READ);
  op_par_loop(close_cells, "close_cells", d.faces, dim, op_arg_dat(d.normal, OP_READ),
              op_arg_dat(d.gap, 0, d.face_cells, OP_INC),
              op_arg_dat(d.gap, 1, d.face_cells, OP_INC));
  op_par_loop(close_boundary, "close_boundary", d.boundary, dim,
              op_arg_dat(d.boundary_normal, OP_READ),
              op_arg_dat(d.gap, 0, d.boundary_cell, OP_INC));
  op_par_loop(largest, "largest", d.cells, dim, op_arg_dat(d.gap, OP_READ),
              op_arg_gbl(&most, 1, "double", OP_MAX));
  return most;
}

/// The same with the faces of each cell, after `open_cells`: the difference of both sums.
double open_cells_by_gathering(const Declared& d) {
  double most = 0;
  const auto dim = op_arg_gbl(&d.dimension, 1, "int", OP_READ);
  op_par_loop(gather, "gather", d.cells, dim, op_arg_gbl(&d.columns, 1, "int", OP_READ),
              op_arg_dat(d.sign, OP_READ),
              op_arg_dat(d.all_normal, -d.columns, d.cell_faces, OP_READ),
              op_arg_dat(d.gap, OP_INC));
  op_par_loop(largest, "largest", d.cells, dim, op_arg_dat(d.gap, OP_READ),
              op_arg_gbl(&most, 1, "double", OP_MAX));
  return most;
}

/// Whether each inner face makes two cells neighbours, and a cell is its own one elsewhere.
bool has_right_neighbours(const Declared& d) {
  int others = 0, wrong = 0;
  op_par_loop(count_neighbours, "count_neighbours", d.cells,
              op_arg_gbl(&d.columns, 1, "int", OP_READ), op_arg_dat(d.has_neighbour, OP_READ),
              op_arg_dat(d.volume, -d.columns, d.cell_cells, OP_READ),
              op_arg_dat(d.volume, OP_READ), op_arg_gbl(&others, 1, "int", OP_INC),
              op_arg_gbl(&wrong, 1, "int", OP_INC));
  return others == 2 * op_get_size(d.faces) && wrong == 0;
}

/// The area of a group, over its own set; -1 if that has not as many faces as the boundary has with
/// the group's tag.
double area_of(const Declared& d) {
  double area = 0;
  int tagged = 0;
  op_par_loop(count, "count", d.boundary, op_arg_dat(d.boundary_group, OP_READ),
              op_arg_gbl(&d.tag, 1, "int", OP_READ), op_arg_gbl(&tagged, 1, "int", OP_INC));
  op_par_loop(add_length, "add_length", d.group, op_arg_gbl(&d.dimension, 1, "int", OP_READ),
              op_arg_dat(d.group_normal, OP_READ), op_arg_gbl(&area, 1, "double", OP_INC));
  return tagged == op_get_size(d.group) ? area : -1;
}

int run(const char* file, const Expected& expected) {
  const Declared d = declare(file, expected.group);
  double volume = 0;
  op_par_loop(add, "add", d.cells, op_arg_dat(d.volume, OP_READ),
              op_arg_gbl(&volume, 1, "double", OP_INC));
  const double area = area_of(d), gap = open_cells(d) + open_cells_by_gathering(d);
  op_printf("%lld cells, volume %.12g, group %s %.12g, open by %.1e\n",
            static_cast<long long>(op_get_size(d.cells)), volume, expected.group.c_str(), area,
            gap);
  const bool good = std::fabs(volume - expected.volume) < 1e-10 * expected.volume &&
                    std::fabs(area - expected.area) < 1e-10 * expected.area && gap < 1e-12 &&
                    has_right_neighbours(d);
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    op_init(argc, argv);
    if (argc != 5) return 2;
    const int code =
        run(argv[1], {.volume = std::atof(argv[2]), .area = std::atof(argv[4]), .group = argv[3]});
    op_exit();
    return code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
