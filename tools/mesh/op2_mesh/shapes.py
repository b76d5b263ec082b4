# SPDX-License-Identifier: BSD-3-Clause
"""What shapes do cells have, and in which order do they list their nodes?

Nodes are in the order of VTK and meshio: corners, then one node on each edge, then the rest. The faces of a cell are
listed so that the right-hand rule gives the outward normal of a cell of positive volume (wedges as in Gmsh).
"""
import re
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Shape:
    name: str
    dimension: int
    corners: int
    faces: tuple    # of corners; edges in 2D
    mirror: tuple   # corners in the order of the mirror image, which has the opposite volume
    wedges: tuple   # at each corner that counts, the edges from it, right-handed
    edges: tuple    # in the order of the nodes on them


_POINT = Shape("vertex", 0, 1, (), (0,), (), ())
_LINE = Shape("line", 1, 2, (), (1, 0), (), ((0, 1),))
_TRIANGLE = Shape("triangle", 2, 3, ((0, 1), (1, 2), (2, 0)), (0, 2, 1), ((0, 1, 2),), ((0, 1), (1, 2), (2, 0)))
_QUAD = Shape("quad", 2, 4, ((0, 1), (1, 2), (2, 3), (3, 0)), (0, 3, 2, 1),
              ((0, 1, 3), (1, 2, 0), (2, 3, 1), (3, 0, 2)), ((0, 1), (1, 2), (2, 3), (3, 0)))
_TETRA = Shape("tetra", 3, 4, ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)), (0, 2, 1, 3), ((0, 1, 2, 3),),
               ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)))
_PYRAMID = Shape("pyramid", 3, 5, ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)), (0, 3, 2, 1, 4),
                 ((0, 1, 3, 4), (1, 2, 0, 4), (2, 3, 1, 4), (3, 0, 2, 4)),
                 ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)))
_WEDGE = Shape("wedge", 3, 6, ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)), (0, 2, 1, 3, 5, 4),
               ((0, 1, 2, 3), (1, 2, 0, 4), (2, 0, 1, 5), (3, 5, 4, 0), (4, 3, 5, 1), (5, 4, 3, 2)),
               ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)))
_HEXAHEDRON = Shape(
    "hexahedron", 3, 8,
    ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)), (0, 3, 2, 1, 4, 7, 6, 5),
    ((0, 1, 3, 4), (1, 2, 0, 5), (2, 3, 1, 6), (3, 0, 2, 7), (4, 7, 5, 0), (5, 4, 6, 1), (6, 5, 7, 2), (7, 6, 4, 3)),
    ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)))

SHAPES = {shape.name: shape
          for shape in (_POINT, _LINE, _TRIANGLE, _QUAD, _TETRA, _PYRAMID, _WEDGE, _HEXAHEDRON)}
# Cells of one shape are one after the other, in this order.
CELLS = {2: ("triangle", "quad"), 3: ("tetra", "pyramid", "wedge", "hexahedron")}
# The shape of a face with so many corners.
FACE_OF = {2: "line", 3: "triangle", 4: "quad"}
# Corners of the largest shape of a dimension that make a degenerate one of each shape.
AS_LARGEST = {"triangle": (0, 1, 2, 2), "quad": (0, 1, 2, 3), "tetra": (0, 1, 2, 2, 3, 3, 3, 3),
              "pyramid": (0, 1, 2, 3, 4, 4, 4, 4), "wedge": (0, 1, 2, 2, 3, 4, 5, 5),
              "hexahedron": tuple(range(8))}
# The order in which CGNS and Exodus list nodes: those on vertical edges before those on the edges of the top.
VERTICAL_FIRST = {"hexahedron20": [*range(12), 16, 17, 18, 19, 12, 13, 14, 15],
                  "wedge15": [*range(9), 12, 13, 14, 9, 10, 11]}


def shape_of(kind):
    """The shape of a meshio cell type of any order ("tetra10": tetra), or None."""
    return SHAPES.get(re.sub(r"\d+$", "", kind))


def has_known_nodes(kind, width):
    """Whether all nodes of a cell are corners, on edges, or in the middle of a quadrilateral."""
    shape = shape_of(kind)
    return width in (shape.corners, shape.corners + len(shape.edges)) or kind == "quad9"


def mirrored(shape, width):
    """Nodes of a cell of `width` nodes in the order of its mirror image."""
    order = list(shape.mirror)
    if width > shape.corners:
        place = {frozenset(edge): index for index, edge in enumerate(shape.edges)}
        order += [shape.corners + place[frozenset(shape.mirror[corner] for corner in edge)] for edge in shape.edges]
    order += range(len(order), width)
    return np.array(order)
