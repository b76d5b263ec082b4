# SPDX-License-Identifier: BSD-3-Clause
"""What series_on_ranks.cpp (with tests/support/series_program.hpp) writes."""
import numpy

POINTS = 3001
LINES = POINTS - 1
TIMES = [0.0, 0.25, 0.5, 0.75]


def points():
    """Coordinates in the plane."""
    k = numpy.arange(POINTS)
    return numpy.column_stack([0.5 * k, 1.0 / (k + 1)])


def lines():
    k = numpy.arange(LINES)
    return numpy.column_stack([k, k + 1])


def fields(number):
    """By name: whether it is on cells, the NumPy type, and the rows at the time of this number."""
    k, edge = numpy.arange(POINTS), numpy.arange(LINES)
    steps = number if number < 3 else 4
    return {
        "u": (False, "f8", (k + steps).reshape(-1, 1)),
        "age": (False, "i4", numpy.full((POINTS, 1), steps)),
        "pair": (False, "f8", numpy.column_stack([k, -k])),
        "weight": (True, "f4", numpy.column_stack([edge, edge / 2, -edge])),
        "five": (True, "i8", numpy.column_stack([5 * edge + c for c in range(5)])),
    }


# One cell of each shape: VTK's type, its name in XDMF, and its length, area or volume.
SHAPES = {
    "line": (3, "Polyline", 5),
    "triangle": (5, "Triangle", 3),
    "triangle_in_space": (5, "Triangle", 3),
    "quadrilateral": (9, "Quadrilateral", 2.5),
    "tetrahedron": (10, "Tetrahedron", 4),
    "pyramid": (14, "Pyramid", 8),
    "wedge": (13, "Wedge", 12),
    "hexahedron": (12, "Hexahedron", 24),
}
