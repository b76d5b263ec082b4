# SPDX-License-Identifier: BSD-3-Clause
"""What is in an input file of Abaqus? Sets of elements, sets of nodes and surfaces are groups.

Read here and not by meshio because that gives sets to the elements of another type, and knows neither surfaces nor
lower case.
"""
import os
import re

import numpy as np

from .. import reading
from ..failure import Damaged, MeshError
from ..shapes import FACE_OF, shape_of
from ..source import Block, Format, Source

# Names of types, and by the number of nodes: meshio's name.
FAMILIES = [
    (r"(?:D|A|Q)?C3D(\d+)\w*|SC(\d)R\w*", {4: "tetra", 5: "pyramid", 6: "wedge", 8: "hexahedron", 10: "tetra10",
                                         15: "wedge15", 20: "hexahedron20"}),
    (r"(?:DS|S|STRI|M3D|SFM3D|R3D|F3D|F2D|AC2D|ACAX|DC2D|DCAX|CPEG?|CPS|C?GAX|CAX)(3|4|6|8|9)\w*",
     {3: "triangle", 4: "quad", 6: "triangle6", 8: "quad8", 9: "quad9"}),
    (r"(?:T|R|SFMAX|MAX|SAX|RAX|DC)?(?:[123]D|AX|)(2)", {2: "line"}),
    (r"(?:B|PIPE)[23]([123])\w*", {1: "line", 2: "line3", 3: "line"}),
    (r"T[23]D(3)\w*", {3: "line3"}),
]
WIDTHS = {"line": 2, "line3": 3, "triangle": 3, "triangle6": 6, "quad": 4, "quad8": 8, "quad9": 9, "tetra": 4, "tetra10": 10,
          "pyramid": 5, "wedge": 6, "wedge15": 15, "hexahedron": 8, "hexahedron20": 20}
SIX_NODES = "STRI65"
# Corners, from 0, of the faces S1, S2, ... of each shape.
FACES = {"triangle": ((0, 1), (1, 2), (2, 0)), "quad": ((0, 1), (1, 2), (2, 3), (3, 0)),
         "tetra": ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)),
         "pyramid": ((0, 1, 2, 3), (0, 4, 1), (1, 4, 2), (2, 4, 3), (3, 4, 0)),
         "wedge": ((0, 1, 2), (3, 5, 4), (0, 3, 4, 1), (1, 4, 5, 2), (2, 5, 3, 0)),
         "hexahedron": ((0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0))}
# Keywords that make or move nodes and elements.
NOT_READ = {"NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "SYSTEM", "SUBMODEL"}
MOST_INCLUDES = 100


def kind_of(name):
    """meshio's name of a type of Abaqus, or None."""
    name = name.upper()
    if name == SIX_NODES:
        return "triangle6"
    for pattern, kinds in FAMILIES:
        match = re.fullmatch(pattern, name)
        if match:
            return kinds.get(int(next(group for group in match.groups() if group)))
    return None


class Keyword:
    """A keyword with its parameters, all in capitals but for the values, and its lines of data."""

    def __init__(self, line, body):
        name, *parameters = line.split(",")
        self.name = " ".join(name.lstrip("*").split()).upper()
        pairs = [parameter.partition("=") for parameter in parameters]
        self.parameters = {key.strip().upper(): value.strip().strip('"') for key, _, value in pairs if key.strip()}
        self.body = body

    def get(self, parameter):
        return self.parameters.get(parameter)

    def fields(self):
        """The fields of each line."""
        lines = [line for line in reading.string(self.body).split("\n") if line.strip()]
        return [[field.strip().strip('"') for field in line.rstrip().rstrip(",").split(",")] for line in lines]

    def numbers(self, dtype=np.float64):
        if re.search(rb",[ \t]*,", self.body):
            raise MeshError(f"a field is empty: *{self.name}; write the mesh again, with all numbers")
        return reading.numbers(self.body.replace(b",", b" "), f"*{self.name}", dtype)


def _keywords(path, included=()):
    """All keywords in their order, with those of files that *INCLUDE names."""
    if len(included) > MOST_INCLUDES or path in included:
        raise MeshError(f"files include each other: '{path}'; write them as one file")
    data = re.sub(rb"^[ \t]*\*\*[^\n]*\n", b"", reading.read_text(path), flags=re.M)
    data = re.sub(rb"^([ \t]*\*[^\n]*,)[ \t]*\n", rb"\1", data, flags=re.M)  # goes on in the next line
    found = list(re.finditer(rb"^[ \t]*(\*[^\n]*)\n", data, re.M))
    for match, end in zip(found, [match.start() for match in found[1:]] + [len(data)]):
        keyword = Keyword(reading.string(match.group(1)), data[match.end():end])
        other = keyword.get("INPUT")
        if other and keyword.name in ("INCLUDE", "NODE", "ELEMENT", "NSET", "ELSET"):
            other = os.path.join(os.path.dirname(path), other)
            if not os.path.isfile(other):
                raise MeshError(f"an included file is missing: '{other}'; put it beside the other one")
            if keyword.name == "INCLUDE":
                yield from _keywords(other, (*included, path))
                continue
            keyword.body += reading.read_text(other)
        yield keyword


def _check(keywords):
    """What would be lost is refused."""
    for keyword in keywords:
        if keyword.name in NOT_READ:
            raise MeshError(f"a keyword is not supported: *{keyword.name}; write a mesh with all nodes and elements "
                            "(an orphan mesh)")
        if keyword.name == "NODE" and keyword.get("SYSTEM") not in (None, "R", "r"):
            raise Damaged(f"coordinates are not rectangular: *NODE, SYSTEM={keyword.get('SYSTEM')}")
        if keyword.name == "INSTANCE" and keyword.body.strip():
            raise MeshError(f"an instance is moved: '{keyword.get('NAME')}'; write the mesh without parts and instances")
    for name in ("PART", "INSTANCE"):
        if sum(keyword.name == name for keyword in keywords) > 1:
            raise MeshError(f"there are several of *{name}, whose numbers are apart; write the mesh without parts and "
                            "instances")


class _Sets:
    """Named sets of numbers, whose names may be in capitals or not; in the order of the file."""

    def __init__(self, keywords, keyword, parameter):
        self.parameter, self.parts, self.shown = parameter, {}, {}
        for found in keywords:
            if found.name == keyword:
                self._add(found.get(parameter), self._members(found))

    def _add(self, name, members):
        if not name:
            raise Damaged(f"a set has no name: *{self.parameter}")
        self.shown.setdefault(name.upper(), name)
        self.parts.setdefault(name.upper(), []).extend(members)

    def _members(self, keyword):
        """Arrays of numbers, and names of other sets."""
        if "GENERATE" in keyword.parameters:
            return [self._range(fields, keyword) for fields in keyword.fields()]
        if not re.search(rb"[^\d\s,+]", keyword.body):
            return [reading.numbers(re.sub(rb"[,\s]+", b" ", keyword.body), f"*{keyword.name}", np.int64)]
        found = [field for fields in keyword.fields() for field in fields if field]
        return [np.array([int(field)]) if re.fullmatch(r"\+?\d{1,18}", field) else field for field in found]

    @staticmethod
    def _range(fields, keyword):
        if not 2 <= len(fields) <= 3 or not all(re.fullmatch(r"\+?\d{1,10}", field) for field in fields):
            raise MeshError(f"a range is not readable: *{keyword.name}, GENERATE, {', '.join(fields)[:40]}; it must be: "
                            "first, last, step")
        first, last, step = [int(field) for field in fields] + [1] * (3 - len(fields))
        if step < 1 or not 0 <= (last - first) // step < 1 << 31:
            raise Damaged(f"a range is empty: *{keyword.name}, GENERATE, {first}, {last}, {step}")
        return np.arange(first, last + 1, step)

    def add_numbers(self, name, numbers):
        self._add(name, [numbers])

    def numbers_of(self, name, within=()):
        if name.upper() not in self.parts or name.upper() in within:
            raise Damaged(f"a set is not in the file: '{name}', {self.parameter}")
        parts = [self.numbers_of(part.rpartition(".")[2], (*within, name.upper())) if isinstance(part, str) else part
                 for part in self.parts[name.upper()]]
        return np.concatenate([np.zeros(0, np.int64), *parts])


def _nodes(keywords):
    numbers, points = [np.zeros(0, np.int64)], [np.zeros((0, 3))]
    for keyword in keywords:
        if keyword.name != "NODE":
            continue
        values, columns = keyword.numbers(), len(next(iter(keyword.fields()), []))
        if columns < 3 or len(values) % columns:
            if len(values):
                raise Damaged(f"lines of nodes are unequal: *NODE, {len(values)} values in lines of {columns}")
            continue
        table = values.reshape(-1, columns)[:, :4]
        numbers.append(table[:, 0].astype(np.int64))
        points.append(np.pad(table[:, 1:], ((0, 0), (0, 4 - table.shape[1]))))
    return np.concatenate(numbers), np.concatenate(points)


def _elements(keyword):
    """(numbers of elements, block whose nodes are numbers)."""
    name = keyword.get("TYPE") or ""
    kind = kind_of(name)
    if kind is None:
        raise MeshError(f"an element type is not known: Abaqus's '{name}'; export without these elements")
    values = keyword.numbers(np.int64)
    if len(values) % (1 + WIDTHS[kind]):
        raise Damaged(f"lines of elements are unequal: *ELEMENT, TYPE={name}, {len(values)} values, not elements of "
                      f"{WIDTHS[kind]} nodes")
    table = values.reshape(-1, 1 + WIDTHS[kind])
    return table[:, 0], Block(kind, table[:, 1:], np.zeros(len(table), np.int64))


class _Elements:
    def __init__(self, blocks, numbers):
        self.blocks = blocks
        self.first = np.cumsum([0] + [len(block.nodes) for block in blocks])
        self.numbers = reading.Numbering(np.concatenate([np.zeros(0, np.int64), *numbers]), "element")

    def members(self, numbers, user):
        """[(block, rows)] of elements."""
        place = self.numbers.rows_of(numbers, user)
        return [(block, place[(place >= first) & (place < first + len(block.nodes))] - first)
                for block, first in zip(self.blocks, self.first)]


def _side(block, chosen, side, name):
    """The nodes of one side, as S3 or E1, of elements; of the whole element for SPOS and SNEG."""
    shape = shape_of(block.kind)
    if side in ("SPOS", "SNEG") and shape.dimension == 2:
        return block.nodes[chosen][:, :shape.corners]
    match = re.fullmatch(r"[SE]([1-6])", side)
    faces = FACES.get(shape.name, ())
    if not match or int(match.group(1)) > len(faces):
        raise MeshError(f"a surface has a side that elements do not have: '{name}', {side or 'none'} of '{block.kind}'; "
                        "name each side")
    return block.nodes[chosen][:, faces[int(match.group(1)) - 1]]


def _surfaces(keywords, elements, element_sets, source, node_sets, groups):
    """Surfaces of sides become elements of one dimension less, which are groups; those of nodes are sets of nodes."""
    for keyword in keywords:
        if keyword.name != "SURFACE":
            continue
        name, kind = keyword.get("NAME") or "", (keyword.get("TYPE") or "ELEMENT").upper()
        if kind not in ("ELEMENT", "NODE") or "COMBINE" in keyword.parameters or not name:
            raise MeshError(f"a surface is not supported: '{name}', TYPE={kind}; give it sides of elements, or nodes")
        for of, side in ((fields + [""])[:2] for fields in keyword.fields()):
            if kind == "NODE":
                numbers = np.array([int(of)]) if of.isdecimal() else node_sets.numbers_of(of)
                node_sets.add_numbers(name, numbers)
                continue
            numbers = np.array([int(of)]) if of.isdecimal() else element_sets.numbers_of(of.rpartition(".")[2])
            for block, chosen in elements.members(numbers, f"surface '{name}' has"):
                if len(chosen):
                    nodes = _side(block, chosen, side.upper(), name)
                    faces = Block(FACE_OF[nodes.shape[1]], nodes, np.zeros(len(nodes), np.int64))
                    source.blocks.append(faces)
                    groups.add(name, [(faces, np.arange(len(nodes)))])


def read(path, _):
    keywords = list(_keywords(path))
    _check(keywords)
    numbers, points = _nodes(keywords)
    nodes = reading.Numbering(numbers, "node")
    found = [(keyword, *_elements(keyword)) for keyword in keywords if keyword.name == "ELEMENT"]
    for keyword, _, block in found:
        block.nodes = nodes.rows_of(block.nodes.reshape(-1), f"*ELEMENT, TYPE={keyword.get('TYPE')} has").reshape(block.nodes.shape)
    elements = _Elements([block for *_, block in found], [numbers for _, numbers, _ in found])
    source = Source(points, [block for *_, block in found])
    element_sets, node_sets = _Sets(keywords, "ELSET", "ELSET"), _Sets(keywords, "NSET", "NSET")
    for keyword, mine, _ in found:
        if keyword.get("ELSET"):
            element_sets.add_numbers(keyword.get("ELSET"), mine)
    for keyword in keywords:
        if keyword.name == "NODE" and keyword.get("NSET"):
            node_sets.add_numbers(keyword.get("NSET"), keyword.numbers()[::len(keyword.fields()[0])].astype(np.int64))
    groups = reading.NamedSets(source)
    for name, shown in element_sets.shown.items():
        groups.add(shown, elements.members(np.unique(element_sets.numbers_of(name)), f"set '{shown}' has"))
    _surfaces(keywords, elements, element_sets, source, node_sets, groups)
    source.node_sets = {shown: nodes.rows_of(np.unique(node_sets.numbers_of(name)), f"set '{shown}' has")
                        for name, shown in node_sets.shown.items()}
    return source


FORMAT = Format("inp", (".inp",), read)
