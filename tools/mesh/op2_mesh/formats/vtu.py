# SPDX-License-Identifier: BSD-3-Clause
"""What is in a VTU file, an unstructured grid of VTK in XML?

Read here and not by meshio because that leaves out pieces but the last one, and cells whose types it does not know.
"""
import base64
import lzma
import re
import zlib
from xml.etree import ElementTree

import numpy as np

from ..failure import Damaged, MeshError, number_of
from ..reading import numbers
from ..source import Block, Format, Source
from .with_meshio import chosen_tags

# Number of the type -> meshio's name and number of nodes.
TYPES = {1: ("vertex", 1), 3: ("line", 2), 5: ("triangle", 3), 8: ("pixel", 4), 9: ("quad", 4), 10: ("tetra", 4),
         11: ("voxel", 8), 12: ("hexahedron", 8), 13: ("wedge", 6), 14: ("pyramid", 5), 21: ("line3", 3),
         22: ("triangle6", 6), 23: ("quad8", 8), 24: ("tetra10", 10), 25: ("hexahedron20", 20), 26: ("wedge15", 15),
         27: ("pyramid13", 13), 28: ("quad9", 9), 29: ("hexahedron27", 27), 32: ("wedge18", 18)}
POLYGON = 7
OF_POLYGONS = {3: ("triangle", 3), 4: ("quad", 4)}
# Types whose nodes have another order than here -> the name, and that order.
OTHER_ORDER = {"pixel": ("quad", [0, 1, 3, 2]), "voxel": ("hexahedron", [0, 1, 3, 2, 4, 5, 7, 6]),
               "wedge": ("wedge", [0, 2, 1, 3, 5, 4])}
SCALARS = {"Float32": "f4", "Float64": "f8", **{f"{sign}Int{8 * size}": f"{sign.lower() or 'i'}{size}"
                                             for sign in ("", "U") for size in (1, 2, 4, 8)}}
COMPRESSORS = {"vtkZLibDataCompressor": zlib.decompress, "vtkLZMADataCompressor": lzma.decompress}


class _Xml:
    """The tree of the file, and the numbers in its arrays, whatever their encoding."""

    def __init__(self, data):
        data, self.appended, self.is_raw = self._split(data)
        try:
            self.root = ElementTree.fromstring(data)
        except ElementTree.ParseError as error:
            raise Damaged(f"the XML cannot be read: {error}") from None
        if self.root.tag != "VTKFile" or self.root.get("type") != "UnstructuredGrid":
            raise MeshError(f"the file has no unstructured grid, but '{self.root.get('type', self.root.tag)}'; "
                            "write one, as .vtu")
        order = ">" if self.root.get("byte_order") == "BigEndian" else "<"
        self.order, self.header = order, np.dtype(order + SCALARS[self.root.get("header_type", "UInt32")])
        compressor = self.root.get("compressor")
        if compressor and compressor not in COMPRESSORS:
            raise MeshError(f"the compression is not supported: {compressor}; write the mesh with zlib")
        self.decompress = COMPRESSORS.get(compressor)

    @staticmethod
    def _split(data):
        """The XML without the appended data, these, and whether they are raw bytes, which XML cannot have."""
        begin = re.search(rb"<AppendedData([^>]*)>\s*_", data)
        if not begin:
            return data, b"", False
        end = data.rfind(b"</AppendedData>")
        if end < begin.end():
            raise MeshError("the appended data have no end; the file is truncated, write the mesh again")
        return data[:begin.end()] + data[end:], data[begin.end():end], b"raw" in begin.group(1)

    def values(self, array, what):
        kind = array.get("type")
        if kind not in SCALARS:
            raise MeshError(f"an array has no numbers: {what}, type {kind}; export without it")
        dtype, form = np.dtype(self.order + SCALARS[kind]), array.get("format", "ascii")
        if form == "ascii":
            return numbers((array.text or "").encode(), what, np.float64 if dtype.kind == "f" else np.int64)
        if form == "binary":
            found = self._decoded(re.sub(rb"\s+", b"", (array.text or "").encode()), False, what)
        else:
            found = self._decoded(self.appended[int(array.get("offset", "0")):], self.is_raw, what)
        if len(found) % dtype.itemsize:
            raise Damaged(f"an array ends within a value: {what}, {len(found)} bytes")
        return np.frombuffer(found, dtype)

    def _decoded(self, data, is_raw, what):
        """The bytes of an array, behind their number; if they are compressed, behind the numbers of those of blocks."""
        width = self.header.itemsize
        if self.decompress is None:
            size = int(self._header(data, 1, is_raw, what)[0])
            found = self._bytes(data, width + size, is_raw)[width:] if size <= len(data) else b""
            if size and len(found) < size and not is_raw:  # the number is encoded apart
                found = self._bytes(data[-(-width // 3) * 4:], size, is_raw)
            if len(found) != size:
                raise Damaged(f"an array ends too early: {what}, {len(found)} of {size} bytes")
            return found
        blocks = int(self._header(data, 1, is_raw, what)[0])
        if blocks > len(data):
            raise Damaged(f"an array ends too early: {what}, {blocks} blocks")
        if blocks == 0:
            return b""
        header = self._header(data, 3 + blocks, is_raw, what)
        sizes = header[3:].astype(np.int64)
        begin = (3 + blocks) * width if is_raw else -(-(3 + blocks) * width // 3) * 4
        if sizes.min() < 0 or int(sizes.sum()) > len(data):
            raise Damaged(f"an array ends too early: {what}, blocks of {sizes.sum()} bytes")
        packed = self._bytes(data[begin:], int(sizes.sum()), is_raw)
        ends = np.cumsum(sizes)
        try:
            return b"".join(self.decompress(packed[end - size:end]) for size, end in zip(sizes, ends))
        except (zlib.error, lzma.LZMAError, EOFError) as error:
            raise Damaged(f"an array is damaged: {what}, {error}") from None

    def _header(self, data, count, is_raw, what):
        found = self._bytes(data, count * self.header.itemsize, is_raw)
        if len(found) < count * self.header.itemsize:
            raise Damaged(f"an array ends too early: {what}")
        return np.frombuffer(found, self.header)

    @staticmethod
    def _bytes(data, count, is_raw):
        """The first bytes of an encoded array, up to padding."""
        if is_raw:
            return data[:count]
        letters = data[:-(-count // 3) * 4]
        try:
            return base64.b64decode(letters)[:count]
        except ValueError as error:
            raise Damaged(f"an array is not in base 64: {error}") from None


def _cells(connectivity, offsets, types):
    """(rows of cells, meshio's name, nodes) of each type, in the order in which types come first."""
    begins = np.concatenate([[0], offsets[:-1]]).astype(np.int64)
    sizes = offsets - begins
    if len(offsets) and ((sizes < 0).any() or offsets[-1] > len(connectivity)):
        raise Damaged(f"cells have more nodes than the file: {int(offsets.max())} of {len(connectivity)} values")
    keys = types.astype(np.int64) * (1 << 32) + np.where(types == POLYGON, sizes, 0)
    _, first = np.unique(keys, return_index=True)
    for key in keys[np.sort(first)]:
        chosen, number = np.flatnonzero(keys == key), int(key >> 32)
        kinds = OF_POLYGONS.get(int(sizes[chosen[0]])) if number == POLYGON else TYPES.get(number)
        if kinds is None:
            raise MeshError(f"an element type is not supported: VTK's type {number} with {sizes[chosen[0]]} nodes, "
                            f"{number_of(len(chosen), 'cell')}; supported are triangles, quadrilaterals, tetrahedra, pyramids, "
                            "wedges and hexahedra")
        name, width = kinds
        if (sizes[chosen] != width).any():
            raise Damaged(f"cells have a wrong number of nodes: VTK's type {number} with "
                          f"{sizes[chosen][sizes[chosen] != width][0]}, not {width}")
        nodes = connectivity[begins[chosen][:, None] + np.arange(width)]
        name, order = OTHER_ORDER.get(name, (name, slice(None)))
        yield chosen, name, nodes[:, order]


def _array(xml, parent, name, count, what):
    array = next((found for found in parent if found.get("Name") == name), None) if parent is not None else None
    if array is None:
        raise Damaged(f"an array is missing: {what}")
    values = xml.values(array, what)
    if count is not None and len(values) != count:
        raise Damaged(f"an array has a wrong size: {what}, {len(values)} values, not {count}")
    return values


def _count(piece, name):
    value = piece.get(name, "")
    if not re.fullmatch(r"\s*\d{1,18}\s*", value):
        raise Damaged(f"a number is not readable: {name} is '{value[:40]}'")
    return int(value)


def read(path, tag_data):
    with open(path, "rb") as file:
        xml = _Xml(file.read())
    source, data, rows_of_blocks, first = Source(np.zeros((0, 3))), {}, [], 0
    pieces = list(xml.root.iter("Piece"))
    if len(pieces) > 1:
        source.notes.append(f"{len(pieces)} pieces, whose common nodes are apart unless --merge joins them")
    for piece in pieces:
        nodes, cells = _count(piece, "NumberOfPoints"), _count(piece, "NumberOfCells")
        coordinates = piece.find("Points/DataArray")
        points = xml.values(coordinates, "Points") if coordinates is not None else np.zeros(0)
        if len(points) != 3 * nodes:
            raise Damaged(f"nodes are missing: Points has {len(points)} values, not {nodes} x 3")
        arrays = piece.find("Cells")
        offsets = _array(xml, arrays, "offsets", cells, "offsets").astype(np.int64)
        types = _array(xml, arrays, "types", cells, "types")
        connectivity = _array(xml, arrays, "connectivity", int(offsets[-1]) if cells else None, "connectivity").astype(np.int64)
        if len(connectivity) and (connectivity.min() < 0 or connectivity.max() >= nodes):
            raise Damaged(f"cells have nodes that the file does not have: {connectivity.min()} to {connectivity.max()} of "
                          f"{nodes}")
        for rows, kind, corners in _cells(connectivity, offsets, types):
            source.blocks.append(Block(kind, corners + len(source.points), np.zeros(len(rows), np.int64)))
            rows_of_blocks.append(first + rows)
        for array in piece.findall("CellData/DataArray"):
            if array.get("type") in SCALARS and int(array.get("NumberOfComponents") or 1) == 1:
                what = f"cell data '{array.get('Name')}'"
                values = _array(xml, piece.find("CellData"), array.get("Name"), cells, what)
                data.setdefault(array.get("Name"), {})[first] = values
        source.points = np.concatenate([source.points, points.reshape(nodes, 3).astype(np.float64)])
        first += cells
    return _with_tags(source, data, rows_of_blocks, first, tag_data)


def _with_tags(source, data, rows_of_blocks, count, tag_data):
    """Gives cells their groups. Cell data that not all pieces have are 0 in the others."""
    whole = {}
    for name, parts in data.items():
        whole[name] = np.zeros(count, np.result_type(*parts.values()))
        for begin, values in parts.items():
            whole[name][begin:begin + len(values)] = values
    tags = chosen_tags({name: [values] for name, values in whole.items()}, tag_data)
    if tags is not None:
        for block, rows in zip(source.blocks, rows_of_blocks):
            block.tags = tags[0][rows]
    return source


FORMAT = Format("vtu", (".vtu",), read, tagged=True)
