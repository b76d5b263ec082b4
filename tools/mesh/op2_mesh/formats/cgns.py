# SPDX-License-Identifier: BSD-3-Clause
"""What is in a CGNS file (HDF5) with unstructured zones? Boundary conditions are groups, or else sections of their faces.

Read here and not by meshio because that knows one zone of tetrahedra without boundary conditions.
"""
import os
from dataclasses import dataclass

import numpy as np

from ..failure import Damaged, MeshError, needed, number_of, rows
from ..reading import NamedSets, of_equal_elements
from ..shapes import VERTICAL_FIRST, shape_of
from ..source import Block, Format, Source

# Number of the element type -> meshio's name and number of nodes.
TYPES = {2: ("vertex", 1), 3: ("line", 2), 4: ("line3", 3), 5: ("triangle", 3), 6: ("triangle6", 6), 7: ("quad", 4),
         8: ("quad8", 8), 9: ("quad9", 9), 10: ("tetra", 4), 11: ("tetra10", 10), 12: ("pyramid", 5),
         13: ("pyramid14", 14), 14: ("wedge", 6), 15: ("wedge15", 15), 16: ("wedge18", 18), 17: ("hexahedron", 8),
         18: ("hexahedron20", 20), 19: ("hexahedron27", 27), 21: ("pyramid13", 13)}
MIXED = 20
HDF5 = b"\x89HDF\r\n\x1a\n"
# Numbers of version 3.0 alone, from 13 on -> those of all others.
OF_VERSION_3_0 = {13: 21, 14: 13, 15: 14, 16: 15, 17: 16, 18: 17, 19: 18, 20: 19, 21: 20}


def _label(node):
    label = node.attrs.get("label", b"")
    return label.decode("ascii", "replace").strip("\0 ") if isinstance(label, bytes) else str(label)


def _followed(h5py, parent, name):
    """What is at a name, perhaps in another file, which must be a regular one: another might be waited for."""
    link = parent.get(name, getlink=True)
    if isinstance(link, h5py.ExternalLink):
        path = os.path.join(os.path.dirname(parent.file.filename), link.filename)
        if not os.path.isfile(path):
            raise MeshError(f"a linked file is missing, or not a regular one: '{parent.name}' is in '{link.filename}'; put it "
                            "beside this one")
    try:
        return parent[name]
    except (KeyError, OSError):
        raise Damaged(f"a link leads to nothing: '{parent.name}' is '{getattr(link, 'path', name)}'") from None


def _linked(h5py, parent, name):
    """The node of this name, also one that a link of CGNS leads to."""
    node = _followed(h5py, parent, name)
    if not isinstance(node, h5py.Group) or node.get(" link", getlink=True) is None:
        return node
    return _followed(h5py, node, " link")


def _children(h5py, node, label):
    """(name, node) of all children with the label, by name."""
    for name in node:
        if name == " link":
            continue
        child = _linked(h5py, node, name)
        if isinstance(child, h5py.Group) and _label(child) == label:
            yield name, child


def _data(node):
    return np.asarray(node[" data"]).reshape(-1)


def _text(node):
    return _data(node).astype(np.uint8).tobytes().decode("ascii", "replace").strip("\0 ")


def _sections(h5py, zone, numbering):
    """(name, first element, kind, nodes from 0) of each block of elements.

    @param numbering  a function from types in the file to those of TYPES
    """
    for name, section in _children(h5py, zone, "Elements_t"):
        kind = numbering(int(_data(section)[0]))
        first, last = (int(value) for value in _data(section["ElementRange"])[:2])
        values = _data(section["ElementConnectivity"]).astype(np.int64)
        if kind not in TYPES and kind != MIXED:
            raise MeshError(f"an element type is not known: CGNS's type {kind} in section '{name}', "
                            f"{number_of(len(values), 'value')}; supported are triangles, quadrilaterals, tetrahedra, "
                            "pyramids, wedges and hexahedra")
        width = TYPES[kind][1] if kind != MIXED else 1
        if len(values) % width:
            raise Damaged(f"section '{name}' has {len(values)} values, which are not elements of {width} nodes")
        kinds = {number: TYPES[numbering(number)] for number in range(2, 22) if numbering(number) in TYPES}
        found = of_equal_elements(values, kinds, 0, name) if kind == MIXED else [(None, values.reshape(-1, width))]
        begin = first
        for number, nodes in found:
            meshio_name = TYPES[kind][0] if number is None else kinds[number][0]
            yield name, first, meshio_name, nodes[:, VERTICAL_FIRST.get(meshio_name, range(nodes.shape[1]))] - 1
            first += len(nodes)
        if first - begin != last - begin + 1:
            raise Damaged(f"section '{name}' has {number_of(first - begin, 'element')}, but numbers {begin} to {last}")


def _list_of(node, what, name):
    """(first, last, None), or (None, None, list) of the numbers of a PointRange or PointList."""
    values = _data(node).astype(np.int64)
    if what.endswith("List"):
        return None, None, values
    if len(values) < 2 or not 0 <= values[1] - values[0] < 1 << 31:
        raise Damaged(f"a boundary condition has a wrong range: '{name}', {rows(values)}")
    return values[0], values[1], None


def _conditions(h5py, zone):
    """(name, whether its numbers are nodes, first, last, list) of each boundary condition."""
    for _, conditions in _children(h5py, zone, "ZoneBC_t"):
        for name, condition in _children(h5py, conditions, "BC_t"):
            what = next((what for what in ("PointRange", "PointList", "ElementRange", "ElementList") if what in condition), None)
            if what is None:
                continue
            location = _text(condition["GridLocation"]) if "GridLocation" in condition else "Vertex"
            family = next((_text(node) for _, node in _children(h5py, condition, "FamilyName_t")), name)
            yield (family, location == "Vertex" and what.startswith("Point"),
                   *_list_of(_linked(h5py, condition, what), what, family))


def _inside(count, of, name, begin, end, points):
    """Numbers of a boundary condition, from 1; one that the zone does not have is refused."""
    points = np.arange(begin, end + 1) if points is None else points
    bad = np.flatnonzero((points < 1) | (points > count))
    if len(bad):
        raise Damaged(f"a boundary condition has {of}s that the zone does not have: '{name}', {rows(points[bad])} of "
                      f"{number_of(count, of)}")
    return points


def _members(blocks, firsts, points, name):
    """[(block, rows)] of elements, from 1."""
    members = [(block, points[(points >= first) & (points < first + len(block.nodes))] - first)
               for block, first in zip(blocks, firsts)]
    if sum(len(chosen) for _, chosen in members) != len(points):
        raise Damaged(f"a boundary condition has elements that no section has: '{name}', {number_of(len(points), 'number')}")
    return members


def _zone(h5py, name, zone, source, groups, region, numbering):
    kind = next((_text(node) for _, node in _children(h5py, zone, "ZoneType_t")), "Structured")
    if kind != "Unstructured":
        raise MeshError(f"a zone is not unstructured: '{name}', {kind}; export an unstructured mesh")
    grid = next((node for _, node in _children(h5py, zone, "GridCoordinates_t")), None)
    if grid is None:
        raise Damaged(f"a zone has no coordinates: '{name}'")
    columns = [_data(grid[f"Coordinate{axis}"]).astype(np.float64) for axis in "XYZ" if f"Coordinate{axis}" in grid]
    points = np.stack(columns, axis=1)
    points = np.pad(points, ((0, 0), (0, 3 - points.shape[1])))
    blocks, firsts, sections = [], [], []
    for section, first, meshio_name, nodes in _sections(h5py, zone, numbering):
        if len(nodes) and (nodes.min() < 0 or nodes.max() >= len(points)):
            raise Damaged(f"elements have nodes that zone '{name}' does not have: {meshio_name}, "
                          f"{number_of(len(points), 'node')}")
        blocks.append(Block(meshio_name, nodes + len(source.points), np.zeros(len(nodes), np.int64)))
        firsts.append(first)
        sections.append(section)
    source.blocks += blocks
    last = max([first + len(block.nodes) - 1 for block, first in zip(blocks, firsts)], default=0)
    in_sets = []
    for family, is_nodes, *numbers in _conditions(h5py, zone):
        if is_nodes:
            nodes = _inside(len(points), "node", family, *numbers) - 1 + len(source.points)
            in_sets.append(nodes)
            source.node_sets[family] = np.concatenate([source.node_sets.get(family, nodes[:0]), nodes])
        else:
            groups.add(family, _members(blocks, firsts, _inside(last, "element", family, *numbers), family))
    links = list(_periodic_links(h5py, zone))
    dimension = max((shape_of(block.kind).dimension for block in blocks if len(block.nodes)), default=0)
    _name_the_rest(blocks, sections, dimension, region, groups, in_sets)
    start = len(source.points)
    source.points = np.concatenate([source.points, points])
    return _Zone(start, len(points), blocks, firsts, links)


@dataclass
class _Zone:
    """What is needed of a zone by its periodic neighbours."""
    start: int      # of its nodes among all
    nodes: int
    blocks: list
    firsts: list    # the number of the first element of each block, from 1
    links: list     # of _periodic_links

    def faces(self, points, name):
        """The nodes of elements of one shape, by their numbers."""
        members = [(block, chosen) for block, chosen in _members(self.blocks, self.firsts, np.unique(points), name) if len(chosen)]
        if len(members) != 1:
            raise MeshError(f"periodic faces are of several sections: connection '{name}'; write one for each")
        block, _ = members[0]
        first = next(first for other, first in zip(self.blocks, self.firsts) if other is block)
        return block.nodes[points - first][:, :shape_of(block.kind).corners]


def _periodic_links(h5py, zone):
    """(name, whether by nodes, numbers, name of the other zone, numbers there) of each periodic connection."""
    for _, group in _children(h5py, zone, "ZoneGridConnectivity_t"):
        for name, link in _children(h5py, group, "GridConnectivity_t"):
            properties = [node for _, node in _children(h5py, link, "GridConnectivityProperty_t")]
            if not any(True for node in properties for _ in _children(h5py, node, "Periodic_t")):
                continue
            if "PointList" not in link or "PointListDonor" not in link:
                raise MeshError(f"a periodic connection has no lists of points: '{name}'; write it with PointList and "
                                "PointListDonor")
            here, there = (_data(_linked(h5py, link, what)).astype(np.int64) for what in ("PointList", "PointListDonor"))
            if len(here) != len(there):
                raise Damaged(f"a periodic connection has unequal lists: '{name}', {len(here)} and {len(there)}")
            location = _text(link["GridLocation"]) if "GridLocation" in link else "Vertex"
            yield name, location == "Vertex", here, _text(link).rpartition("/")[2], there


def _add_periodic_pairs(source, zones):
    """@param zones  name -> _Zone"""
    for zone in zones.values():
        for name, is_nodes, here, other, there in zone.links:
            if other not in zones:
                raise Damaged(f"a periodic connection leads to a zone that is not there: '{name}', '{other}'")
            donor = zones[other]
            if is_nodes:
                pairs = [_inside(side.nodes, "node", name, None, None, points) - 1 + side.start
                         for side, points in ((zone, here), (donor, there))]
                source.paired_nodes.append((np.stack(pairs, axis=1), True))
            elif len(here):
                source.paired_faces.append((zone.faces(here, name), donor.faces(there, name)))


def _name_the_rest(blocks, sections, dimension, region, groups, in_sets):
    """Elements of the boundary in no condition are in the group of their section, cells in no other in that of the zone.

    @param in_sets  the nodes of each condition by nodes, by which faces are named later
    """
    for block, section in zip(blocks, sections):
        rest = np.flatnonzero(block.tags == 0)
        if shape_of(block.kind).dimension < dimension:
            for nodes in in_sets:
                rest = rest[~np.isin(block.nodes[rest], nodes).all(axis=1)]
        name = section if shape_of(block.kind).dimension < dimension else region
        if len(rest) and name:
            groups.add(name, [(block, rest)])


def _numbering(h5py, file):
    """A function from types of elements in the file to those of TYPES."""
    version = next((float(_data(node)[0]) for _, node in _children(h5py, file, "CGNSLibraryVersion_t")), 4.0)
    return (lambda kind: OF_VERSION_3_0.get(kind, kind)) if 2.995 < version < 3.095 else (lambda kind: kind)


def _regions(h5py, zones):
    """The name of each zone's region: its family, or its name if there are several; two of one name have their bases' too."""
    names = [name for _, name, _ in zones]
    for base, name, zone in zones:
        family = next((_text(node) for _, node in _children(h5py, zone, "FamilyName_t")), None)
        plain = name if names.count(name) == 1 else f"{base}/{name}"
        yield family or (plain if len(zones) > 1 else None)


def read(path, _):
    """All zones; nodes of several zones are apart until they are merged."""
    h5py = needed("h5py", "reads CGNS")
    with open(path, "rb") as file:
        if file.read(len(HDF5)) != HDF5:
            raise MeshError("this CGNS file is not an HDF5 file (perhaps ADF); convert it with adf2hdf")
    source = Source(np.zeros((0, 3)))
    groups = NamedSets(source)
    with h5py.File(path, "r") as file:
        zones = [(base_name, name, zone) for base_name, base in _children(h5py, file, "CGNSBase_t")
                 for name, zone in _children(h5py, base, "Zone_t")]
        if not zones:
            raise Damaged("the file has no zones")
        read_zones = {}
        for (_, name, zone), region in zip(zones, _regions(h5py, zones)):
            read_zones[name] = _zone(h5py, name, zone, source, groups, region, _numbering(h5py, file))
        _add_periodic_pairs(source, read_zones)
    if len(zones) > 1:
        source.notes.append(f"{len(zones)} zones, whose common nodes are apart unless --merge joins them")
    return source


FORMAT = Format("cgns", (".cgns",), read)
