// SPDX-License-Identifier: BSD-3-Clause
// Meshes and fields for ParaView: VTK XML unstructured grids (.vtu) with appended raw binary data,
// in one file or in pieces (.pvtu), and the files of time series (.pvd, .xdmf). Local.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <comm/files/field.hpp>
#include <comm/files/open_file.hpp>
#include <op2/types.hpp>

namespace op2::comm {

/// A mesh with one kind of cell and fields on it; owns nothing.
struct VtuGrid {
  Field points;  ///< f64 or f32, dim 2 or 3; 2D points get z = 0
  /// 2 lines, 3 triangles, 4 quadrilaterals (2D) or tetrahedra (3D), 5 pyramids, 6 wedges,
  /// 8 hexahedra
  int cell_arity;
  std::span<const std::int32_t> cell_nodes;  ///< rows of `points`, shape [cells x cell_arity]
  std::span<const Field> cell_fields;        ///< each of as many rows as there are cells
  std::span<const Field> point_fields;       ///< each of as many rows as there are points
};

/// Local. Cost: streams the arrays; needs no memory that grows with the mesh.
/// @throws op2::Error bad_dim (arity, points), bad_type (points), bad_size (rows of a field),
/// io_failure
void write_vtu(const std::string& path, const VtuGrid& grid,
               Leftovers leftovers = Leftovers::remove);

/// @throws op2::Error as write_vtu, unless the disk fails
void check_grid(const VtuGrid& grid);

/// The content of the file (.pvtu) that combines pieces, each a .vtu, into one grid.
/// @param grid    any of the pieces: all have the same fields
/// @param pieces  their names relative to the folder of the file
/// @throws op2::Error as check_grid
std::string pvtu_text(const VtuGrid& grid, std::span<const std::string> pieces);

/// A part of the file of a time series, which names a file for ParaView at each time (.pvd), or
/// datasets of HDF5 files, one for each time (.xdmf).
struct SeriesTime {
  double time;
  std::string text;  ///< XML
};

/// Whether a series of this name is XDMF beside HDF5: "flow.xdmf" or "flow.xmf".
bool is_xdmf(const std::string& path);

/// @param file  relative to the folder of the series
SeriesTime pvd_time(double time, const std::string& file);

/// A dataset of rows.
struct XdmfData {
  std::string dataset;  ///< its path in the file
  Type type;
  int dim;
  std::int64_t rows;
};

struct XdmfField {
  std::string name;
  bool on_cells;  ///< or on nodes
  XdmfData data;
};

/// What the HDF5 file of one time holds.
struct XdmfGrid {
  std::string file;            ///< relative to the folder of the series
  XdmfData cells;              ///< rows of nodes
  XdmfData points;             ///< dim 2 or 3
  std::string name_of_points;  ///< for messages
  std::vector<XdmfField> fields;
};

/// @throws op2::Error bad_dim (arity, points), bad_type (points)
SeriesTime xdmf_time(double time, const XdmfGrid& grid);

/// The times of a series that this library has written; none if there is no such file.
/// @throws op2::Error io_failure (not readable, or of another program)
std::vector<SeriesTime> read_series(const std::string& path);

/// Replaces the file. @throws op2::Error io_failure
void write_series(const std::string& path, std::span<const SeriesTime> times);

}  // namespace op2::comm
