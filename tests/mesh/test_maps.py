#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The maps of `op2-mesh convert --maps`: from cells to faces and cells, and periodic pairs."""
import unittest

import h5py
import mesh_files
import numpy as np
import sample_meshes as sample

from op2_mesh import write
from op2_mesh.build import build
from op2_mesh.read import read


def entries(mesh, *maps):
    return {entry.name: entry.values for entry in write.entries(mesh, maps)}


class Cells(unittest.TestCase):
    def meshes(self):
        random = np.random.default_rng(1)
        yield build(sample.box(1, "tetra"))
        for dimension in (2, 3):
            yield build(sample.mixed(3, dimension, random))

    def test_every_entry_is_an_element_so_that_a_program_can_declare_the_map(self):
        for mesh in self.meshes():
            has = entries(mesh, "cell_faces", "cell_cells")
            for name, to in (("cell_faces", "all_faces"), ("cell_cells", "cells"), ("all_face_cells", "cells")):
                self.assertTrue(0 <= has[name].min() and has[name].max() < has[to][0], name)

    def test_normals_of_the_faces_of_a_cell_add_up_to_zero(self):
        for mesh in self.meshes():
            has = entries(mesh, "cell_faces")
            normals = has["all_face_normal"][has["cell_faces"]] * has["cell_face_sign"][:, :, None]
            np.testing.assert_allclose(normals.sum(axis=1), 0, atol=1e-14)
            outwards = has["all_face_centre"][has["cell_faces"]] - mesh.centre[:, None]
            self.assertGreater(((normals * outwards).sum(axis=2))[has["cell_face_sign"] != 0].min(), 0)

    def test_each_face_is_that_of_its_cells_and_no_other(self):
        for mesh in self.meshes():
            has = entries(mesh, "cell_faces")
            cells = np.repeat(np.arange(len(mesh.cell_tags))[:, None], has["cell_faces"].shape[1], axis=1)
            used = has["cell_face_sign"] != 0
            pairs = sorted(zip(has["cell_faces"][used], cells[used]))
            inner = [(face, cell) for face, row in enumerate(mesh.inner.cells) for cell in row]
            outer = [(len(mesh.inner.cells) + face, row[0]) for face, row in enumerate(mesh.boundary.cells)]
            self.assertEqual(pairs, sorted(inner + outer))
            self.assertEqual(has["all_face_is_boundary"].sum(), len(mesh.boundary.tags))

    def test_a_cell_is_its_own_neighbour_where_there_is_no_other(self):
        for mesh in self.meshes():
            has = entries(mesh, "cell_cells")
            own = np.arange(len(mesh.cell_tags))[:, None]
            self.assertTrue(((has["cell_cells"] == own) == (has["cell_has_neighbour"] == 0)).all())
            pairs = sorted({(cell, other) for cell, row in enumerate(has["cell_cells"]) for other in row if cell != other})
            both = sorted({pair for one, other in mesh.inner.cells.tolist() for pair in ((one, other), (other, one))})
            self.assertEqual(pairs, both)
            self.assertEqual(has["cell_has_neighbour"].sum(), 2 * len(mesh.inner.tags))

    def test_columns_of_faces_and_cells_belong_together(self):
        mesh = build(sample.mixed(3, 3, np.random.default_rng(2)))
        has = entries(mesh, "cell_faces", "cell_cells")
        is_inner = (has["cell_face_sign"] != 0) & (has["all_face_is_boundary"][has["cell_faces"]][:, :, 0] == 0)
        self.assertTrue((is_inner == (has["cell_has_neighbour"] == 1)).all())


class Periodic(mesh_files.InFolder):
    """The boxes are periodic along x: partners differ by (1, 0, 0)."""

    def pairs_of(self, source):
        """[n x 2] nodes at x = 1 and their partners at x = 0."""
        number = {tuple(np.round(point, 9)): index for index, point in enumerate(source.points)}
        return np.array([(index, number[(0, *point[1:])]) for point, index in number.items() if point[0] == 1])

    def obeys(self, path, nodes, faces):
        mesh = build(read(path)[0])
        has = entries(mesh, "periodic")
        self.assertEqual((has["periodic/nodes"][0], has["periodic/faces"][0]), (nodes, faces))
        step = np.eye(mesh.dimension)[0]
        ends = mesh.x[has["periodic/node_pair"]]
        np.testing.assert_allclose(np.abs(ends[:, 0] - ends[:, 1]), np.tile(step, (nodes, 1)), atol=1e-14)
        ends = mesh.boundary.centre[has["periodic/face_pair"]]
        np.testing.assert_allclose(np.abs(ends[:, 0] - ends[:, 1]), np.tile(step, (faces, 1)), atol=1e-14)
        self.assertTrue((mesh.boundary.cells[has["periodic/face_pair"]][:, :, 0] == has["periodic/face_cells"]).all())

    def test_links_of_gmsh_in_both_versions(self):
        for kind, nodes, faces in (("triangle", 3, 2), ("hexahedron", 9, 4), ("tetra", 9, 8), ("wedge", 9, 4)):
            source = sample.box(2, kind)
            pairs, of = self.pairs_of(source) + 1, source.points.shape[1] - 1
            lines = "".join(f"{one} {other}\n" for one, other in pairs)
            affine = [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
            binary = (np.uint64(1).tobytes() + np.array([of, 1, 2], "<i4").tobytes() + np.uint64(16).tobytes()
                      + np.array(affine, "<f8").tobytes() + np.uint64(len(pairs)).tobytes() + pairs.astype("<u8").tobytes())
            texts = (f"1\n{of} 1 2\nAffine {' '.join(map(str, affine))}\n{len(pairs)}\n{lines}".encode(),
                     f"1\n{of} 1 2\n16 {' '.join(map(str, affine))}\n{len(pairs)}\n{lines}".encode(), binary + b"\n")
            for writer, is_binary, text in ((mesh_files.gmsh_2, False, texts[0]), (mesh_files.gmsh_2, True, texts[0]),
                                            (mesh_files.gmsh_4, False, texts[1]), (mesh_files.gmsh_4, True, texts[2])):
                writer(self.path("m") + ".msh", source, is_binary)
                with open(self.path("m") + ".msh", "ab") as file:
                    file.write(b"$Periodic\n" + text + b"$EndPeriodic\n")
                with self.subTest(kind, writer=writer.__name__, is_binary=is_binary):
                    self.obeys(self.path("m") + ".msh", nodes, faces)

    def test_connections_of_cgns_by_nodes_and_by_faces_from_both_sides(self):
        source = sample.box(2, "hexahedron")
        node, pairs = mesh_files._node, self.pairs_of(source) + 1
        mesh_files.cgns_file(self.path("m") + ".cgns", source)
        quads = next(block for block in source.blocks if block.kind == "quad")
        first = 1 + len(source.blocks[0].nodes)
        right, left = (first + np.flatnonzero(quads.tags == tag) for tag in (2, 1))
        for location, lists, nodes, faces in ((b"Vertex", pairs.T, 9, 4), (b"FaceCenter", (right, left), 0, 4)):
            with h5py.File(self.path("m") + ".cgns", "r+") as file:
                zone = file["Base/Zone"]
                if "ZoneGridConnectivity" in zone:
                    del zone["ZoneGridConnectivity"]
                parent = node(zone, "ZoneGridConnectivity", "ZoneGridConnectivity_t")
                for name, (here, there) in (("one", lists), ("other", lists[::-1])):
                    link = node(parent, name, "GridConnectivity_t", b"Zone")
                    node(link, "GridLocation", "GridLocation_t", location)
                    node(link, "PointList", "IndexArray_t", np.array(here, "i4")[None])
                    node(link, "PointListDonor", "IndexArray_t", np.array(there, "i4")[None])
                    node(node(link, "GridConnectivityProperty", "GridConnectivityProperty_t"), "Periodic", "Periodic_t")
            with self.subTest(location):
                self.obeys(self.path("m") + ".cgns", nodes, faces)


if __name__ == "__main__":
    unittest.main()
