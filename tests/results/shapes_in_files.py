# SPDX-License-Identifier: BSD-3-Clause
"""Reads files with one cell without VTK: is it of the right type, and do its nodes have the right order?"""
import xml.etree.ElementTree as ElementTree

import expected_series as expected
import h5py
import numpy

# The faces of solids by corners, seen from outside, by VTK's type.
FACES = {10: ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
         14: ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),
         13: ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
         12: ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))}
TYPES = {"Float64": "<f8", "Int32": "<i4", "Int64": "<i8", "UInt8": "u1"}


def size_of(kind, x):
    """Length, area or volume; negative if the nodes of a solid are in the opposite order.

    @param x  [corners x 3]
    """
    if kind == 3:
        return numpy.linalg.norm(x[1] - x[0])
    fans = [(face[0], *face[k:k + 2]) for face in FACES.get(kind, [range(len(x))]) for k in range(1, len(face) - 1)]
    if kind in FACES:
        return sum(numpy.linalg.det(x[list(fan)]) for fan in fans) / 6
    return numpy.linalg.norm(sum(numpy.cross(x[b] - x[a], x[c] - x[a]) for a, b, c in fans)) / 2


def in_space(x):
    return numpy.pad(x, ((0, 0), (0, 3 - x.shape[1])))


def cells_of_vtu(path):
    """[(type, x)] of a file with appended raw data."""
    header, _, data = path.read_bytes().partition(b'<AppendedData encoding="raw">\n_')
    arrays = {}
    for array in ElementTree.fromstring(header + b"</VTKFile>").iter("DataArray"):
        begin = int(array.get("offset"))
        size = int(numpy.frombuffer(data, "<u8", 1, begin)[0])
        dtype = numpy.dtype(TYPES[array.get("type")])
        arrays[array.get("Name")] = numpy.frombuffer(data, dtype, size // dtype.itemsize, begin + 8)
    x, begin = arrays["Points"].reshape(-1, 3), 0
    for kind, end in zip(arrays["types"], arrays["offsets"]):
        yield int(kind), x[arrays["connectivity"][begin:end]]
        begin = end


def cells_of_pvd(path):
    file = path.parent / ElementTree.parse(path).find("Collection/DataSet").get("file")
    pieces = [file]
    if file.suffix == ".pvtu":
        pieces = [file.parent / piece.get("Source") for piece in ElementTree.parse(file).iter("Piece")]
    return [cell for piece in pieces for cell in cells_of_vtu(piece)]


def cells_of_xdmf(path):
    """[(name of the type, x)]."""
    grid = ElementTree.parse(path).find("Domain/Grid/Grid")

    def values(tag):
        name, dataset = grid.find(f"{tag}/DataItem").text.split(":/")
        with h5py.File(path.parent / name) as file:
            return file[dataset][...]
    return [(grid.find("Topology").get("TopologyType"), in_space(values("Geometry")[nodes])) for nodes in values("Topology")]


def check(folder):
    for name, (kind, in_xdmf, size) in expected.SHAPES.items():
        for file, word, cells in (("pvd", kind, cells_of_pvd), ("xdmf", in_xdmf, cells_of_xdmf)):
            (found, x), = cells(folder / f"{name}.{file}")
            assert found == word, (name, file, found)
            assert abs(size_of(kind, x) - size) < 1e-12, (name, file, size_of(kind, x))
    print(f"checked one cell of each of {len(expected.SHAPES)} shapes")
