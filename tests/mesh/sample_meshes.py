# SPDX-License-Identifier: BSD-3-Clause
"""Meshes of the unit square and the unit cube with known answers, as op2_mesh.source.Source.

The boundary is in groups 1, 2, ...: x = 0, x = 1, y = 0, y = 1, z = 0, z = 1. All cells are in region 10, "fluid".
"""
import itertools
import sys
from pathlib import Path

import numpy as np

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path[:0] = [str(TOOLS / "mesh"), str(TOOLS)]

from op2_mesh.shapes import SHAPES, mirrored, shape_of  # noqa: E402
from op2_mesh.source import Block, Source  # noqa: E402

SIDES = ("left", "right", "front", "back", "bottom", "top")
KUHN = [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]]
# Local orders of the corners that leave a cell the same.
TURNS = {"triangle": [(0, 1, 2), (1, 2, 0)], "quad": [(0, 1, 2, 3), (2, 3, 0, 1), (3, 0, 1, 2)],
         "tetra": [(0, 1, 2, 3), (1, 2, 0, 3), (1, 0, 3, 2)], "pyramid": [(0, 1, 2, 3, 4), (1, 2, 3, 0, 4)],
         "wedge": [(0, 1, 2, 3, 4, 5), (1, 2, 0, 4, 5, 3)],
         "hexahedron": [(0, 1, 2, 3, 4, 5, 6, 7), (1, 2, 3, 0, 5, 6, 7, 4), (4, 7, 6, 5, 0, 3, 2, 1)]}


def lattice(n, dimension):
    """Nodes of n^dimension squares or cubes, and the corners of each of these in the order of VTK."""
    axes = np.meshgrid(*[np.arange(n + 1)] * dimension, indexing="ij")
    points = np.stack([axis.reshape(-1) for axis in axes], axis=1) / n
    places = np.array(list(itertools.product(range(n), repeat=dimension)))
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    if dimension == 3:
        corners = np.array([(*corner, z) for z in (0, 1) for corner in corners])
    strides = (n + 1) ** np.arange(dimension)[::-1]
    return points, (places[:, None, :] + corners) @ strides, places


def split(points, cubes, kinds):
    """Cells by shape; `kinds` names for each square or cube what it is cut into."""
    cells = {name: [] for name in SHAPES}
    points = list(points)
    for cube, kind in zip(cubes, kinds):
        if kind == "triangle":
            cells["triangle"] += [cube[[0, 1, 2]], cube[[0, 2, 3]]]
        elif kind == "tetra":
            cells["tetra"] += [cube[corners] for corners in KUHN]
        elif kind == "wedge":
            cells["wedge"] += [cube[[0, 1, 2, 4, 5, 6]], cube[[0, 2, 3, 4, 6, 7]]]
        elif kind in ("pyramid", "pyramid and tetra"):
            middle = len(points)
            points.append(sum(points[corner] for corner in cube) / 8)
            for face in SHAPES["hexahedron"].faces:
                base = cube[list(face)][::-1]  # seen from inside
                on_boundary = any(len({points[node][axis] for node in base} & {0.0, 1.0}) == 1
                                  and np.ptp([points[node][axis] for node in base]) == 0 for axis in range(3))
                if kind == "pyramid and tetra" and on_boundary:
                    cells["tetra"] += [[base[0], base[1], base[2], middle], [base[0], base[2], base[3], middle]]
                else:
                    cells["pyramid"].append([*base, middle])
        else:
            cells[kind].append(cube)
    return np.array(points), {name: np.array(found) for name, found in cells.items() if len(found)}


def with_boundary(points, cells):
    """The Source of cells of the unit square or cube, with elements on the boundary."""
    dimension = points.shape[1]
    blocks = [Block(name, nodes, np.full(len(nodes), 10)) for name, nodes in cells.items()]
    sides = {"line": ([], []), "triangle": ([], []), "quad": ([], [])}
    for name, nodes in cells.items():
        for face in SHAPES[name].faces:
            rows = nodes[:, list(face)]
            for side in range(2 * dimension):
                on_side = (points[rows][:, :, side // 2] == side % 2).all(axis=1)
                kind = {2: "line", 3: "triangle", 4: "quad"}[len(face)]
                sides[kind][0].extend(rows[on_side])
                sides[kind][1].extend([side + 1] * int(on_side.sum()))
    blocks += [Block(kind, np.array(nodes), np.array(tags)) for kind, (nodes, tags) in sides.items() if nodes]
    names = {(dimension - 1, side + 1): SIDES[side] for side in range(2 * dimension)}
    return Source(points, blocks, {**names, (dimension, 10): "fluid"})


def box(n, kind):
    """All cells of one shape (or "pyramid and tetra")."""
    dimension = 2 if kind in ("triangle", "quad") else 3
    points, cubes, _ = lattice(n, dimension)
    return with_boundary(*split(points, cubes, [kind] * len(cubes)))


def mixed(n, dimension, random):
    """Columns of cubes are cut in the same way, so that the faces between them are the same from both sides."""
    points, cubes, places = lattice(n, dimension)
    ways = ["triangle", "quad"] if dimension == 2 else ["hexahedron", "wedge", "pyramid", "pyramid and tetra"]
    if dimension == 2:
        return with_boundary(*split(points, cubes, random.choice(ways, len(cubes))))
    way = random.choice(ways, (n, n))
    return with_boundary(*split(points, cubes, [way[x, y] for x, y, _ in places]))


def shuffled(source, random, mirror=True):
    """The same mesh with other numbers of nodes and elements, other first corners, and some cells mirrored."""
    number = random.permutation(len(source.points))
    points = np.empty_like(source.points)
    points[number] = source.points
    blocks = []
    for block in source.blocks:
        order = random.permutation(len(block.nodes))
        nodes, shape = number[block.nodes][order], shape_of(block.kind)
        for row, turn in enumerate(random.integers(len(TURNS.get(block.kind, "-")), size=len(nodes))):
            if block.kind in TURNS:
                nodes[row] = nodes[row][list(TURNS[block.kind][turn])]
        if mirror:
            some = random.random(len(nodes)) < 0.3
            nodes[some] = nodes[some][:, mirrored(shape, nodes.shape[1])]
        cut = random.integers(len(nodes) + 1)  # files have several blocks of one type
        for rows in (slice(cut), slice(cut, None)):
            if len(nodes[rows]):
                blocks.append(Block(block.kind, nodes[rows], block.tags[order][rows]))
    random.shuffle(blocks)
    return Source(points, blocks, dict(source.names))


def shaken(source, random, by):
    """The same mesh with inner nodes moved by up to `by`."""
    inside = ((source.points > 0) & (source.points < 1)).all(axis=1)
    points = source.points.copy()
    points[inside] += random.uniform(-by, by, (inside.sum(), points.shape[1]))
    return Source(points, source.blocks, source.names)


def second_order(source):
    """The same mesh with a node in the middle of each edge."""
    points, numbers, blocks = list(source.points), {}, []
    for block in source.blocks:
        rows = []
        for row in block.nodes:
            middles = []
            for edge in shape_of(block.kind).edges:
                key = frozenset(row[list(edge)])
                if key not in numbers:
                    numbers[key] = len(points)
                    points.append(sum(points[node] for node in key) / 2)
                middles.append(numbers[key])
            rows.append([*row, *middles])
        blocks.append(Block(f"{block.kind}{len(rows[0])}", np.array(rows), block.tags))
    return Source(np.array(points), blocks, source.names)


def without(source, condition):
    """The mesh without the cells whose centre fulfils the condition; the boundary is in no group then."""
    dimension = source.points.shape[1]
    blocks = []
    for block in source.blocks:
        if shape_of(block.kind).dimension == dimension:
            kept = ~condition(source.points[block.nodes].mean(axis=1))
            blocks.append(Block(block.kind, block.nodes[kept], block.tags[kept]))
    return Source(source.points, blocks, {})
