#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Divides each triangle of a plane mesh into four, and each line of its boundary into two.

    refine_mesh.py cylinder.msh fine.msh --times 3 --round wall

Nodes on the lines of a group that is named with --round go to a circle around the origin.
"""
import argparse
import sys

try:
    import meshio
    import numpy as np
except ImportError as missing:
    sys.exit(f"{missing}; on Debian: apt install python3-meshio")


def middles_of(triangles, points):
    """The points with those in the middle of the sides, and the number of the one on each side
    [t x 3]: opposite to corner 2, 0, 1."""
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    ends, number = np.unique(sides, axis=0, return_inverse=True)
    middle = len(points) + number.reshape(-1, 3)
    return np.concatenate([points, points[ends].mean(axis=1)]), middle, ends


def refined(points, triangles, lines, is_round):
    first = len(points)
    points, middle, ends = middles_of(triangles, points)
    a, b, c = triangles.T
    ab, bc, ca = middle.T
    new = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    smaller = np.stack([np.column_stack(three) for three in new], axis=1).reshape(-1, 3)
    key = ends[:, 0] * first + ends[:, 1]
    low, high = np.sort(lines, axis=1).T
    between = first + np.searchsorted(key, low * first + high)
    curved = between[is_round]
    radius = np.linalg.norm(points[low[is_round]], axis=1)
    points[curved] *= (radius / np.linalg.norm(points[curved], axis=1))[:, None]
    halves = np.stack([lines[:, 0], between, between, lines[:, 1]], axis=1).reshape(-1, 2)
    return points, smaller, halves


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mesh", help="triangles and lines, as meshio reads them")
    parser.add_argument("refined", help="the .msh, Gmsh 2.2")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--round", default="", help="a group of lines")
    options = parser.parse_args()
    try:
        mesh = meshio.read(options.mesh)
    except (OSError, meshio.ReadError) as error:
        sys.exit(f"{options.mesh}: {error}")
    kinds = {block.type for block in mesh.cells}
    if kinds - {"vertex"} != {"line", "triangle"}:
        sys.exit(f"{options.mesh}: has {', '.join(sorted(kinds))}; triangles and lines are needed")
    points, group = mesh.points, {}
    cells = {kind: mesh.get_cells_type(kind).astype(np.int64) for kind in ("line", "triangle")}
    for kind in cells:
        group[kind] = mesh.get_cell_data("gmsh:physical", kind)
    if options.round and options.round not in mesh.field_data:
        sys.exit(f"{options.mesh}: no group '{options.round}'; there are: {', '.join(mesh.field_data)}")
    for _ in range(options.times):
        is_round = group["line"] == mesh.field_data.get(options.round, [-1])[0]
        points, cells["triangle"], cells["line"] = refined(points, cells["triangle"], cells["line"], is_round)
        group = {"triangle": np.repeat(group["triangle"], 4), "line": np.repeat(group["line"], 2)}
    numbers = [group[kind].astype(np.int32) for kind in cells]
    meshio.Mesh(points, list(cells.items()), field_data=mesh.field_data,
                cell_data={"gmsh:physical": numbers, "gmsh:geometrical": numbers}
                ).write(options.refined, file_format="gmsh22", binary=False)
    print(f"{options.refined}: {len(cells['triangle'])} triangles")


if __name__ == "__main__":
    main()
