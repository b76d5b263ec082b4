# SPDX-License-Identifier: BSD-3-Clause
"""What is in an Exodus II file? Element blocks are regions, side sets and node sets are groups of the boundary.

Read here and not by meshio because that has no side sets and refuses blocks of the type TETRA4.
"""
import numpy as np

from .failure import MeshError, number_of, rows
from .shapes import SHAPES, VERTICAL_FIRST
from .source import Block, Source

# First letters of the type of a block.
SHAPE_OF = {"TRI": "triangle", "QUA": "quad", "SHE": "quad", "TET": "tetra", "PYR": "pyramid", "WED": "wedge",
            "HEX": "hexahedron", "BAR": "line", "BEA": "line", "TRU": "line", "SPH": "vertex"}
# Corners of side 1, 2, ... of each shape, in the order of Exodus.
SIDES = {"triangle": ((0, 1), (1, 2), (2, 0)), "quad": ((0, 1), (1, 2), (2, 3), (3, 0)),
         "tetra": ((0, 1, 3), (1, 2, 3), (0, 3, 2), (0, 2, 1)),
         "pyramid": ((0, 1, 4), (1, 2, 4), (2, 3, 4), (0, 4, 3), (0, 3, 2, 1)),
         "wedge": ((0, 1, 4, 3), (1, 2, 5, 4), (0, 3, 5, 2), (0, 2, 1), (3, 4, 5)),
         "hexahedron": ((0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (0, 4, 7, 3), (0, 3, 2, 1), (4, 5, 6, 7))}
SIDE_KIND = {2: "line", 3: "triangle", 4: "quad"}


def _values(file, name):
    return np.ma.getdata(file.variables[name][:]) if name in file.variables else None


def _names(file, variable, count):
    """`count` names of blocks or sets; '' where there is none."""
    text = _values(file, variable)
    if text is None or text.ndim != 2:
        return [""] * count
    names = [b"".join(row).split(b"\0")[0].decode("utf-8", "replace").strip() for row in text]
    return (names + [""] * count)[:count]


def _numbers(file, variable, count):
    """The numbers of blocks or sets, positive."""
    numbers = _values(file, variable)
    if numbers is None or len(numbers) != count or (numbers < 1).any():
        return list(range(1, count + 1))
    return [int(number) for number in numbers]


def _points(file):
    table = _values(file, "coord")
    if table is not None:
        return np.ascontiguousarray(table.T, np.float64)
    columns = [_values(file, name) for name in ("coordx", "coordy", "coordz")]
    return np.stack([column for column in columns if column is not None], axis=1).astype(np.float64)


def _block(file, index):
    variable = file.variables[f"connect{index}"]
    kind = str(getattr(variable, "elem_type", "none"))
    shape = SHAPES.get(SHAPE_OF.get(kind[:3].upper()))
    nodes = np.ma.getdata(variable[:]).astype(np.int64) - 1
    if shape is None or nodes.ndim != 2 or nodes.shape[1] < shape.corners:
        raise MeshError(f"an element type is not known: Exodus's '{kind[:32]}' with {nodes.shape[1:]} nodes, "
                        f"{number_of(len(nodes), 'element')}; export without this block")
    kind = shape.name if nodes.shape[1] == shape.corners else f"{shape.name}{nodes.shape[1]}"
    if kind in VERTICAL_FIRST:
        nodes = nodes[:, VERTICAL_FIRST[kind]]
    return shape, kind, nodes


def _sides(file, index, shapes, blocks, tag, name):
    """The sides of a side set as elements. Sides 1 and 2 of shells, cells of surfaces in space, are their faces."""
    elements, sides = (_values(file, f"{what}_ss{index}") for what in ("elem", "side"))
    if elements is None or sides is None:
        return
    elements, sides = elements.astype(np.int64) - 1, sides.astype(np.int64) - 1
    in_space = len(file.dimensions["num_dim"]) == 3 if "num_dim" in file.dimensions else False
    first = 0
    for shape, block in zip(shapes, blocks):
        mine = (elements >= first) & (elements < first + len(block.nodes))
        for side, corners in enumerate(SIDES.get(shape.name, ()), 2 if in_space and shape.dimension == 2 else 0):
            chosen = elements[mine & (sides == side)] - first
            if len(chosen):
                yield Block(SIDE_KIND[len(corners)], block.nodes[chosen][:, corners], np.full(len(chosen), tag))
        first += len(block.nodes)
    bad = np.flatnonzero((elements < 0) | (elements >= first))
    if len(bad):
        raise MeshError(f"a side set has elements that the file does not have: '{name}', {rows(elements[bad] + 1)} of "
                        f"{first}; write the mesh again")


def read(netcdf, path):
    with netcdf.Dataset(path) as file:
        def count(name):
            return len(file.dimensions[name]) if name in file.dimensions else 0

        blocks, shapes, names = [], [], {}
        tags = _numbers(file, "eb_prop1", count("num_el_blk"))
        for index, (tag, name) in enumerate(zip(tags, _names(file, "eb_names", len(tags))), 1):
            if f"connect{index}" not in file.variables:
                continue
            shape, kind, nodes = _block(file, index)
            blocks.append(Block(kind, nodes, np.full(len(nodes), tag)))
            shapes.append(shape)
            if name:
                names[shape.dimension, tag] = name
        dimension = max((shape.dimension for shape in shapes), default=0)
        sides = []
        tags = _numbers(file, "ss_prop1", count("num_side_sets"))
        for index, (tag, name) in enumerate(zip(tags, _names(file, "ss_names", len(tags))), 1):
            sides += _sides(file, index, shapes, blocks, tag, name)
            names[dimension - 1, tag] = name or f"side_set_{tag}"
        node_sets = {}
        tags = _numbers(file, "ns_prop1", count("num_node_sets"))
        for index, (tag, name) in enumerate(zip(tags, _names(file, "ns_names", len(tags))), 1):
            nodes = _values(file, f"node_ns{index}")
            if nodes is not None:
                node_sets[name or f"node_set_{tag}"] = nodes.astype(np.int64) - 1
        return Source(_points(file), blocks + sides, names, node_sets)
