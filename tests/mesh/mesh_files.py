# SPDX-License-Identifier: BSD-3-Clause
"""Writes meshes in the formats that op2-mesh reads."""
import os
import tempfile
import unittest

import h5py
import meshio
import netCDF4
import numpy as np
from sample_meshes import shape_of

from op2_mesh.formats import cgns, gmsh, su2

GMSH = {name: number for number, (name, _) in gmsh.TYPES.items()}
CGNS = {name: number for number, (name, _) in cgns.TYPES.items()}

# Corners, from 1, of the sides of each shape, as the manual of Exodus II numbers them.
EXODUS_SIDES = {"triangle": (12, 23, 31), "quad": (12, 23, 34, 41), "tetra": (124, 234, 143, 132),
                "pyramid": (125, 235, 345, 154, 1432), "wedge": (1254, 2365, 1463, 132, 456),
                "hexahedron": (1265, 2376, 3487, 1584, 1432, 5678)}


class InFolder(unittest.TestCase):
    """Tests that write files into a folder, which is removed after each."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)


def in_space(points):
    return np.pad(points, ((0, 0), (0, 3 - points.shape[1])))


def groups_of(source):
    """(dimension, tag) of all groups."""
    return sorted({(shape_of(block.kind).dimension, int(tag)) for block in source.blocks for tag in np.unique(block.tags)
                   if tag})


def _names(source):
    names = "".join(f'{dimension} {tag} "{name}"\n' for (dimension, tag), name in source.names.items())
    return f"$PhysicalNames\n{len(source.names)}\n{names}$EndPhysicalNames\n".encode() if source.names else b""


def _entities(source, binary):
    """One entity for each group, with the same number; entity 99 of each dimension is in no group."""
    groups = groups_of(source)
    entities = [[(tag, [tag]) for of, tag in groups if of == dimension] + [(99, [])] for dimension in range(4)]
    if not binary:
        text = " ".join(str(len(found)) for found in entities) + "\n"
        for dimension, found in enumerate(entities):
            for entity, tags in found:
                box = "0 " * (3 if dimension == 0 else 6)
                text += f"{entity} {box}{len(tags)} {' '.join(map(str, tags))}{' 0' if dimension else ''}\n"
        return text.encode()
    data = np.array([len(found) for found in entities], "<u8").tobytes()
    for dimension, found in enumerate(entities):
        for entity, tags in found:
            data += np.int32(entity).tobytes() + np.zeros(3 if dimension == 0 else 6).tobytes()
            data += np.uint64(len(tags)).tobytes() + np.array(tags, "<i4").tobytes()
            data += np.uint64(0).tobytes() if dimension else b""
    return data + b"\n"


def _runs(source):
    """(dimension, entity, type, nodes): elements of one type and group."""
    for block in source.blocks:
        for tag in np.unique(block.tags):
            yield shape_of(block.kind).dimension, int(tag) or 99, GMSH[block.kind], block.nodes[block.tags == tag]


def gmsh_4(path, source, binary, numbers=None, parameters=False):
    """Version 4.1. `numbers` are those of the nodes; `parameters`: each node has one, as on curves."""
    numbers = np.arange(1, len(source.points) + 1) if numbers is None else numbers
    points, runs = in_space(source.points), list(_runs(source))
    if parameters:
        points = np.column_stack([points, np.full(len(points), 0.5)])
    head = [1, len(points), numbers.min(), numbers.max()]
    total = sum(len(nodes) for *_, nodes in runs)
    if binary:
        nodes = (np.array(head, "<u8").tobytes() + np.array([1, 1, int(parameters)], "<i4").tobytes()
                 + np.uint64(len(points)).tobytes() + numbers.astype("<u8").tobytes() + points.tobytes() + b"\n")
        elements = np.array([len(runs), total, 1, total], "<u8").tobytes()
        for dimension, entity, kind, rows in runs:
            table = np.column_stack([np.arange(1, len(rows) + 1), numbers[rows]]).astype("<u8")
            elements += np.array([dimension, entity, kind], "<i4").tobytes() + np.uint64(len(rows)).tobytes() + table.tobytes()
        elements += b"\n"
    else:
        nodes = " ".join(map(str, head)) + f"\n1 1 {int(parameters)} {len(points)}\n"
        nodes += "\n".join(map(str, numbers)) + "\n" + "\n".join(" ".join(map(repr, row)) for row in points.tolist()) + "\n"
        elements = f"{len(runs)} {total} 1 {total}\n"
        for dimension, entity, kind, rows in runs:
            elements += f"{dimension} {entity} {kind} {len(rows)}\n"
            elements += "".join(f"1 {' '.join(map(str, row))}\n" for row in numbers[rows].tolist())
        nodes, elements = nodes.encode(), elements.encode()
    with open(path, "wb") as file:
        file.write(b"$MeshFormat\n4.1 %d 8\n" % binary + (b"\1\0\0\0\n" if binary else b"") + b"$EndMeshFormat\n")
        file.write(_names(source) + b"$Entities\n" + _entities(source, binary) + b"$EndEntities\n")
        file.write(b"$Nodes\n" + nodes + b"$EndNodes\n$Elements\n" + elements + b"$EndElements\n")


def gmsh_2(path, source, binary, numbers=None):
    numbers = np.arange(1, len(source.points) + 1) if numbers is None else numbers
    points = in_space(source.points)
    total = sum(len(block.nodes) for block in source.blocks)
    if binary:
        table = np.zeros(len(points), [("tag", "<i4"), ("x", "<f8", 3)])
        table["tag"], table["x"] = numbers, points
        nodes, elements = table.tobytes() + b"\n", b""
        for block in source.blocks:
            table = np.column_stack([np.arange(len(block.nodes)), block.tags, block.tags, numbers[block.nodes]])
            elements += np.array([GMSH[block.kind], len(table), 2], "<i4").tobytes() + table.astype("<i4").tobytes()
        elements += b"\n"
    else:
        nodes = "".join(f"{number} {' '.join(map(repr, row))}\n" for number, row in zip(numbers, points.tolist())).encode()
        elements = "".join(f"1 {GMSH[block.kind]} 2 {tag} {tag} {' '.join(map(str, row))}\n"
                           for block in source.blocks for tag, row in zip(block.tags, numbers[block.nodes].tolist())).encode()
    with open(path, "wb") as file:
        file.write(b"$MeshFormat\n2.2 %d 8\n" % binary + (b"\1\0\0\0\n" if binary else b"") + b"$EndMeshFormat\n")
        file.write(_names(source) + b"$Nodes\n%d\n" % len(points) + nodes + b"$EndNodes\n")
        file.write(b"$Elements\n%d\n" % total + elements + b"$EndElements\n")


def with_meshio(path, source, **how):
    cells = [(block.kind, block.nodes) for block in source.blocks]
    tags = {} if path.endswith((".inp", ".ply", ".stl", ".off", ".obj", ".wkt")) else {"gmsh:physical": [block.tags.astype(np.int32) for block in source.blocks]}
    sets = {}
    if path.endswith(".inp"):
        for dimension, tag in groups_of(source):
            sets[source.names[dimension, tag]] = [
                np.flatnonzero(block.tags == tag) if shape_of(block.kind).dimension == dimension else np.zeros(0, int)
                for block in source.blocks]
    if path.endswith(".mesh"):
        tags = {"medit:ref": tags["gmsh:physical"]}
    meshio.write(path, meshio.Mesh(in_space(source.points), cells, cell_data=tags, cell_sets=sets), **how)


def su2_file(path, source):
    """Cells without regions, and each group of the boundary as a marker."""
    dimension, number = source.points.shape[1], {name: number for number, (name, _) in su2.TYPES.items()}

    def rows(block, nodes):
        return [f"{number[block.kind]} {' '.join(map(str, row))}" for row in nodes.tolist()]

    cells = [row for block in source.blocks if shape_of(block.kind).dimension == dimension for row in rows(block, block.nodes)]
    lines = [f"NDIME= {dimension}", f"NELEM= {len(cells)}", *cells, f"NPOIN= {len(source.points)}"]
    lines += [f"{' '.join(map(repr, row))} {index}" for index, row in enumerate(source.points.tolist())]
    tags = [tag for of, tag in groups_of(source) if of == dimension - 1]
    lines.append(f"NMARK= {len(tags)}")
    for tag in tags:
        faces = [row for block in source.blocks if shape_of(block.kind).dimension == dimension - 1
                 for row in rows(block, block.nodes[block.tags == tag])]
        lines += [f"MARKER_TAG= {source.names[dimension - 1, tag]}", f"MARKER_ELEMS= {len(faces)}", *faces]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def exodus_file(path, source, shells=False):
    """Blocks by type, side sets by group: each element of the boundary as a side of a cell.

    @param shells  2D cells as shells in space, whose sides 1 and 2 are faces
    """
    dimension = source.points.shape[1]
    cells = [block for block in source.blocks if shape_of(block.kind).dimension == dimension]
    sides = {}
    first = 0
    for block in cells:
        for row, nodes in enumerate(block.nodes.tolist()):
            for side, corners in enumerate(EXODUS_SIDES[block.kind], 3 if shells else 1):
                sides[frozenset(nodes[int(corner) - 1] for corner in str(corners))] = (first + row + 1, side)
        first += len(block.nodes)
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        tags = [tag for of, tag in groups_of(source) if of == dimension - 1]
        for name, size in [("num_nodes", len(source.points)), ("num_dim", 3 if shells else dimension), ("num_el_blk", len(cells)),
                           ("num_side_sets", len(tags)), ("len_name", 33)]:
            file.createDimension(name, size)
        for axis, values in zip("xyz", source.points.T):
            file.createVariable(f"coord{axis}", "f8", ("num_nodes",))[:] = values
        file.createVariable("ss_prop1", "i4", ("num_side_sets",))[:] = tags
        names = np.zeros((len(tags), 33), "S1")
        for row, tag in zip(names, tags):
            text = source.names[dimension - 1, tag]
            row[:len(text)] = list(text)
        file.createVariable("ss_names", "S1", ("num_side_sets", "len_name"))[:] = names
        for index, block in enumerate(cells, 1):
            file.createDimension(f"num_el_in_blk{index}", len(block.nodes))
            file.createDimension(f"num_nod_per_el{index}", block.nodes.shape[1])
            kind = {"tetra": "TETRA4", "hexahedron": "HEX8"}.get(block.kind, block.kind.upper())
            kind = "SHELL4" if shells and kind == "QUAD" else kind
            variable = file.createVariable(f"connect{index}", "i4", (f"num_el_in_blk{index}", f"num_nod_per_el{index}"))
            variable.elem_type = kind
            variable[:] = block.nodes + 1
        for index, tag in enumerate(tags, 1):
            members = [sides[frozenset(row)] for block in source.blocks if shape_of(block.kind).dimension == dimension - 1
                       for row in block.nodes[block.tags == tag].tolist()]
            file.createDimension(f"num_side_ss{index}", len(members))
            for what, column in zip(("elem", "side"), np.array(members).T):
                file.createVariable(f"{what}_ss{index}", "i4", (f"num_side_ss{index}",))[:] = column


def _node(parent, name, label, data=None):
    node = parent.create_group(name)
    node.attrs["label"] = np.bytes_(label)
    if data is not None:
        node.create_dataset(" data", data=np.frombuffer(data, np.int8) if isinstance(data, bytes) else data)
    return node


def cgns_file(path, source, mixed=False):
    """One zone; each group a boundary condition by numbers of elements."""
    dimension = source.points.shape[1]
    with h5py.File(path, "w") as file:
        base = _node(file, "Base", "CGNSBase_t", np.array([dimension, dimension], np.int32))
        total = sum(len(block.nodes) for block in source.blocks)
        zone = _node(base, "Zone", "Zone_t", np.array([[len(source.points)], [total], [0]], np.int32))
        _node(zone, "ZoneType", "ZoneType_t", b"Unstructured")
        grid = _node(zone, "GridCoordinates", "GridCoordinates_t")
        for axis, values in zip("XYZ", source.points.T):
            _node(grid, f"Coordinate{axis}", "DataArray_t", values)
        conditions, first = _node(zone, "ZoneBC", "ZoneBC_t"), 1
        members = {}
        tables = []
        for index, block in enumerate(source.blocks):
            for tag in np.unique(block.tags):
                key = shape_of(block.kind).dimension, int(tag)
                members.setdefault(key, []).append(first + np.flatnonzero(block.tags == tag))
            rows = block.nodes + 1
            if mixed:
                tables.append(np.column_stack([np.full(len(rows), CGNS[block.kind]), rows]).reshape(-1))
            else:
                section = _node(zone, f"Section{index}", "Elements_t", np.array([CGNS[block.kind], 0], np.int32))
                _node(section, "ElementRange", "IndexRange_t", np.array([first, first + len(rows) - 1], np.int32))
                _node(section, "ElementConnectivity", "DataArray_t", rows.reshape(-1).astype(np.int32))
            first += len(rows)
        if mixed:
            section = _node(zone, "Section", "Elements_t", np.array([cgns.MIXED, 0], np.int32))
            _node(section, "ElementRange", "IndexRange_t", np.array([1, total], np.int32))
            _node(section, "ElementConnectivity", "DataArray_t", np.concatenate(tables).astype(np.int32))
        for key, found in members.items():
            condition = _node(conditions, source.names[key], "BC_t", b"Null")
            _node(condition, "PointList", "IndexArray_t", np.concatenate(found)[None].astype(np.int32))
            _node(condition, "GridLocation", "GridLocation_t", b"FaceCenter")


# Ending -> how a file of that format is written.
WRITERS = {
    "4b.msh": lambda path, source: gmsh_4(path, source, True), "4t.msh": lambda path, source: gmsh_4(path, source, False),
    "2b.msh": lambda path, source: gmsh_2(path, source, True), "2t.msh": lambda path, source: gmsh_2(path, source, False),
    "z.vtu": lambda path, source: with_meshio(path, source), "t.vtu": lambda path, source: with_meshio(path, source, binary=False),
    "b.vtk": lambda path, source: with_meshio(path, source), "t.vtk": lambda path, source: with_meshio(path, source, binary=False),
    "a.inp": with_meshio, "a.su2": su2_file, "a.mesh": with_meshio, "a.xdmf": with_meshio,
    "a.exo": exodus_file, "s.exo": lambda path, source: exodus_file(path, source, shells=source.points.shape[1] == 2),
    "s.cgns": cgns_file, "m.cgns": lambda path, source: cgns_file(path, source, mixed=True)}
