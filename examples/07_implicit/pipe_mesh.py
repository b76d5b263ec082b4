#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a quarter of a pipe in tetrahedra as a file of Gmsh (2.2, text): radius from 1 to 2, length 1.

    pipe_mesh.py 16 pipe.msh         # 16 layers of tetrahedra through the wall

Boundary groups: inside (radius 1), outside (radius 2), insulated (the four other sides).
"""
import argparse
import itertools
import sys

try:
    import numpy as np
except ImportError as missing:
    sys.exit(f"{missing}; on Debian: apt install python3-numpy")


def boxes(shape):
    """Index triples of all boxes of a grid, [boxes x 3]."""
    return np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, 3)


def paths(axes):
    """Corners of a box on the ways from its first to its last one along the axes in some order."""
    for order in itertools.permutations(axes):
        corners = np.zeros((len(axes) + 1, 3), int)
        for step, axis in enumerate(order, 1):
            corners[step:, axis] = 1
        yield corners


def tetrahedra(shape, number):
    """Six of each box, one for each way; boxes that share a side cut it alike."""
    result = []
    for corners in paths((0, 1, 2)):
        cells = number(boxes(shape)[:, None] + corners)
        inverted = np.linalg.det(np.diff(corners, axis=0)) < 0
        result.append(cells[:, [0, 2, 1, 3]] if inverted else cells)
    return np.concatenate(result)


def side(shape, axis, last, number):
    """The triangles of one side of the grid."""
    flat = np.array(shape)
    flat[axis] = 1
    first = boxes(flat)
    first[:, axis] = shape[axis] if last else 0
    others = [other for other in range(3) if other != axis]
    return np.concatenate([number(first[:, None] + corners) for corners in paths(others)])


def write(path, points, groups):
    """Groups: (dimension, name, elements [n x corners])."""
    kinds = {2: 2, 3: 4}  # Gmsh's types of triangles and tetrahedra
    with open(path, "w", encoding="ascii") as file:
        file.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{len(groups)}\n")
        for tag, (dimension, name, _) in enumerate(groups, 1):
            file.write(f'{dimension} {tag} "{name}"\n')
        file.write(f"$EndPhysicalNames\n$Nodes\n{len(points)}\n")
        rows = np.column_stack([np.arange(1, len(points) + 1), points])
        np.savetxt(file, rows, fmt="%d %.17g %.17g %.17g")
        file.write(f"$EndNodes\n$Elements\n{sum(len(elements) for _, _, elements in groups)}\n")
        first = 1
        for tag, (dimension, _, elements) in enumerate(groups, 1):
            number = first + np.arange(len(elements))
            constant = np.broadcast_to([kinds[dimension], 2, tag, tag], (len(elements), 4))
            np.savetxt(file, np.column_stack([number, constant, elements + 1]), fmt="%d")
            first += len(elements)
        file.write("$EndElements\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("layers", type=int, help="of tetrahedra through the wall; 12 n^3 tetrahedra")
    parser.add_argument("file", help="the .msh")
    options = parser.parse_args()
    if not 1 <= options.layers <= 100:
        parser.error(f"{options.layers} layers; choose 1 to 100")
    shape = (options.layers, 2 * options.layers, options.layers)  # along r, angle, z

    def number(place):
        return (place[..., 0] * (shape[1] + 1) + place[..., 1]) * (shape[2] + 1) + place[..., 2]

    r, angle, z = (boxes(np.array(shape) + 1) / shape).T * [[1], [np.pi / 2], [1]]
    points = np.column_stack([(1 + r) * np.cos(angle), (1 + r) * np.sin(angle), z])
    insulated = [side(shape, axis, last, number) for axis in (1, 2) for last in (False, True)]
    groups = [
        (2, "inside", side(shape, 0, False, number)),
        (2, "outside", side(shape, 0, True, number)),
        (2, "insulated", np.concatenate(insulated)),
        (3, "wall", tetrahedra(shape, number)),
    ]
    try:
        write(options.file, points, groups)
    except OSError as error:
        sys.exit(f"{options.file}: {error.strerror}")


if __name__ == "__main__":
    main()
