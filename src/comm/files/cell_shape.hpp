// SPDX-License-Identifier: BSD-3-Clause
// What files for ParaView call the cells of a mesh, and the coordinates that they can have.
#pragma once

#include <cstdint>
#include <string_view>

#include <op2/types.hpp>

namespace op2::comm {

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

}  // namespace op2::comm
