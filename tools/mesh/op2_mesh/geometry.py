# SPDX-License-Identifier: BSD-3-Clause
"""How large are cells and faces, where are their centroids, and which way do faces look?

Sides are straight. A quadrilateral of nodes that are not in one plane is the four triangles around their mean, for both
its cells, so that volumes of cells add up to that of the domain and normals of a closed cell to zero.
"""
import numpy as np

from .shapes import SHAPES

CHUNK = 1 << 18  # cells at a time, which bounds temporary memory


def _in_chunks(nodes, function, width):
    """[rows x width] of `function` of each block of rows."""
    result = np.empty((len(nodes), width))
    for first in range(0, len(nodes), CHUNK):
        result[first:first + CHUNK] = function(nodes[first:first + CHUNK])
    return result


def _triple(a, b, c):
    return (a * np.cross(b, c)).sum(axis=1)


def _cross_2d(a, b):
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def corner_signs(x, shape, nodes):
    """[cells x 2]: the smallest and the largest volume of the edges at a corner, as parts of the product of their lengths.

    1 is a right angle, 0 is flat, negative is mirrored.
    """
    def of(rows):
        low, high = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
        for corner, *others in shape.wedges:
            edges = [x[rows[:, other]] - x[rows[:, corner]] for other in others]
            volume = _cross_2d(*edges) if len(edges) == 2 else _triple(*edges)
            lengths = np.prod([np.sqrt((edge * edge).sum(axis=1)) for edge in edges], axis=0)
            value = np.divide(volume, lengths, out=np.zeros(len(rows)), where=lengths > 0)
            low, high = np.minimum(low, value), np.maximum(high, value)
        return np.stack([low, high], axis=1)
    return _in_chunks(nodes, of, 2)


def _polygons(x, rows):
    """Area and centroid of polygons, as triangles around their first node."""
    origin = x[rows[:, 0]]
    area, moment = np.zeros(len(rows)), np.zeros((len(rows), 2))
    for k in range(1, rows.shape[1] - 1):
        a, b = x[rows[:, k]] - origin, x[rows[:, k + 1]] - origin
        part = 0.5 * _cross_2d(a, b)
        area += part
        moment += part[:, None] * (a + b) / 3
    return area, origin, moment


def _tetrahedra(x, rows):
    origin = x[rows[:, 0]]
    a, b, c = (x[rows[:, k]] - origin for k in (1, 2, 3))
    volume = _triple(a, b, c) / 6
    return volume, origin, volume[:, None] * (a + b + c) / 4


def _polyhedra(x, rows, faces):
    """The same of cells with quadrilaterals, as tetrahedra between the mean of the corners and triangles of faces."""
    origin = x[rows].mean(axis=1)
    volume, moment = np.zeros(len(rows)), np.zeros((len(rows), 3))

    def add(a, b, c):
        nonlocal volume, moment
        part = _triple(a, b, c) / 6
        volume += part
        moment += part[:, None] * (a + b + c) / 4

    for face in faces:
        corners = [x[rows[:, corner]] - origin for corner in face]
        if len(face) == 3:
            add(*corners)
        else:
            middle = sum(corners) / 4
            for k in range(4):
                add(middle, corners[k], corners[(k + 1) % 4])
    return volume, origin, moment


def cells(x, shape, nodes):
    """[cells x (1 + dimension)]: volume (area in 2D) and centroid."""
    def of(rows):
        if shape.dimension == 2:
            volume, origin, moment = _polygons(x, rows)
        elif shape is SHAPES["tetra"]:
            volume, origin, moment = _tetrahedra(x, rows)
        else:
            volume, origin, moment = _polyhedra(x, rows, shape.faces)
        centre = origin + np.divide(moment, volume[:, None], out=np.zeros_like(moment), where=volume[:, None] != 0)
        return np.column_stack([volume, centre])
    return _in_chunks(nodes, of, 1 + shape.dimension)


def _edges(x, rows):
    a, b = x[rows[:, 0]], x[rows[:, 1]]
    return np.column_stack([b[:, 1] - a[:, 1], a[:, 0] - b[:, 0], (a + b) / 2])


def _triangles_and_quads(x, rows):
    a, b, c = (x[rows[:, k]] for k in range(3))
    if rows.shape[1] == 3:
        return np.column_stack([np.cross(b - a, c - a) / 2, (a + b + c) / 3])
    d = x[rows[:, 3]]  # of a triangle: c
    corners, middle = (a, b, c, d), (a + b + c + d) / 4
    total, moment = np.zeros((len(rows), 1)), np.zeros((len(rows), 3))
    for one, other in zip(corners, (b, c, d, a)):
        normal = np.cross(one - middle, other - middle)
        area = np.sqrt((normal * normal).sum(axis=1))[:, None]
        total += area
        moment += area * (middle + one + other) / 3
    centre = np.divide(moment, total, out=middle.copy(), where=total > 0)
    return np.column_stack([np.cross(c - a, d - b) / 2, centre])


def faces(x, nodes):
    """[faces x (2 dimension)]: the normal, as long as the area (the length in 2D), and the centroid."""
    of = _edges if nodes.shape[1] == 2 else _triangles_and_quads
    return _in_chunks(nodes, lambda rows: of(x, rows), 2 * x.shape[1])
