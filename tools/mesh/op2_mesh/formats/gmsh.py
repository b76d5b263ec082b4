# SPDX-License-Identifier: BSD-3-Clause
"""What is in a Gmsh file, versions 2 and 4.1, text or binary?

Read here and not by meshio because that refuses files in which only some elements have a physical group, nodes with
parameters and sparse numbers, and reads text of version 2 line by line.
"""
import re

import numpy as np

from .. import reading
from ..failure import Damaged, MeshError, number_of
from ..shapes import shape_of
from ..source import Block, Format, Source

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


class Text:
    """The numbers of a section, one after the other, without trust in its counts."""

    def __init__(self, text, section, dtype=np.float64):
        self.section, self.numbers, self.at = section, reading.numbers(text, f"section ${section}", dtype), 0

    def take(self, count):
        count, left = int(count), len(self.numbers) - self.at
        if not 0 <= count <= left:
            raise Damaged(f"the section ends too early: ${self.section} needs {count} more numbers and has {left}")
        self.at += count
        return self.numbers[self.at - count:self.at]

    ints = sizes = reals = take


class Binary:
    """The same for values of fixed width."""

    def __init__(self, data, at, section, size_bytes):
        self.data, self.at, self.section = data, at, section
        self.size_type = np.dtype(f"<u{size_bytes}")

    def take(self, dtype, count):
        dtype, count = np.dtype(dtype), int(count)
        left = (len(self.data) - self.at) // dtype.itemsize
        if not 0 <= count <= left:
            raise Damaged(f"the file ends too early: ${self.section} needs {count} values of {dtype.itemsize} bytes "
                          f"and {left} are left")
        values = np.frombuffer(self.data, dtype, count, self.at)
        self.at += count * dtype.itemsize
        return values

    def ints(self, count):
        return self.take("<i4", count)

    def sizes(self, count):
        values = self.take(self.size_type, count)
        if values.size and values.max() > np.iinfo(np.int64).max:
            raise Damaged(f"a number is too large: ${self.section} has {values.max()}")
        return values.astype(np.int64)

    def reals(self, count):
        return self.take("<f8", count)


class Sections:
    """Where each section of the file begins and, if that is known, ends."""

    def __init__(self, data):
        self.data = data
        self.begin = {}
        self.version, self.binary, self.size_bytes = self._format()

    def _format(self):
        match = re.search(rb"\$MeshFormat\s+(\S+)\s+(\d+)\s+(\d+)\s*?\n", self.data[:4096])
        if not match:
            raise Damaged("the format is not readable: line 2 must have version, file type and data size")
        version = match.group(1).decode("ascii", "replace")
        if version not in ("2", "2.0", "2.1", "2.2", "4", "4.1"):
            raise MeshError(f"the version of the format is not supported: {version}; "
                            "write it as 4.1 or 2.2 (gmsh in.msh -save -format msh41 -o out.msh)")
        kind, size = int(match.group(2)), int(match.group(3))
        if kind not in (0, 1) or size not in (4, 8):
            raise Damaged(f"the format is not supported: file type {kind}, data size {size}")
        if kind == 1 and self.data[match.end():match.end() + 4] != b"\1\0\0\0":
            raise MeshError("the byte order is not this machine's: binary file; write it as text (Mesh.Binary = 0)")
        self.at = match.end()
        return version, kind == 1, size

    def find(self, name, required=True):
        """The place of the first byte of a section, after its line; None if there is no such section."""
        match = re.compile(rb"\$" + name.encode() + rb"[ \t]*\r?\n").search(self.data, self.at)
        if match:
            return match.end()
        if required:
            raise Damaged(f"the section is missing: ${name}")
        return None

    def numbers(self, name, dtype=np.float64, required=True):
        """The values of a section as Text or Binary, or None."""
        begin = self.find(name, required)
        if begin is None:
            return None
        if self.binary:
            return Binary(self.data, begin, name, self.size_bytes)
        return Text(self.data[begin:self.end(name, begin)], name, dtype)

    def count(self, name):
        """The number in the first line of a section of version 2, and the place where this line ends."""
        begin = self.find(name)
        line_end = self.data.find(b"\n", begin)
        try:
            return int(self.data[begin:line_end]), line_end
        except ValueError:
            raise Damaged(f"the number of {name.lower()} is not readable: ${name}") from None

    def end(self, name, begin):
        end = self.data.find(b"$End" + name.encode(), begin)
        if end < 0:
            raise MeshError(f"the section has no end: ${name}; the file is truncated, write the mesh again")
        return end


def _physical_names(sections):
    begin = sections.find("PhysicalNames", required=False)
    if begin is None:
        return {}
    names = {}
    text = sections.data[begin:sections.end("PhysicalNames", begin)].decode("utf-8", "replace")
    for line in text.splitlines()[1:]:
        match = re.match(r'\s*(\d+)\s+(-?\d+)\s+"(.*)"\s*$', line)
        if not match:
            raise MeshError(f"a physical group is not readable: {line[:60]!r}; it must be: dimension tag \"name\"")
        names[int(match.group(1)), int(match.group(2))] = match.group(3)
    return names


def _groups_of_entities(sections):
    """(dimension, entity) -> physical tags, also of the parts of entities that a partitioned mesh has."""
    groups = {}
    numbers = sections.numbers("Entities", required=False)
    if numbers is not None:
        _add_entities(numbers, groups, are_parts=False)
    numbers = sections.numbers("PartitionedEntities", required=False)
    if numbers is not None:
        numbers.sizes(1)                         # partitions
        numbers.ints(2 * numbers.sizes(1)[0])    # entities of ghost elements
        _add_entities(numbers, groups, are_parts=True)
    return groups


def _add_entities(numbers, groups, are_parts):
    counts = [int(count) for count in numbers.sizes(4)]
    for dimension, count in enumerate(counts):
        for _ in range(count):
            entity = int(numbers.ints(1)[0])
            if are_parts:
                numbers.ints(2)                      # the entity that it is a part of
                numbers.ints(numbers.sizes(1)[0])    # its partitions
            numbers.reals(3 if dimension == 0 else 6)
            tags = numbers.ints(numbers.sizes(1)[0])
            groups[dimension, entity] = [abs(int(tag)) for tag in tags]
            if dimension > 0:
                numbers.ints(numbers.sizes(1)[0])


def _nodes_4(sections):
    numbers = sections.numbers("Nodes")
    blocks, total = (int(count) for count in numbers.sizes(4)[:2])
    tags, points = [], []
    for _ in range(blocks):
        dimension, _, parametric = (int(value) for value in numbers.ints(3))
        count = int(numbers.sizes(1)[0])
        if count == 0:
            continue
        width = 3 + (dimension if parametric else 0)
        if not 3 <= width <= 6:
            raise Damaged(f"a block of nodes has dimension {dimension}")
        tags.append(numbers.sizes(count).astype(np.int64))
        points.append(numbers.reals(count * width).reshape(count, width)[:, :3])
    if not points or sum(len(block) for block in points) != total:
        raise Damaged(f"the blocks of $Nodes have {sum(len(block) for block in points)} nodes, not {total}")
    return np.concatenate(tags), np.concatenate(points)


def _nodes_2(sections):
    total, line_end = sections.count("Nodes")
    if not sections.binary:
        table = Text(sections.data[line_end:sections.end("Nodes", line_end)], "Nodes").take(4 * total)
        table = table.reshape(total, 4)
        return table[:, 0].astype(np.int64), table[:, 1:]
    table = Binary(sections.data, line_end + 1, "Nodes", sections.size_bytes).take([("tag", "<i4"), ("x", "<f8", 3)], total)
    return table["tag"].astype(np.int64), table["x"]


def _block(number, nodes, tags):
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
        raise Damaged(f"an element of version 2 has {tags} tags")
    return TYPES[number][1]


def _from_text(text, total):
    """(type, number of tags, table) of each run of equal records."""
    numbers = Text(text, "Elements", np.int64).numbers
    at, seen = 0, 0
    while seen < total:
        if at + 3 > len(numbers):
            raise Damaged(f"the section ends too early: $Elements has {seen} of {number_of(total, 'element')}")
        kind, tags = int(numbers[at + 1]), int(numbers[at + 2])
        length = 3 + tags + _width(kind, tags)
        count = min(reading.run_length(numbers, at, length, [1, 2]), total - seen)
        if at + count * length > len(numbers):
            raise Damaged(f"the section ends too early: $Elements has {seen} of {number_of(total, 'element')}")
        yield kind, tags, numbers[at:at + count * length].reshape(count, length)[:, 3:]
        at, seen = at + count * length, seen + count


def _from_bytes(numbers, total):
    seen = 0
    while seen < total:
        kind, count, tags = (int(value) for value in numbers.ints(3))
        length = 1 + tags + _width(kind, tags)
        if count < 1:
            raise Damaged(f"a block of $Elements has {count} elements")
        yield kind, tags, numbers.ints(count * length).reshape(count, length)[:, 1:].astype(np.int64)
        seen += count


def _elements_2(sections, nodes):
    total, line_end = sections.count("Elements")
    if sections.binary:
        runs = _from_bytes(Binary(sections.data, line_end + 1, "Elements", sections.size_bytes), total)
    else:
        runs = _from_text(sections.data[line_end:sections.end("Elements", line_end)], total)
    by_kind = {}
    for kind, tags, table in runs:
        groups = np.abs(table[:, 0]) if tags else np.zeros(len(table), np.int64)
        by_kind.setdefault(kind, []).append((table[:, tags:], groups))
    return [_block(kind, nodes.rows_of(np.concatenate([table for table, _ in parts])),
                     np.concatenate([groups for _, groups in parts])) for kind, parts in by_kind.items()]


def _elements_4(sections, groups, nodes):
    numbers = sections.numbers("Elements", np.int64)
    counts = numbers.sizes(4)
    several = 0
    blocks = []
    for _ in range(int(counts[0])):
        dimension, entity, kind = (int(value) for value in numbers.ints(3))
        count = int(numbers.sizes(1)[0])
        if kind not in TYPES:
            raise MeshError(f"an element type is not known: Gmsh's type {kind}, {number_of(count, 'element')}; "
                            "mesh without it, or save only the physical groups that the program needs")
        width = TYPES[kind][1]
        table = numbers.sizes(count * (width + 1)).reshape(count, width + 1)
        if groups and (dimension, entity) not in groups:
            raise MeshError(f"elements are of an entity that the file does not describe: dimension {dimension}, number "
                            f"{entity}, {number_of(count, 'element')}, so their group is not known; write the mesh again, with "
                            "all entities in $Entities")
        tags = groups.get((dimension, entity), [])
        several += count if len(tags) > 1 else 0
        blocks.append(_block(kind, nodes.rows_of(table[:, 1:]), np.full(count, tags[0] if tags else 0)))
    return blocks, several


def _periodic_4(sections):
    """(dimension of the entity, tags of nodes, tags of their partners) of each link."""
    numbers = sections.numbers("Periodic", required=False)
    for _ in range(int(numbers.sizes(1)[0]) if numbers is not None else 0):
        dimension = int(numbers.ints(3)[0])
        numbers.reals(numbers.sizes(1)[0])  # the affine map
        pairs = numbers.sizes(2 * int(numbers.sizes(1)[0])).astype(np.int64)
        yield dimension, pairs.reshape(-1, 2)


def _periodic_2(sections):
    """The same of version 2, in which this section is text also in a binary file."""
    begin = sections.find("Periodic", required=False)
    if begin is None:
        return
    lines = sections.data[begin:sections.end("Periodic", begin)]
    numbers = Text(re.sub(rb"^[ \t]*Affine[^\n]*\n", b"", lines, flags=re.M), "Periodic", np.int64)
    for _ in range(int(numbers.take(1)[0])):
        dimension = int(numbers.take(3)[0])
        yield dimension, numbers.take(2 * int(numbers.take(1)[0])).reshape(-1, 2)


def _paired_nodes(links, nodes, dimension):
    return [(nodes.rows_of(pairs.reshape(-1)).reshape(-1, 2), of == dimension - 1) for of, pairs in links if len(pairs)]


def read(path, _):
    with open(path, "rb") as file:
        data = file.read()
    sections = Sections(reading.with_line_feeds(data) if reading.is_text(data) else data)
    names = _physical_names(sections)
    notes = []
    if sections.version.startswith("4"):
        tags, points = _nodes_4(sections)
        nodes, links = reading.Numbering(tags, "node"), _periodic_4(sections)
        groups = _groups_of_entities(sections)
        if names and not groups:
            raise MeshError(f"groups have names, but no elements: {number_of(len(names), 'group')} in $PhysicalNames and no "
                            "$Entities; write the mesh again, or as version 2.2, which has groups in $Elements")
        blocks, several = _elements_4(sections, groups, nodes)
        if several:
            notes.append(f"{number_of(several, 'element')} are in several physical groups; the first one counts")
    else:
        tags, points = _nodes_2(sections)
        nodes, links = reading.Numbering(tags, "node"), _periodic_2(sections)
        blocks = _elements_2(sections, nodes)
    dimension = max((shape_of(block.kind).dimension for block in blocks if len(block.nodes)), default=0)
    pairs = _paired_nodes(links, nodes, dimension)
    return Source(np.ascontiguousarray(points, dtype=np.float64), blocks, names, {}, notes, paired_nodes=pairs)


def _is_gmsh(head):
    return head.lstrip()[:12] in (b"$MeshFormat\n", b"$MeshFormat\r", b"$Comments\n$", b"$Comments\r\n")


FORMAT = Format("gmsh", (), read, has_head=_is_gmsh)
