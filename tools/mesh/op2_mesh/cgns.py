# SPDX-License-Identifier: BSD-3-Clause
"""What is in a CGNS file (HDF5) with unstructured zones? Boundary conditions are groups.

Read here and not by meshio because that knows one zone of tetrahedra without boundary conditions.
"""
import numpy as np

from .failure import MeshError, number_of
from .shapes import VERTICAL_FIRST, shape_of
from .source import Block, Source

# Number of the element type -> meshio's name and number of nodes.
TYPES = {2: ("vertex", 1), 3: ("line", 2), 4: ("line3", 3), 5: ("triangle", 3), 6: ("triangle6", 6), 7: ("quad", 4),
         8: ("quad8", 8), 9: ("quad9", 9), 10: ("tetra", 4), 11: ("tetra10", 10), 12: ("pyramid", 5),
         13: ("pyramid14", 14), 14: ("wedge", 6), 15: ("wedge15", 15), 16: ("wedge18", 18), 17: ("hexahedron", 8),
         18: ("hexahedron20", 20), 19: ("hexahedron27", 27), 21: ("pyramid13", 13)}
MIXED = 20


def _label(node):
    label = node.attrs.get("label", b"")
    return label.decode("ascii", "replace").strip("\0 ") if isinstance(label, bytes) else str(label)


def _children(h5py, node, label):
    """(name, node) of all children with the label, by name."""
    for name in node:
        child = node[name]
        if isinstance(child, h5py.Group) and _label(child) == label:
            yield name, child


def _data(node):
    return np.asarray(node[" data"]).reshape(-1)


def _text(node):
    return _data(node).astype(np.uint8).tobytes().decode("ascii", "replace").strip("\0 ")


def _mixed(values, section):
    """(type, nodes) of each run of equal elements."""
    at = 0
    while at < len(values):
        kind = int(values[at])
        if kind not in TYPES:
            raise MeshError(f"an element type is not known: CGNS's type {kind} in section '{section}'; export without it")
        length = TYPES[kind][1] + 1
        count = (len(values) - at) // length
        if count < 1:
            raise MeshError(f"section '{section}' ends within an element; write the mesh again")
        window = 64
        run = 1
        while run < count:
            most = min(run + window, count)
            other = np.flatnonzero(values[at + run * length:at + most * length:length] != kind)
            if len(other):
                run += int(other[0])
                break
            run, window = most, 2 * window
        yield kind, values[at:at + run * length].reshape(run, length)[:, 1:]
        at += run * length


def _sections(h5py, zone):
    """(first element, kind, nodes from 0) of each block of elements."""
    for name, section in _children(h5py, zone, "Elements_t"):
        kind = int(_data(section)[0])
        first = int(_data(section["ElementRange"])[0])
        values = _data(section["ElementConnectivity"]).astype(np.int64)
        if kind not in TYPES and kind != MIXED:
            raise MeshError(f"an element type is not known: CGNS's type {kind} in section '{name}', "
                            f"{number_of(len(values), 'value')}; supported are triangles, quadrilaterals, tetrahedra, "
                            "pyramids, wedges and hexahedra")
        for number, nodes in _mixed(values, name) if kind == MIXED else [(kind, None)]:
            meshio_name, width = TYPES[number]
            if nodes is None:
                if len(values) % width:
                    raise MeshError(f"section '{name}' has {len(values)} values, which are not elements of {width} nodes; "
                                    "write the mesh again")
                nodes = values.reshape(-1, width)
            yield first, meshio_name, nodes[:, VERTICAL_FIRST.get(meshio_name, range(width))] - 1
            first += len(nodes)


def _conditions(h5py, zone):
    """(name, location, points) of each boundary condition."""
    for _, conditions in _children(h5py, zone, "ZoneBC_t"):
        for name, condition in _children(h5py, conditions, "BC_t"):
            location = _text(condition["GridLocation"]) if "GridLocation" in condition else "Vertex"
            family = next((_text(node) for _, node in _children(h5py, condition, "FamilyName_t")), name)
            if "PointRange" in condition:
                begin, end = _data(condition["PointRange"])[:2]
                if not 0 <= end - begin < 1 << 31:
                    raise MeshError(f"a boundary condition has a wrong range: '{name}', {begin} to {end}; write the mesh again")
                yield family, location, begin, end, None
            elif "PointList" in condition or "ElementList" in condition:
                points = _data(condition["PointList" if "PointList" in condition else "ElementList"])
                yield family, location, None, None, points.astype(np.int64)


def _apply(blocks, firsts, tag, begin, end, points):
    """Gives the elements of a boundary condition their tag; the dimensions of these elements."""
    for block, first in zip(blocks, firsts):
        if points is None:
            mine = slice(max(begin - first, 0), max(end - first + 1, 0))
        else:
            mine = points[(points >= first) & (points < first + len(block.nodes))] - first
        block.tags[mine] = tag
        if len(block.tags[mine]):
            yield shape_of(block.kind).dimension


def _zone(h5py, name, zone, source, tags):
    kind = next((_text(node) for _, node in _children(h5py, zone, "ZoneType_t")), "Structured")
    if kind != "Unstructured":
        raise MeshError(f"a zone is not unstructured: '{name}', {kind}; export an unstructured mesh")
    grid = next((node for _, node in _children(h5py, zone, "GridCoordinates_t")), None)
    if grid is None:
        raise MeshError(f"a zone has no coordinates: '{name}'; write the mesh again")
    columns = [_data(grid[f"Coordinate{axis}"]).astype(np.float64) for axis in "XYZ" if f"Coordinate{axis}" in grid]
    points = np.stack(columns, axis=1)
    points = np.pad(points, ((0, 0), (0, 3 - points.shape[1])))
    blocks, firsts = [], []
    for first, meshio_name, nodes in _sections(h5py, zone):
        if len(nodes) and (nodes.min() < 0 or nodes.max() >= len(points)):
            raise MeshError(f"elements have nodes that zone '{name}' does not have: {meshio_name}, "
                            f"{number_of(len(points), 'node')}; write the mesh again")
        blocks.append(Block(meshio_name, nodes, np.zeros(len(nodes), np.int64)))
        firsts.append(first)
    for family, location, begin, end, listed in _conditions(h5py, zone):
        if location == "Vertex":
            nodes = np.arange(begin, end + 1) if listed is None else listed
            nodes = nodes[(nodes >= 1) & (nodes <= len(points))] - 1 + len(source.points)
            source.node_sets[family] = np.concatenate([source.node_sets.get(family, nodes[:0]), nodes])
        else:
            tag = tags.setdefault(family, len(tags) + 1)
            source.names.update({(dimension, tag): family
                                 for dimension in _apply(blocks, firsts, tag, begin, end, listed)})
    for block in blocks:
        block.nodes = block.nodes + len(source.points)
    source.points = np.concatenate([source.points, points])
    source.blocks += blocks


def read(h5py, path):
    """All zones; nodes of several zones are apart until they are merged."""
    source, tags = Source(np.zeros((0, 3))), {}
    with h5py.File(path, "r") as file:
        zones = [pair for _, base in _children(h5py, file, "CGNSBase_t") for pair in _children(h5py, base, "Zone_t")]
        if not zones:
            raise MeshError("the file has no zones; write the mesh again")
        for name, zone in zones:
            _zone(h5py, name, zone, source, tags)
    if len(zones) > 1:
        source.notes.append(f"{len(zones)} zones, whose common nodes are apart unless --merge joins them")
    return source
