# SPDX-License-Identifier: BSD-3-Clause
"""What is in an Exodus II file? Element blocks are regions, side sets and node sets are groups of the boundary.

Read here and not by meshio because that has no side sets and refuses blocks of the type TETRA4.
"""
import numpy as np

from ..failure import Damaged, MeshError, needed, number_of, rows
from ..shapes import FACE_OF, SHAPES, VERTICAL_FIRST, shape_of
from ..source import Block, Format, Source

# First letters of the type of a block.
SHAPE_OF = {"TRI": "triangle", "QUA": "quad", "SHE": "quad", "TET": "tetra", "PYR": "pyramid", "WED": "wedge",
            "HEX": "hexahedron", "BAR": "line", "BEA": "line", "TRU": "line", "EDG": "line", "SPH": "vertex"}
# Corners of side 1, 2, ... of each shape, in the order of Exodus.
SIDES = {"triangle": ((0, 1), (1, 2), (2, 0)), "quad": ((0, 1), (1, 2), (2, 3), (3, 0)),
         "tetra": ((0, 1, 3), (1, 2, 3), (0, 3, 2), (0, 2, 1)),
         "pyramid": ((0, 1, 4), (1, 2, 4), (2, 3, 4), (0, 4, 3), (0, 3, 2, 1)),
         "wedge": ((0, 1, 4, 3), (1, 2, 5, 4), (0, 3, 5, 2), (0, 2, 1), (3, 4, 5)),
         "hexahedron": ((0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (0, 4, 7, 3), (0, 3, 2, 1), (4, 5, 6, 7))}


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
    """The numbers of blocks or sets in the file; from 1 if it has none."""
    numbers = _values(file, variable)
    return list(range(1, count + 1)) if numbers is None or len(numbers) != count else [int(number) for number in numbers]


def _tags(numbers, taken=()):
    """Different positive numbers of groups: those of the file, but for those that others have, or that are not positive."""
    tags, free = [], max([0, *numbers, *taken]) + 1
    for number in numbers:
        if number < 1 or number in taken or number in tags:
            number, free = free, free + 1
        tags.append(number)
    return tags


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


def _side_sets(file, count):
    """(elements, sides) of each side set, from 0; empty if the file has none."""
    for index in range(1, count + 1):
        found = [_values(file, f"{what}_ss{index}") for what in ("elem", "side")]
        if any(values is None for values in found) or len(found[0]) != len(found[1]):
            found = [np.zeros(0, np.int64)] * 2
        yield tuple(values.astype(np.int64) - 1 for values in found)


def _has_sides_of_shells(file, index, shape, first, count, side_sets):
    """Whether sides 1 and 2 of the elements of a block are their faces, and their edges come then, as Exodus says of shells.

    Writers differ in what they do with triangles and quadrilaterals in space: so it is, if one has a later side than edges.
    """
    if shape.dimension != 2:
        return False
    if "SHELL" in str(getattr(file.variables[f"connect{index}"], "elem_type", "")).upper():
        return True
    in_space = len(file.dimensions["num_dim"]) == 3 if "num_dim" in file.dimensions else False
    return in_space and any((sides[(elements >= first) & (elements < first + count)] >= shape.corners).any()
                            for elements, sides in side_sets)


def _sides(elements, sides, cells, tag, name):
    """The sides of a side set as elements.

    @param cells  (shape, block, whether it has sides of shells) of each block of the file
    """
    first = 0
    for shape, block, is_shell in cells:
        mine = (elements >= first) & (elements < first + len(block.nodes))
        corners_of = SIDES.get(shape.name, ())
        if is_shell:
            corners_of = (range(shape.corners), range(shape.corners), *corners_of)
        if len(bad := np.flatnonzero(mine & ((sides < 0) | (sides >= len(corners_of))))):
            raise Damaged(f"a side set has sides that elements do not have: '{name}', side {sides[bad[0]] + 1} of element "
                          f"{elements[bad[0]] + 1}, '{block.kind}'")
        for side, corners in enumerate(corners_of):
            chosen = elements[mine & (sides == side)] - first
            if len(chosen):
                yield Block(FACE_OF[len(corners)], block.nodes[chosen][:, corners], np.full(len(chosen), tag))
        first += len(block.nodes)
    bad = np.flatnonzero((elements < 0) | (elements >= first))
    if len(bad):
        raise Damaged(f"a side set has elements that the file does not have: '{name}', {rows(elements[bad] + 1)} of {first}")


def _blocks(file, count, names):
    """(shape, block, index of its variables) of each block that has elements."""
    numbers = _numbers(file, "eb_prop1", count)
    tags = _tags(numbers)
    for index, (number, tag, name) in enumerate(zip(numbers, tags, _names(file, "eb_names", count)), 1):
        if f"connect{index}" not in file.variables:
            continue
        shape, kind, nodes = _block(file, index)
        if name or number != tag:
            names[shape.dimension, tag] = name or f"block_{number}"
        yield shape, Block(kind, nodes, np.full(len(nodes), tag)), index


def read(path, _):
    with needed("netCDF4", "reads Exodus").Dataset(path) as file:
        def count(name):
            return len(file.dimensions[name]) if name in file.dimensions else 0

        names, node_sets, losses, sides, cells, first = {}, {}, [], [], [], 0
        side_sets = list(_side_sets(file, count("num_side_sets")))
        for shape, block, index in _blocks(file, count("num_el_blk"), names):
            is_shell = _has_sides_of_shells(file, index, shape, first, len(block.nodes), side_sets)
            cells.append((shape, block, is_shell))
            first += len(block.nodes)
        dimension = max((shape.dimension for shape, *_ in cells), default=0)
        numbers = _numbers(file, "ss_prop1", len(side_sets))
        taken = [int(block.tags[0]) for shape, block, _ in cells if shape.dimension == dimension - 1 and len(block.tags)]
        for (elements, of), number, tag, name in zip(side_sets, numbers, _tags(numbers, taken),
                                                     _names(file, "ss_names", len(side_sets))):
            name = name or f"side_set_{number}"
            found = list(_sides(elements, of, cells, tag, name))
            sides += [block for block in found if shape_of(block.kind).dimension == dimension - 1]
            names[dimension - 1, tag] = name
            if len(left_out := [block for block in found if shape_of(block.kind).dimension != dimension - 1]):
                losses.append(f"a side set has cells or edges instead of boundary faces: '{name}', "
                              f"{number_of(sum(len(block.nodes) for block in left_out), 'side')} left out")
        numbers = _numbers(file, "ns_prop1", count("num_node_sets"))
        for index, (number, name) in enumerate(zip(numbers, _names(file, "ns_names", len(numbers))), 1):
            nodes = _values(file, f"node_ns{index}")
            if nodes is not None:
                node_sets[name or f"node_set_{number}"] = nodes.astype(np.int64) - 1
        return Source(_points(file), [block for _, block, _ in cells] + sides, names, node_sets,
                      losses=losses)


FORMAT = Format("exodus", (".e", ".ex2", ".exo", ".exii", ".g"), read)
