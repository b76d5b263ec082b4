// SPDX-License-Identifier: BSD-3-Clause
// Meshes and fields for ParaView: VTK XML unstructured grids (.vtu) with appended raw binary data,
// in one file or in pieces (.pvtu), and what all its files have in common. Local.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <comm/files/field.hpp>
#include <comm/files/file_writer.hpp>
#include <op2/types.hpp>

namespace op2::comm {

/// With entities for the characters that have a meaning in attributes.
std::string xml_escaped(std::string_view text);

/// The opposite, for text that `xml_escaped` has made.
std::string xml_unescaped(std::string_view text);

/// A linear cell.
struct CellShape {
  std::uint8_t vtk_type;  ///< a number of VTK's vtkCellType.h; 0: no such cell
  const char* topology;   ///< in XDMF
};

/// Of a cell with `arity` nodes in `dim` dimensions: 2 nodes are a line, 3 a triangle, 4 a
/// quadrilateral (2D) or tetrahedron (3D), 5 a pyramid, 6 a wedge, 8 a hexahedron.
/// @param kind  of the file, for the message: ".vtu"
/// @throws Error bad_dim: no such cell
CellShape cell_shape(int arity, int dim, const char* kind);

/// Throws unless a file can have these coordinates.
/// @param kind  of the file, for the message: ".vtu"
/// @throws Error bad_type (neither f64 nor f32), bad_dim (neither 2 nor 3)
void check_points(std::string_view name, Type type, int dim, const char* kind);

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

}  // namespace op2::comm
