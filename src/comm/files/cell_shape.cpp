// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/cell_shape.hpp>

#include <array>
#include <iterator>

#include <core/error.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

CellShape cell_shape(int arity, int dim, const char* kind) {
  constexpr CellShape none{0, nullptr};
  constexpr std::array<CellShape, 9> shapes{none,
                                            none,
                                            CellShape{3, "Polyline"},
                                            {5, "Triangle"},
                                            {10, "Tetrahedron"},
                                            {14, "Pyramid"},
                                            {13, "Wedge"},
                                            none,
                                            {12, "Hexahedron"}};
  if (arity == 4 && dim == 2) return {9, "Quadrilateral"};
  const CellShape shape =
      arity < 0 || arity >= std::ssize(shapes) ? none : shapes[static_cast<std::size_t>(arity)];
  if (shape.topology == nullptr)
    core::fail(ErrorCode::bad_dim,
               "no such cell in a {}: map of the cells, arity {}; use cells of 2, 3, 4, 5, 6 or 8 "
               "nodes",
               kind, arity);
  return shape;
}

void check_points(std::string_view name, Type type, int dim, const char* kind) {
  if (type != Type::f64 && type != Type::f32)
    core::fail(ErrorCode::bad_type,
               "wrong type: coordinates '{}' of a {}, \"{}\"; use double or float", name, kind,
               core::name_of(type));
  if (dim != 2 && dim != 3)
    core::fail(ErrorCode::bad_dim, "wrong dim: coordinates '{}' of a {}, dim {}; use 2 or 3", name,
               kind, dim);
}

}  // namespace op2::comm
