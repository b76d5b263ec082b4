#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Small files whose groups are known: every group has its members, or the file is refused with a reason.

The cells are hexahedra in a row along x, from (0, 0, 0) to (n, 1, 1), or quadrilaterals from (0, 0) to (2, 1).
"""
import os
import unittest

import h5py
import mesh_files
import netCDF4
import numpy as np
import sample_meshes as sample

from op2_mesh import check, report
from op2_mesh.build import build
from op2_mesh.failure import MeshError
from op2_mesh.formats import abaqus
from op2_mesh.read import read


def row_of_cubes(n):
    """Points, and a function from integer coordinates to numbers from 0."""
    points = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in range(n + 1)]
    return points, lambda x, y, z: x + (n + 1) * y + 2 * (n + 1) * z


def hexahedron(at, x):
    return [at(x + dx, y, z) for z in (0, 1) for dx, y in ((0, 0), (1, 0), (1, 1), (0, 1))]


def wall(at, x):
    return [at(x, 0, 0), at(x, 1, 0), at(x, 1, 1), at(x, 0, 1)]


class Files(mesh_files.InFolder):
    def written(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)
        return self.path(name)

    def has(self, path, boundary, regions, volume=None, losses=0):
        """The named groups and their counts, and so many warnings of changed groups."""
        source, name = read(path)
        mesh = build(source)
        about, found = report.facts(mesh, name), check.findings(mesh)
        self.assertFalse(check.has_errors(found), found)
        for kind, expected in (("boundary", boundary), ("regions", regions)):
            groups = {group["name"]: group["count"] for group in about[kind] if group["tag"]}
            self.assertEqual(groups, expected, kind)
        if volume is not None:
            self.assertAlmostEqual(about["volume"], volume, delta=1e-12)
        self.assertEqual(sum(finding.name == "changed_groups" for finding in found), losses, found)
        return mesh, about

    def refuses(self, words, path):
        with self.assertRaises(MeshError) as caught:
            build(read(path)[0])
        self.assertIn(words, str(caught.exception))


class Abaqus(Files):
    def setUp(self):
        super().setUp()
        self.points, self.at = row_of_cubes(4)
        self.nodes = "".join(f"{10 * k + 7}, {x}, {y}, {z}\n" for k, (x, y, z) in enumerate(self.points))

    def rows(self, first, *cells):
        return "".join(f"{first + k}, {', '.join(str(10 * node + 7) for node in nodes)}\n" for k, nodes in enumerate(cells))

    def cubes(self, *numbers):
        return "".join(self.rows(number, hexahedron(self.at, x)) for x, number in enumerate(numbers))

    def test_sets_belong_to_their_elements_whichever_section_comes_first(self):
        quads = [wall(self.at, 0), wall(self.at, 4)]
        quads += [[self.at(x, 0, 0), self.at(x + 1, 0, 0), self.at(x + 1, 0, 1), self.at(x, 0, 1)] for x in range(4)]
        sets = "*ELSET, ELSET=INLET\n900\n*ELSET, ELSET=OUTLET\n901\n"
        for number, (of_quads, of_cells, more, sides, losses) in enumerate((
                ("", ", ELSET=VOL", "", {}, 0), (", ELSET=QUADS", ", ELSET=VOL", "", {"QUADS": 4}, 1),
                ("", "", "*ELSET, ELSET=VOL\n1,2,3,4\n", {}, 0))):
            text = (f"*NODE\n{self.nodes}*ELEMENT, TYPE=S4{of_quads}\n{self.rows(900, *quads)}"
                    f"*ELEMENT, TYPE=C3D8{of_cells}\n{self.cubes(1, 2, 3, 4)}{sets}{more}")
            with self.subTest(number):
                self.has(self.written("a.inp", text), {"INLET": 1, "OUTLET": 1, **sides}, {"VOL": 4}, 4, losses)

    def test_sets_between_sections_and_in_any_order(self):
        two = self.cubes(100, 50, 7, 200).splitlines(keepends=True)
        text = (f"*NODE, NSET=NALL\n{self.nodes}*ELEMENT, TYPE=C3D8\n{two[0]}{two[1]}*ELSET, ELSET=FIRST\n100\n"
                f"*ELEMENT, TYPE=C3D8\n{two[2]}{two[3]}*ELSET, ELSET=LASTONE\n200\n*ELSET, ELSET=MIDDLE\n50, 7\n")
        self.has(self.written("a.inp", text), {}, {"FIRST": 1, "LASTONE": 1, "MIDDLE": 2}, 4)

    def test_lower_case_headings_comments_and_included_files(self):
        self.written("nodes.inc", f"*NODE, NSET=NALL\n{self.nodes}")
        text = (f"*HEADING\nof *NODE and things\n** a comment\n*INCLUDE, INPUT=nodes.inc\n*ELEMENT, TYPE=C3D8,\nELSET=VOL\n"
                f"{self.cubes(1, 2, 3, 4)}*NSET, NSET=IN\n7, 57, 107, 157\n*STEP\n*CLOAD\n7, 1, 3.0\n*END STEP\n")
        self.has(self.written("a.inp", text), {"IN": 1}, {"VOL": 4}, 4)
        self.written("nodes.inc", f"*node, nset=nall\n{self.nodes}")
        self.has(self.written("b.inp", text.replace("nodes.inc", "NODES").lower().replace("input=nodes", "input=nodes.inc")),
                 {"in": 1}, {"vol": 4}, 4)
        os.unlink(self.path("nodes.inc"))
        self.refuses("an included file is missing", self.path("a.inp"))

    def test_sets_that_overlap_are_said_and_ranges_have_a_step(self):
        text = (f"*NODE\n{self.nodes}*ELEMENT, TYPE=C3D8, ELSET=ALL\n{self.cubes(1, 2, 3, 4)}*ELSET, ELSET=LEFT\n1\n"
                "*ELSET, ELSET=BOTH\nLEFT, 2\n*NSET, NSET=X0\n7, 57, 107, 157\n*NSET, NSET=LINE, GENERATE\n7, 27, 10\n")
        mesh, _ = self.has(self.written("a.inp", text), {"X0": 1}, {"LEFT": 1, "BOTH": 1, "ALL": 2}, 4, losses=3)
        self.assertIn("'BOTH' keeps 1 of 2 elements", "".join(mesh.faults.losses))
        self.has(self.written("a.inp", text.replace("7, 27, 10", "7, 187, 10")), {"X0": 1, "LINE": 14},
                 {"LEFT": 1, "BOTH": 1, "ALL": 2}, 4, losses=3)
        self.refuses("has nodes that the file does not have: 8, ", self.written("b.inp", text.replace("7, 27, 10", "7, 27")))

    def test_sides_of_a_surface_are_a_group(self):
        text = (f"*NODE\n{self.nodes}*ELEMENT, TYPE=C3D8, ELSET=VOL\n{self.cubes(1, 2, 3, 4)}*ELSET, ELSET=LAST, INTERNAL\n4\n"
                "*SURFACE, NAME=INLET, TYPE=ELEMENT\n1, S6\n*SURFACE, NAME=OUTLET\nLAST, S4\n*SURFACE, NAME=FLOOR\nVOL, S1\n")
        mesh, _ = self.has(self.written("a.inp", text), {"INLET": 1, "OUTLET": 1, "FLOOR": 4}, {"LAST": 1, "VOL": 3}, 4, losses=1)
        centres = {mesh.name_of(2, tag): tuple(centre) for tag, centre in zip(mesh.boundary.tags, mesh.boundary.centre)}
        self.assertEqual((centres["INLET"], centres["OUTLET"]), ((0, 0.5, 0.5), (4, 0.5, 0.5)))
        self.refuses("a side that elements do not have: 'INLET', S7", self.written("b.inp", text.replace("S6", "S7")))

    def test_types_of_elements(self):
        for kind, names in {"hexahedron": ("C3D8", "C3D8R", "DC3D8", "SC8R"), "tetra10": ("C3D10M", "C3D10MH"), "wedge": ("C3D6",),
                            "wedge15": ("C3D15",), "hexahedron20": ("C3D20RH",), "pyramid": ("C3D5",), "tetra": ("c3d4",),
                            "quad": ("S4", "S4R5", "CPS4R", "CPE4RP", "CAX4P", "M3D4R", "R3D4", "DC2D4"),
                            "triangle": ("S3R", "CPS3", "STRI3", "R3D3"), "triangle6": ("STRI65", "CPE6M"), "quad8": ("S8R5",),
                            "line": ("T3D2", "B31H", "B33", "R2D2", "DC1D2", "PIPE31"), "line3": ("B32", "T2D3"),
                            None: ("SPRINGA", "MASS", "COH3D8", "CONN3D2", "", "C3D27")}.items():
            for name in names:
                self.assertEqual(abaqus.kind_of(name), kind, name)

    def test_what_would_be_lost_is_refused(self):
        text = f"*NODE\n{self.nodes}*ELEMENT, TYPE=C3D8, ELSET=VOL\n{self.cubes(1, 2, 3, 4)}"
        for words, other in (("*NGEN", text + "*NGEN\n1, 2, 1\n"), ("several of *PART", "*PART, NAME=A\n*PART, NAME=B\n" + text),
                             ("an instance is moved", text + "*INSTANCE, NAME=A, PART=B\n1., 0., 0.\n"),
                             ("a set is not in the file: 'NONE'", text + "*ELSET, ELSET=A\nNONE\n"),
                             ("elements that the file does not have: 99", text + "*ELSET, ELSET=A\n99\n"),
                             ("Abaqus's 'SPRINGA'", text + "*ELEMENT, TYPE=SPRINGA\n77, 7, 17\n"),
                             ("used twice: 1", text + f"*ELEMENT, TYPE=C3D8\n{self.cubes(1)}"),
                             ("lines of elements are unequal", text.rstrip("\n").rpartition(",")[0] + "\n")):
            with self.subTest(words):
                self.refuses(words, self.written("a.inp", text=other))


class Vtu(Files):
    def vtu(self, *pieces):
        """@param pieces  (points, cells as (type, nodes), cell data, more arrays of cells)"""
        text = '<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian"><UnstructuredGrid>'
        for points, cells, data, more in pieces:
            ends = np.cumsum([len(nodes) for _, nodes in cells])
            arrays = {"connectivity": sum((list(nodes) for _, nodes in cells), []), "offsets": ends,
                      "types": [kind for kind, _ in cells], **more}

            def array(name, values, kind="Int32"):
                return f'<DataArray type="{kind}" Name="{name}" format="ascii">{" ".join(map(str, values))}</DataArray>'
            text += (f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}">'
                     f'<CellData>{"".join(array(*item) for item in data.items())}</CellData>'
                     f'<Points>{array("Points", np.array(points).reshape(-1), "Float64")}</Points>'
                     f'<Cells>{"".join(array(*item) for item in arrays.items())}</Cells></Piece>')
        return self.written("a.vtu", text + "</UnstructuredGrid></VTKFile>")

    def test_voxels_and_pixels_are_cells(self):
        points, at = row_of_cubes(2)
        voxel = [[at(x + dx, y, z) for z in (0, 1) for y in (0, 1) for dx in (0, 1)] for x in (0, 1)]
        cubes = [hexahedron(at, x) for x in (0, 1)]
        for cells in ([(12, cubes[0]), (11, voxel[1])], [(11, voxel[0]), (12, cubes[1])], [(11, voxel[0]), (11, voxel[1])]):
            self.has(self.vtu((points, cells, {"CellEntityIds": [1, 2]}, {})), {}, {"group_1": 1, "group_2": 1}, 2)
        flat = [(x, y, 0) for y in (0, 1) for x in (0, 1, 2)]
        self.has(self.vtu((flat, [(9, [0, 1, 4, 3]), (8, [1, 2, 4, 5])], {}, {})), {}, {}, 2)

    def test_polygons_of_three_and_four_sides_are_cells_and_others_are_refused(self):
        flat = [(x, y, 0) for y in (0, 1) for x in (0, 1, 2)]
        mesh, about = self.has(self.vtu((flat, [(7, [0, 1, 4, 3]), (7, [1, 2, 5]), (5, [1, 5, 4])], {}, {})), {}, {}, 2)
        self.assertEqual(about["shapes"], {"triangle": 2, "quad": 1})
        self.refuses("VTK's type 7 with 6 nodes", self.vtu((flat, [(7, [0, 1, 2, 5, 4, 3])], {}, {})))
        self.refuses("VTK's type 6 with 4 nodes", self.vtu((flat, [(9, [0, 1, 4, 3]), (6, [1, 2, 4, 5])], {}, {})))
        points, at = row_of_cubes(1)
        self.refuses("VTK's type 42", self.vtu((points, [(42, sorted(hexahedron(at, 0)))], {}, {"faces": [0], "faceoffsets": [1]})))

    def test_all_pieces_are_read_with_their_groups(self):
        points, at = row_of_cubes(1)
        moved = [(x + 1, y, z) for x, y, z in points]
        cell = [(12, hexahedron(at, 0))]
        _, about = self.has(self.vtu((points, cell, {"CellEntityIds": [4]}, {}), (moved, cell, {"CellEntityIds": [5]}, {})),
                            {}, {"group_4": 1, "group_5": 1}, 2)
        self.assertEqual(about["parts"], 2)

    def test_wedges_and_pyramids_of_second_order(self):
        for kind, number in (("wedge", 26), ("pyramid", 27), ("hexahedron", 25)):
            source = sample.second_order(sample.box(1, kind))
            cells = source.blocks[0].nodes.tolist()
            mesh, _ = self.has(self.vtu((source.points, [(number, nodes) for nodes in cells], {}, {})), {}, {}, 1)
            self.assertIsNotNone(mesh.parts[0].all_nodes)

    def test_encodings_of_arrays(self):
        source = sample.box(2, "tetra")
        for name, how in (("z", {"compression": "zlib"}), ("l", {"compression": "lzma"}), ("n", {"compression": None})):
            mesh_files.with_meshio(self.path(name + ".vtu"), source, **how)
            self.has(self.path(name + ".vtu"), {f"group_{side}": 8 for side in range(1, 7)}, {"group_10": 48}, 1)
            with open(self.path(name + ".vtu"), "rb") as file:
                data = file.read()
            with open(self.path(name + ".vtu"), "wb") as file:
                file.write(data[:len(data) // 2])
            self.refuses("the XML cannot be read", self.path(name + ".vtu"))

    def test_raw_appended_arrays(self):
        points, at = row_of_cubes(1)
        arrays = [np.array(points, "<f8"), np.array(hexahedron(at, 0), "<i8"), np.array([8], "<i8"), np.array([12], "u1")]
        blocks, offsets = b"", []
        for array in arrays:
            offsets.append(len(blocks))
            blocks += np.uint64(array.nbytes).tobytes() + array.tobytes()
        names = ("Points", "connectivity", "offsets", "types")
        kinds = ("Float64", "Int64", "Int64", "UInt8")
        tags = [f'<DataArray type="{kind}" Name="{name}" format="appended" offset="{offset}"/>'
                for kind, name, offset in zip(kinds, names, offsets)]
        head = ('<VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="UInt64"><UnstructuredGrid>'
                f'<Piece NumberOfPoints="8" NumberOfCells="1"><Points>{tags[0]}</Points><Cells>{"".join(tags[1:])}</Cells>'
                '</Piece></UnstructuredGrid><AppendedData encoding="raw">_')
        for data, is_right in ((blocks, True), (blocks[:-1], False)):
            with open(self.path("r.vtu"), "wb") as file:
                file.write(head.encode() + data + b"</AppendedData></VTKFile>")
            if is_right:
                self.has(self.path("r.vtu"), {}, {}, 1)
            else:
                self.refuses("an array ends too early: types", self.path("r.vtu"))


class Exodus(Files):
    def exodus(self, points, blocks, sides):
        """@param blocks, sides  (number, name, type, nodes from 0), (number, name, elements, sides from 1)"""
        with netCDF4.Dataset(self.path("a.e"), "w", format="NETCDF3_64BIT_OFFSET") as file:
            for name, size in (("len_name", 33), ("num_dim", len(points[0])), ("num_nodes", len(points)),
                               ("num_el_blk", len(blocks)), ("num_side_sets", len(sides))):
                file.createDimension(name, size)
            for axis, values in zip("xyz", np.array(points, float).T):
                file.createVariable(f"coord{axis}", "f8", ("num_nodes",))[:] = values
            for prefix, dimension, rows in (("eb", "num_el_blk", blocks), ("ss", "num_side_sets", sides)):
                file.createVariable(f"{prefix}_prop1", "i4", (dimension,))[:] = [row[0] for row in rows]
                names = file.createVariable(f"{prefix}_names", "S1", (dimension, "len_name"))
                for index, row in enumerate(rows):
                    names[index] = netCDF4.stringtochar(np.array([row[1]], "S33"))[0]
            for index, (_, _, kind, nodes) in enumerate(blocks, 1):
                file.createDimension(f"num_el_in_blk{index}", len(nodes))
                file.createDimension(f"num_nod_per_el{index}", len(nodes[0]))
                variable = file.createVariable(f"connect{index}", "i4", (f"num_el_in_blk{index}", f"num_nod_per_el{index}"))
                variable.elem_type = kind
                variable[:] = np.array(nodes) + 1
            for index, (_, _, elements, numbers) in enumerate(sides, 1):
                file.createDimension(f"num_side_ss{index}", len(elements))
                for what, values in (("elem", elements), ("side", numbers)):
                    file.createVariable(f"{what}_ss{index}", "i4", (f"num_side_ss{index}",))[:] = values
        return self.path("a.e")

    def cubes(self):
        points, at = row_of_cubes(2)
        return points, [hexahedron(at, 0), hexahedron(at, 1)], at

    def test_a_block_of_shells_and_a_side_set_may_have_one_number(self):
        points, cubes, at = self.cubes()
        shell = [at(0, 0, 0), at(0, 0, 1), at(0, 1, 1), at(0, 1, 0)]
        path = self.exodus(points, [(1, "fluid", "HEX8", cubes), (2, "coating", "SHELL4", [shell])], [(2, "outlet", [2], [2])])
        self.has(path, {"coating": 1, "outlet": 1}, {"fluid": 2}, 2)
        path = self.exodus(points, [(1, "fluid", "HEX8", cubes), (2, "", "SHELL4", [shell])], [(1, "coated", [3], [1])])
        mesh, _ = self.has(path, {"group_2": 1}, {"fluid": 2}, 2)
        self.assertEqual(mesh.faults.disputed, 1)

    def test_numbers_may_begin_with_0(self):
        points, cubes, _ = self.cubes()
        path = self.exodus(points, [(0, "", "HEX8", cubes)], [(0, "", [1, 2], [1, 1]), (1, "", [2], [2]), (2, "", [1, 2], [3, 3])])
        mesh, about = self.has(path, {"side_set_0": 2, "side_set_1": 1, "side_set_2": 2}, {"block_0": 2}, 2)
        tags = {group["name"]: group["tag"] for group in about["boundary"]}
        self.assertEqual((tags["side_set_1"], tags["side_set_2"]), (1, 2))

    def test_sides_of_quadrilaterals_are_edges_and_of_shells_faces_first(self):
        flat = [(x, y, 0) for y in (0, 1) for x in range(3)]
        quads = [[0, 1, 4, 3], [1, 2, 5, 4]]
        for points, kind, later in ((flat, "QUAD4", 0), ([point[:2] for point in flat], "SHELL4", 2), (flat, "SHELL4", 2),
                                    (flat, "QUAD4", 2), ([point[:2] for point in flat], "QUAD4", 0)):
            path = self.exodus(points, [(1, "plate", kind, quads)], [
                (1, "inlet", [1], [4 + later]), (2, "outlet", [2], [2 + later]), (3, "bottom", [1, 2], [1 + later] * 2)])
            with self.subTest(kind, dimension=len(points[0]), later=later):
                mesh, _ = self.has(path, {"inlet": 1, "outlet": 1, "bottom": 2}, {"plate": 2}, 2)
                self.assertEqual(mesh.boundary.centre[mesh.boundary.tags == 1].tolist(), [[0, 0.5]])

    def test_sides_that_are_not_there_are_refused_and_inner_side_sets_are_shown(self):
        points, cubes, _ = self.cubes()
        blocks = [(1, "a", "HEX8", cubes[:1]), (2, "b", "HEX8", cubes[1:])]
        self.refuses("side 7 of element 1", self.exodus(points, blocks, [(3, "odd", [1], [7])]))
        _, about = self.has(self.exodus(points, blocks, [(7, "interface", [1], [2])]), {}, {"a": 1, "b": 1}, 2)
        self.assertEqual([(group["name"], group["count"]) for group in about["inside"]], [("interface", 1)])

    def test_a_block_of_edges_is_left_out_and_said(self):
        points, cubes, at = self.cubes()
        path = self.exodus(points, [(1, "a", "HEX8", cubes), (2, "wire", "EDGE2", [[at(0, 0, 0), at(1, 0, 0)]])], [])
        mesh, _ = self.has(path, {}, {"a": 2}, 2)
        self.assertEqual(mesh.faults.notes, ["a group of points or curves was left out: 'wire', 1 element"])


class Cgns(Files):
    def setUp(self):
        super().setUp()
        self.points, at = row_of_cubes(2)
        self.cubes = [[node + 1 for node in hexahedron(at, x)] for x in (0, 1)]
        self.walls = [[node + 1 for node in wall(at, x)] for x in (0, 2)]
        self.sections = [("Hex", 17, 1, self.cubes), ("In", 7, 3, self.walls[:1]), ("Out", 7, 4, self.walls[1:])]

    def base(self, file, name="Base", version=4.0):
        if "CGNSLibraryVersion" not in file:
            mesh_files._node(file, "CGNSLibraryVersion", "CGNSLibraryVersion_t", np.array([version], "f4"))
        return mesh_files._node(file, name, "CGNSBase_t", np.array([3, 3], "i4"))

    def zone(self, base, name="Zone", sections=None, shift=0, conditions=()):
        node = mesh_files._node
        zone = node(base, name, "Zone_t", np.array([[12], [2], [0]], "i4"))
        node(zone, "ZoneType", "ZoneType_t", b"Unstructured")
        grid = node(zone, "GridCoordinates", "GridCoordinates_t")
        for axis, values in zip("XYZ", np.array(self.points, float).T):
            node(grid, f"Coordinate{axis}", "DataArray_t", values + (shift if axis == "X" else 0))
        for section, kind, first, rows in sections or self.sections:
            section = node(zone, section, "Elements_t", np.array([kind, 0], "i4"))
            node(section, "ElementRange", "IndexRange_t", np.array([first, first + len(rows) - 1], "i4"))
            node(section, "ElementConnectivity", "DataArray_t", np.array(rows, "i4").reshape(-1))
        conditions = list(conditions)
        if conditions:
            parent = node(zone, "ZoneBC", "ZoneBC_t")
        for condition, what, points, location in conditions:
            condition = node(parent, condition, "BC_t", b"BCWall")
            node(condition, what, "IndexRange_t" if "Range" in what else "IndexArray_t", np.array(points, "i4").reshape(-1, 1))
            if location:
                node(condition, "GridLocation", "GridLocation_t", location)
        return zone

    def file(self, **how):
        version = how.pop("version", 4.0)
        with h5py.File(self.path("a.cgns"), "w") as file:
            self.zone(self.base(file, version=version), **how)
        return self.path("a.cgns")

    def test_elements_and_nodes_of_boundary_conditions(self):
        sections = [("Hex", 17, 1, self.cubes), ("Faces", 7, 3, self.walls)]
        for what, points, location in (("PointRange", [3, 3], b"FaceCenter"), ("PointList", [3], b"FaceCenter"),
                                       ("ElementRange", [3, 3], None), ("ElementList", [3], None),
                                       ("ElementList", [3], b"FaceCenter"), ("PointRange", [3, 3], b"CellCenter"),
                                       ("PointList", self.walls[0], b"Vertex"), ("PointList", self.walls[0], None)):
            with self.subTest(what, location=location):
                mesh, _ = self.has(self.file(sections=sections, conditions=[("inlet", what, points, location)]),
                                   {"inlet": 1, "Faces": 1}, {}, 2)
                tag = next(tag for (_, tag), name in mesh.names.items() if name == "inlet")
                self.assertEqual(mesh.boundary.centre[mesh.boundary.tags == tag].tolist(), [[0, 0.5, 0.5]])

    def test_sections_without_a_condition_name_their_faces(self):
        self.has(self.file(), {"In": 1, "Out": 1}, {}, 2)

    def test_points_beyond_the_elements_or_nodes_are_refused(self):
        for what, points, location, words in (("PointList", [4, 5], b"FaceCenter", "elements that the zone does not have: 'far', 5"),
                                              ("PointRange", [4, 9], b"FaceCenter", "elements that the zone does not have"),
                                              ("PointList", [1, 0], b"FaceCenter", "elements that the zone does not have"),
                                              ("ElementList", [99], None, "elements that the zone does not have"),
                                              ("PointList", [1, 13], None, "nodes that the zone does not have: 'far', 13")):
            with self.subTest(what, points=points):
                self.refuses(words, self.file(conditions=[("far", what, points, location)]))

    def test_a_section_has_the_elements_of_its_range(self):
        path = self.file()
        with h5py.File(path, "r+") as file:
            file["Base/Zone/Out/ElementRange/ data"][1] = 9
        self.refuses("section 'Out' has 1 element, but numbers 4 to 9", path)

    def test_types_of_version_3_0_have_other_numbers(self):
        self.has(self.file(version=3.0, sections=[("Hex", 18, 1, self.cubes)]), {}, {}, 2)
        points, at = row_of_cubes(2)
        wedge = [[at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 0, 1), at(1, 0, 1), at(1, 1, 1)]]
        self.has(self.file(version=3.0, sections=[("W", 15, 1, np.array(wedge) + 1)]), {}, {}, 0.5)

    def test_zones_are_regions_also_of_two_bases_and_behind_links(self):
        with h5py.File(self.path("b.cgns"), "w") as file:
            self.zone(self.base(file, "A"), "Z")
            self.zone(self.base(file, "B"), "Z", shift=5)
        self.has(self.path("b.cgns"), {"In": 2, "Out": 2}, {"A/Z": 2, "B/Z": 2}, 4)
        self.file()
        with h5py.File(self.path("l.cgns"), "w") as file:
            base = self.base(file)
            self.zone(base, "Own", shift=5)
            link = mesh_files._node(base, "Linked", "")
            link[" link"] = h5py.ExternalLink("a.cgns", "/Base/Zone")
        self.has(self.path("l.cgns"), {"In": 2, "Out": 2}, {"Own": 2, "Linked": 2}, 4)
        os.unlink(self.path("a.cgns"))
        self.refuses("a linked file is missing, or not a regular one: '/Base/Linked' is in 'a.cgns'", self.path("l.cgns"))
        os.mkfifo(self.path("a.cgns"))  # opening it would wait for another process
        self.refuses("a linked file is missing, or not a regular one", self.path("l.cgns"))


class Vtk(Files):
    def test_cells_that_meshio_leaves_out_are_refused(self):
        points, at = row_of_cubes(2)
        rows = "".join(f"{x} {y} {z}\n" for x, y, z in points)
        for version in ("3.0", "5.1"):
            for kind in (12, 11):
                first, second = hexahedron(at, 0), hexahedron(at, 1)
                first, second = (" ".join(map(str, nodes)) for nodes in (first, second))
                cells = f"CELLS 2 18\n8 {first}\n8 {second}\n" if version == "3.0" else (
                    f"CELLS 3 16\nOFFSETS vtktypeint64\n0 8 16\nCONNECTIVITY vtktypeint64\n{first}\n{second}\n")
                path = self.written("a.vtk", f"# vtk DataFile Version {version}\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                                             f"POINTS 12 double\n{rows}{cells}CELL_TYPES 2\n12\n{kind}\n")
                with self.subTest(version, kind=kind):
                    if kind == 12:
                        self.has(path, {}, {}, 2)
                    else:
                        self.refuses("cells that meshio cannot handle", path)


class Xdmf(Files):
    def test_data_in_what_is_not_a_regular_file_are_refused(self):
        mesh_files.with_meshio(self.path("a.xdmf"), sample.box(1, "tetra"))
        self.has(self.path("a.xdmf"), {f"group_{side}": 2 for side in range(1, 7)}, {"group_10": 6}, 1)
        os.unlink(self.path("a.h5"))
        os.mkfifo(self.path("a.h5"))  # opening it would wait for another process
        self.refuses("is not a regular file", self.path("a.xdmf"))


class Gmsh(Files):
    def test_elements_of_an_entity_that_is_not_described_are_refused(self):
        mesh_files.gmsh_4(self.path("a.msh"), sample.box(1, "triangle"), False)
        with open(self.path("a.msh"), "rb") as file:
            data = file.read()
        with open(self.path("a.msh"), "wb") as file:
            file.write(data.replace(b"2 10 2 2\n", b"2 77 2 2\n"))
        self.refuses("an entity that the file does not describe: dimension 2, number 77, 2 elements", self.path("a.msh"))
        with open(self.path("a.msh"), "wb") as file:
            file.write(data[:data.index(b"$Entities")] + data[data.index(b"$Nodes"):])
        self.refuses("groups have names, but no elements: 5 groups", self.path("a.msh"))


if __name__ == "__main__":
    unittest.main()
