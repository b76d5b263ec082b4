# SPDX-License-Identifier: BSD-3-Clause
"""Which elements does Gmsh number how, and which does a file of version 2 have?"""
import numpy as np

from .failure import MeshError, number_of
from .gmsh_tokens import Binary, Text
from .shapes import shape_of
from .source import Block

# Number of the type -> meshio's name and the number of nodes.
TYPES = {1: ("line", 2), 2: ("triangle", 3), 3: ("quad", 4), 4: ("tetra", 4), 5: ("hexahedron", 8), 6: ("wedge", 6),
         7: ("pyramid", 5), 8: ("line3", 3), 9: ("triangle6", 6), 10: ("quad9", 9), 11: ("tetra10", 10),
         12: ("hexahedron27", 27), 13: ("wedge18", 18), 14: ("pyramid14", 14), 15: ("vertex", 1), 16: ("quad8", 8),
         17: ("hexahedron20", 20), 18: ("wedge15", 15), 19: ("pyramid13", 13), 21: ("triangle10", 10),
         23: ("triangle15", 15), 26: ("line4", 4), 27: ("line5", 5), 29: ("tetra20", 20), 30: ("tetra35", 35),
         36: ("quad16", 16), 37: ("quad25", 25), 92: ("hexahedron64", 64), 93: ("hexahedron125", 125)}
# The edges in the order in which Gmsh lists the nodes on them, where VTK has another one.
EDGES = {"tetra10": ((0, 1), (1, 2), (2, 0), (0, 3), (2, 3), (1, 3)),
         "hexahedron20": ((0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7)),
         "wedge15": ((0, 1), (0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 5), (4, 5)),
         "pyramid13": ((0, 1), (0, 3), (0, 4), (1, 2), (1, 4), (2, 3), (2, 4), (3, 4))}


def block_of(number, nodes, tags):
    """Elements of one type with their nodes in the order of meshio."""
    kind = TYPES[number][0]
    if kind in EDGES:
        shape = shape_of(kind)
        place = {frozenset(edge): index for index, edge in enumerate(EDGES[kind])}
        order = list(range(shape.corners)) + [shape.corners + place[frozenset(edge)] for edge in shape.edges]
        nodes = nodes[:, order]
    return Block(kind, nodes, tags.astype(np.int64))


def _width(number, tags):
    if number not in TYPES:
        raise MeshError(f"an element type is not known: Gmsh's type {number}; mesh without it, or save only the "
                        "physical groups that the program needs")
    if not 0 <= tags <= 1000:
        raise MeshError(f"an element of version 2 has {tags} tags; write the mesh again")
    return TYPES[number][1]


def _run(numbers, at, length):
    """How many records of `length` numbers from `at` have the type and the number of tags of the first one."""
    count, window = 1, 64
    fits = (len(numbers) - at) // length
    while count < fits:
        most = min(count + window, fits)
        table = numbers[at + count * length:at + most * length].reshape(-1, length)
        other = np.flatnonzero((table[:, 1] != numbers[at + 1]) | (table[:, 2] != numbers[at + 2]))
        if len(other):
            return count + int(other[0])
        count, window = most, 2 * window
    return count


def _from_text(text, total):
    """(type, number of tags, table) of each run of equal records."""
    numbers = Text(text, "Elements", np.int64).numbers
    at, seen = 0, 0
    while seen < total:
        if at + 3 > len(numbers):
            raise MeshError(f"the section ends too early: $Elements has {seen} of {number_of(total, 'element')}; "
                            "write the mesh again")
        kind, tags = int(numbers[at + 1]), int(numbers[at + 2])
        length = 3 + tags + _width(kind, tags)
        count = min(_run(numbers, at, length), total - seen)
        if at + count * length > len(numbers):
            raise MeshError(f"the section ends too early: $Elements has {seen} of {number_of(total, 'element')}; "
                            "write the mesh again")
        yield kind, tags, numbers[at:at + count * length].reshape(count, length)[:, 3:]
        at, seen = at + count * length, seen + count


def _from_bytes(numbers, total):
    seen = 0
    while seen < total:
        kind, count, tags = (int(value) for value in numbers.ints(3))
        length = 1 + tags + _width(kind, tags)
        if count < 1:
            raise MeshError(f"a block of $Elements has {count} elements; write the mesh again")
        yield kind, tags, numbers.ints(count * length).reshape(count, length)[:, 1:].astype(np.int64)
        seen += count


def of_version_2(sections, rows_of):
    total, line_end = sections.count("Elements")
    if sections.binary:
        runs = _from_bytes(Binary(sections.data, line_end + 1, "Elements", sections.size_bytes), total)
    else:
        runs = _from_text(sections.data[line_end:sections.end("Elements", line_end)], total)
    by_kind = {}
    for kind, tags, table in runs:
        groups = np.abs(table[:, 0]) if tags else np.zeros(len(table), np.int64)
        by_kind.setdefault(kind, []).append((table[:, tags:], groups))
    return [block_of(kind, rows_of(np.concatenate([nodes for nodes, _ in parts])),
                     np.concatenate([groups for _, groups in parts])) for kind, parts in by_kind.items()]
