# SPDX-License-Identifier: BSD-3-Clause
"""What is in a file of SU2? Markers are groups of the boundary.

Read here and not by meshio because that loses the names of markers, and places of nodes if lines end as on Windows.
"""
import re

import numpy as np

from .. import reading
from ..failure import Damaged, MeshError, number_of
from ..source import Block, Format, Source

# Number of the type, as in VTK -> meshio's name and number of nodes.
TYPES = {3: ("line", 2), 5: ("triangle", 3), 9: ("quad", 4), 10: ("tetra", 4), 12: ("hexahedron", 8), 13: ("wedge", 6),
         14: ("pyramid", 5)}


def _sections(data):
    """(keyword, what stands behind `=`, lines up to the next keyword)."""
    found = list(re.finditer(rb"^[ \t]*([A-Za-z_]+)[ \t]*=([^\n]*)\n", data, re.M))
    ends = [match.start() for match in found[1:]] + [len(data)]
    return [(match.group(1).decode().upper(), match.group(2), data[match.end():end]) for match, end in zip(found, ends)]


def _first_line(body):
    return body.lstrip().partition(b"\n")[0].split()


def _points(value, body, dimension):
    total = reading.count(value, "NPOIN")
    columns = len(_first_line(body))
    values = reading.numbers(body, "NPOIN")
    if columns < dimension or len(values) != total * columns:
        raise Damaged(f"nodes are missing, or lines are unequal: NPOIN has {len(values)} values, not {total} x "
                      f"{max(columns, dimension)}")
    return values.reshape(total, columns)[:, :dimension]


def _elements(keyword, value, body):
    """A Block of each run of elements of one type. Behind the nodes of each element there may be its number."""
    total = reading.count(value, keyword)
    first = _first_line(body)
    values = reading.numbers(body, keyword, np.int64)
    kind = int(values[0]) if len(values) else 0
    behind = len(first) - 1 - TYPES[kind][1] if kind in TYPES else 0
    if behind not in (0, 1):
        raise Damaged(f"an element has {len(first) - 1} values: {keyword}, type {kind}")
    blocks = [Block(TYPES[kind][0], nodes, np.zeros(len(nodes), np.int64))
              for kind, nodes in reading.of_equal_elements(values, TYPES, behind, keyword)]
    if sum(len(block.nodes) for block in blocks) != total:
        raise Damaged(f"elements are missing: {keyword} has {sum(len(block.nodes) for block in blocks)} of "
                      f"{number_of(total, 'element')}")
    return blocks


def _single(sections, keyword):
    found = [(value, body) for name, value, body in sections if name == keyword]
    if len(found) != 1:
        raise MeshError(f"there must be one {keyword}= and there are {len(found)}; write the mesh again, of one zone")
    return found[0]


def read(path, _):
    sections = _sections(re.sub(rb"%[^\n]*", b"", reading.read_text(path)))
    dimension = reading.count(_single(sections, "NDIME")[0], "NDIME")
    if dimension not in (2, 3):
        raise MeshError(f"the dimension is {dimension}; SU2 has 2 and 3")
    source = Source(_points(*_single(sections, "NPOIN"), dimension), _elements("NELEM", *_single(sections, "NELEM")))
    groups, marker, markers = reading.NamedSets(source), None, 0
    for keyword, value, body in sections:
        if keyword == "MARKER_TAG":
            marker, markers = reading.string(value), markers + 1
        elif keyword == "MARKER_ELEMS" and marker is not None:
            blocks = _elements(f"marker '{marker}'", value, body)
            source.blocks += blocks
            groups.add(marker, [(block, np.arange(len(block.nodes))) for block in blocks])
            marker = None
    wanted = sum(reading.count(value, keyword) for keyword, value, _ in sections if keyword == "NMARK")
    if markers != wanted or marker is not None:
        raise Damaged(f"markers are missing: the file has {markers} of {wanted}"
                      f"{', the last one without elements' if marker is not None else ''}")
    return source


FORMAT = Format("su2", (".su2",), read)
