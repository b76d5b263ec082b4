// SPDX-License-Identifier: BSD-3-Clause
// Meshes and fields as VTK XML unstructured grids (.vtu) with appended raw binary data, in one file
// or in pieces (.pvtu).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <comm/files/field.hpp>
#include <comm/files/new_file.hpp>

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

}  // namespace op2::comm
