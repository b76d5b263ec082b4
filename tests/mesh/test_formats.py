#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same mesh from files of all formats, and files of Gmsh."""
import os
import unittest

import mesh_files
import meshio
import numpy as np
import sample_meshes as sample

from op2_mesh import check, report
from op2_mesh.build import build
from op2_mesh.failure import MeshError
from op2_mesh.read import read

FOLDER = os.path.dirname(os.path.abspath(__file__))


def facts(path):
    source, name = read(path)
    mesh = build(source)
    return mesh, report.facts(mesh, name), check.findings(mesh)


class Formats(mesh_files.InFolder):
    def test_all_formats_give_the_same_mesh(self):
        random = np.random.default_rng(3)
        for source in (sample.shaken(sample.mixed(3, 2, random), random, 0.02), sample.mixed(2, 3, random)):
            plain = build(source)
            for ending, writer in mesh_files.WRITERS.items():
                if ending == "a.inp" and source.points.shape[1] == 3:
                    continue  # meshio knows no pyramids in Abaqus
                writer(self.path(ending), source)
                with self.subTest(ending, dimension=source.points.shape[1]):
                    self.same(ending, plain, *facts(self.path(ending)))

    def same(self, ending, plain, mesh, about, found):
        self.assertFalse(check.has_errors(found), found)
        np.testing.assert_allclose(sorted(mesh.volume), sorted(plain.volume), rtol=1e-10)
        self.assertEqual(len(mesh.inner.tags), len(plain.inner.tags))
        named = not ending.endswith((".vtu", ".vtk", ".mesh", ".xdmf"))  # these have numbers of groups
        groups = {group["name"]: group["count"] for group in about["boundary"]}
        names = sample.SIDES if named else [f"group_{tag + 1}" for tag in range(6)]
        counts = np.bincount(plain.boundary.tags)[1:]
        self.assertEqual(groups, {name: int(count) for name, count in zip(names, counts)})

    def test_line_ends_do_not_matter_in_any_format_of_text(self):
        tetra, flat = sample.box(2, "tetra"), sample.box(2, "triangle")
        cells = {3: sample.Source(tetra.points, tetra.blocks[:1]), 2: sample.Source(flat.points, flat.blocks[:1])}
        writers = {"4t.msh": mesh_files.WRITERS["4t.msh"], "2t.msh": mesh_files.WRITERS["2t.msh"], "a.su2": mesh_files.su2_file}
        writers |= {name: mesh_files.with_meshio for name in ("a.inp", "a.mesh", "a.bdf", "a.vol", "a.avs", "a.mdpa", "a.post")}
        writers |= {name: lambda path, source: mesh_files.with_meshio(path, source, binary=False)
                    for name in ("t.vtk", "t.vtu", "a.stl", "a.ply")}
        writers |= {name: mesh_files.with_meshio for name in ("a.dat", "a.off", "a.obj", "a.ele", "a.xml", "a.wkt")}
        for name, writer in writers.items():
            in_plane = name in ("a.stl", "a.ply", "a.off", "a.obj", "a.xml", "a.wkt")
            writer(self.path(name), cells[2] if in_plane else cells[3] if name in ("a.dat", "a.ele") else tetra)
            names = ["a.ele", "a.node"] if name == "a.ele" else [name]
            contents = {}
            for part in names:
                with open(self.path(part), "rb") as file:
                    contents[part] = file.read()
            expected = facts(self.path(name))[1]
            for end, last in ((b"\r\n", True), (b"\r", True), (b"\n", False), (b"\r\n", False)):
                for part, data in contents.items():
                    with open(self.path(part), "wb") as file:
                        file.write((data if last else data.rstrip(b"\n")).replace(b"\n", end))
                with self.subTest(name, end=end, last=last):
                    self.assertEqual(facts(self.path(name))[1], expected)

    def test_markers_of_su2_keep_their_names(self):
        for kind in ("quad", "tetra"):
            source = sample.box(2, kind)
            mesh_files.su2_file(self.path("a.su2"), source)
            groups = facts(self.path("a.su2"))[1]["boundary"]
            self.assertEqual([group["name"] for group in groups], list(sample.SIDES[:2 * source.points.shape[1]]))

    def test_what_is_cut_off_is_refused(self):
        source = sample.box(2, "tetra")
        for name, writer in {"a.su2": mesh_files.su2_file, "a.mesh": mesh_files.with_meshio, "a.ele": mesh_files.with_meshio,
                             "t.vtk": lambda *what: mesh_files.with_meshio(*what, binary=False)}.items():
            writer(self.path(name), sample.Source(source.points, source.blocks[:1]) if name == "a.ele" else source)
            with open(self.path(name), "rb") as file:
                lines = file.read().split(b"\n")
            last = len(lines) - 2 if name != "t.vtk" else [at for at, line in enumerate(lines) if line.startswith(b"CELL_DATA")][0]
            for cut in sorted({1, 2, *np.linspace(3, last - 1, 20).astype(int)}):
                with open(self.path(name), "wb") as file:
                    file.write(b"\n".join(lines[:cut]) + b"\n")
                with self.subTest(name, cut=cut), self.assertRaises(MeshError):
                    facts(self.path(name))

    def test_groups_of_med_and_netgen_keep_their_names(self):
        source = sample.box(2, "tetra")
        cells = [(block.kind, block.nodes) for block in source.blocks]
        tags = [block.tags.astype(np.int64) for block in source.blocks]
        med = meshio.Mesh(source.points, cells, cell_data={"cell_tags": [-column for column in tags]})
        med.cell_tags = {-tag: [name] for (_, tag), name in source.names.items()}
        med.point_tags = {}
        meshio.write(self.path("a.med"), med)
        named = {name: [tag, of] for (of, tag), name in source.names.items()}
        meshio.write(self.path("a.vol"), meshio.Mesh(source.points, cells, cell_data={"netgen:index": tags}, field_data=named))
        for name in ("a.med", "a.vol"):
            with self.subTest(name):
                _, about, found = facts(self.path(name))
                self.assertEqual([(group["name"], group["count"]) for group in about["boundary"]],
                                 [(side, 8) for side in sample.SIDES])
                self.assertEqual([group["name"] for group in about["regions"]], ["fluid"])

    def test_tetrahedra_of_abaqus(self):
        source = sample.box(2, "tetra")
        mesh_files.with_meshio(self.path("a.inp"), source)
        _, about, _ = facts(self.path("a.inp"))
        self.assertEqual([group["name"] for group in about["boundary"]], list(sample.SIDES))
        self.assertEqual(about["regions"][0]["name"], "fluid")

    def test_numbers_of_nodes_may_be_sparse_and_in_any_order(self):
        source = sample.box(2, "tetra")
        numbers = 1000 + 3 * np.random.default_rng(1).permutation(len(source.points))
        for version, writer in (("4", mesh_files.gmsh_4), ("2", mesh_files.gmsh_2)):
            for binary in (False, True):
                writer(self.path("s.msh"), source, binary, numbers)
                with self.subTest(version=version, binary=binary):
                    self.same("s.msh", build(source), *facts(self.path("s.msh")))

    def test_nodes_may_have_parameters(self):
        source = sample.box(2, "tetra")
        for binary in (False, True):
            mesh_files.gmsh_4(self.path("p.msh"), source, binary, parameters=True)
            self.same("p.msh", build(source), *facts(self.path("p.msh")))

    def test_elements_may_be_in_no_group(self):
        source = sample.box(2, "quad")
        source.blocks[1].tags[source.blocks[1].tags == 2] = 0
        mesh_files.gmsh_4(self.path("n.msh"), source, True)
        mesh, about, found = facts(self.path("n.msh"))
        self.assertEqual([(group["name"], group["count"]) for group in about["boundary"]],
                         [("none", 2), ("left", 2), ("front", 2), ("back", 2)])
        self.assertIn("open_boundary", [finding.name for finding in found])

    def test_second_order_of_gmsh_is_that_of_meshio(self):
        for kind in ("tetra", "hexahedron"):  # meshio writes
            source = sample.second_order(sample.box(1, kind))
            meshio.write(self.path("o.msh"), meshio.Mesh(source.points, [(block.kind, block.nodes) for block in source.blocks]),
                         file_format="gmsh22")
            mesh, _, _ = facts(self.path("o.msh"))
            for part in mesh.parts:
                for index, edge in enumerate(part.shape.edges):
                    ends = mesh.x[part.nodes[:, list(edge)]].mean(axis=1)
                    np.testing.assert_allclose(mesh.x[part.all_nodes[:, part.shape.corners + index]], ends, atol=1e-14)

    def test_files_of_gmsh(self):
        lesson = "../../examples/05_mesh_to_picture/cylinder.msh"
        for name, nodes, shapes, area in ((lesson, 378, {"triangle": 677}, 23.256618876018738),
                                          ("cylinder_mixed.msh", 509, {"triangle": 117, "quad": 404}, 23.2448248453757)):
            mesh, about, found = facts(os.path.join(FOLDER, name))
            self.assertEqual((about["nodes"], about["shapes"], about["euler_number"], found), (nodes, shapes, 0, []))
            self.assertAlmostEqual(about["volume"], area, delta=1e-9)
            lengths = {group["name"]: group["size"] for group in about["boundary"]}
            self.assertAlmostEqual(lengths["inlet"], 4, delta=1e-12)
            self.assertAlmostEqual(lengths["far"], 12, delta=1e-12)
            count = about["boundary"][3]["count"]  # the wall is a polygon of equal sides in a circle of radius 0.5
            self.assertAlmostEqual(lengths["wall"], count * np.sin(np.pi / count), delta=1e-6)

    def test_groups_of_a_partitioned_mesh_of_gmsh(self):
        for name in ("square_in_parts.msh", "square_in_parts_binary.msh"):
            _, about, found = facts(os.path.join(FOLDER, name))
            self.assertEqual((about["cells"], about["boundary_faces"], about["inner_faces_in_groups"], found), (14, 8, 0, []))
            groups = {group["name"]: round(group["size"], 12) for group in about["boundary"] + about["regions"]}
            self.assertEqual(groups, {"left": 1, "others": 3, "fluid": 1})


if __name__ == "__main__":
    unittest.main()
