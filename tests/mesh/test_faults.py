#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with a mesh is found, counted and named; what cannot be read at all is a MeshError."""
import os
import tempfile
import unittest
from unittest import mock

import mesh_files
import numpy as np
import sample_meshes as sample

from op2_mesh import check, coincident, guard, read
from op2_mesh.build import build
from op2_mesh.failure import MeshError
from op2_mesh.source import Block, Source
from op2_mesh.topology import part_of_each


def found(source, merge=None):
    """Name -> (level, count) of all findings."""
    return {finding.name: (finding.level, finding.count) for finding in check.findings(build(source, merge))}


def cells(kind, rows, tags=None):
    return Block(kind, np.array(rows), np.zeros(len(rows), np.int64) if tags is None else np.array(tags))


def torn(source, far=0.0):
    """Two copies of a mesh side by side, whose nodes between them are there twice."""
    moved = source.points + np.eye(source.points.shape[1])[0] * (1 + far)
    return Source(np.concatenate([source.points, moved]),
                  source.blocks + [Block(block.kind, block.nodes + len(source.points), block.tags) for block in source.blocks],
                  source.names)


class Faults(unittest.TestCase):
    def test_a_good_mesh_has_none(self):
        for kind in ("triangle", "quad", "tetra", "hexahedron", "wedge", "pyramid"):
            self.assertEqual(found(sample.box(2, kind)), {})

    def test_mirrored_cells(self):
        source = sample.box(2, "tetra")
        source.blocks[0].nodes[:5] = source.blocks[0].nodes[:5][:, [1, 0, 2, 3]]
        self.assertEqual(found(source), {"mirrored_cells": ("note", 5)})

    def test_a_flat_cell(self):
        source = Source(np.array([[0.0, 0], [1, 0], [2, 0], [0, 1]]), [cells("triangle", [[0, 1, 3], [0, 1, 2]])])
        self.assertEqual(found(source)["flat_cells"], ("error", 1))

    def test_a_cell_whose_corners_and_volume_have_different_signs(self):
        source = Source(np.array([[0.0, 0], [1, 0], [20, 1], [0.01, 0.2]]), [cells("quad", [[0, 1, 2, 3]])])
        for turn in ([0, 1, 2, 3], [0, 3, 2, 1]):
            source.blocks[0] = cells("quad", [turn])
            self.assertGreater(build(source).volume[0], 0)

    def test_thin_cells_are_not_flat(self):
        source = sample.box(2, "quad")
        source.points[:, 1] *= 1e-9
        self.assertNotIn("flat_cells", found(source))

    def test_a_cell_with_a_node_twice(self):
        source = Source(np.eye(4, 3), [cells("tetra", [[0, 1, 2, 3], [0, 1, 1, 3]])])
        self.assertEqual(found(source)["collapsed_cells"], ("error", 1))

    def test_a_cell_that_is_not_convex(self):
        source = Source(np.array([[0.0, 0], [4, 0], [1, 1], [0, 4]]), [cells("quad", [[0, 1, 2, 3]])])
        self.assertEqual(found(source)["bent_cells"], ("warning", 1))

    def test_a_cell_that_is_there_twice(self):
        source = sample.box(2, "tetra")
        source.blocks[0] = cells("tetra", [*source.blocks[0].nodes, source.blocks[0].nodes[0]])
        self.assertEqual(found(source)["crowded_faces"][0], "error")

    def test_cells_that_overlap(self):
        source = Source(np.array([[0.0, 0], [1, 0], [0, 1], [0.2, 0.7]]), [cells("triangle", [[0, 1, 2], [0, 1, 3]])])
        self.assertEqual(found(source)["overlapping_cells"], ("error", 1))
        points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 2]])
        source = Source(points, [cells("tetra", [[0, 1, 2, 3], [0, 1, 2, 4]])])
        self.assertEqual(found(source)["overlapping_cells"], ("error", 1))

    def test_cells_that_see_the_nodes_of_their_face_in_another_order(self):
        source = sample.box(2, "hexahedron")
        above = source.blocks[0].nodes[:, 4:].max(axis=1) == source.blocks[0].nodes.max()
        source.blocks[0].nodes[above] = source.blocks[0].nodes[above][:, [1, 0, 2, 3, 4, 5, 6, 7]]
        self.assertEqual(found(source)["overlapping_cells"][0], "error")

    def test_elements_that_are_no_faces(self):
        source = sample.box(2, "quad")
        source.blocks.append(cells("line", [[0, 8], [0, 4]], [1, 1]))
        self.assertEqual(found(source), {"elements_without_cell": ("error", 2)})

    def test_elements_of_nodes_without_cells(self):
        source = sample.box(2, "quad")
        source.points = np.concatenate([source.points, [[5, 5], [6, 5], [7, 5]]])
        source.blocks.append(cells("line", [[0, 9], [9, 10], [10, 11]], [1, 1, 1]))
        self.assertEqual(found(source), {"elements_without_cell": ("error", 3), "unused_nodes": ("note", 3)})

    def test_a_face_in_two_groups(self):
        source = sample.box(2, "quad")
        source.blocks.append(cells("line", source.blocks[1].nodes[:2], [77, 77]))
        self.assertEqual(found(source), {"faces_in_two_groups": ("warning", 2)})

    def test_an_open_boundary(self):
        source = sample.box(3, "tetra")
        kept = source.blocks[1].tags != 6
        source.blocks[1] = cells("triangle", source.blocks[1].nodes[kept], source.blocks[1].tags[kept])
        self.assertEqual(found(source), {"open_boundary": ("warning", 18)})

    def test_parts_and_duplicate_nodes_until_they_are_merged(self):
        for kind, between, faces in (("quad", 3, 2), ("tetra", 9, 8), ("hexahedron", 9, 4)):
            source = torn(sample.box(2, kind))
            with self.subTest(kind):
                self.assertEqual(found(source), {"duplicate_nodes": ("warning", between), "disconnected_parts": ("warning", 2)})
                self.assertEqual(found(source, 1e-9), {"merged_nodes": ("note", between), "faces_in_two_groups": ("warning", faces)})

    def test_nodes_that_are_near_are_merged_over_that_distance_only(self):
        source = torn(sample.box(2, "tetra"), far=1e-4)
        self.assertEqual(found(source, 1e-5), {"disconnected_parts": ("warning", 2)})
        self.assertEqual(found(source, 2e-4)["merged_nodes"], ("note", 9))

    def test_a_hundred_nodes_at_one_place_are_merged(self):
        corners = np.array([[0, 0]] + [point for k in range(100) for point in ([np.cos(k), np.sin(k)], [0, 0])], float)
        rows = [[2 * k, 2 * k + 1, (2 * k + 3) % 200] for k in range(99)]
        merged = build(Source(corners, [cells("triangle", rows)]), 1e-9)
        self.assertEqual(len(merged.x), 101)

    def test_nodes_of_a_large_mesh_are_merged_over_a_distance_of_many_others(self):
        """Along any direction a hundred nodes are between the two of a pair."""
        random, half, far = np.random.default_rng(5), 60_000, 1e-3
        points = (sample.lattice(40, 3)[0] + random.uniform(-1e-3, 1e-3, (41 ** 3, 3)))[:half]
        other = random.permutation(half)
        x = np.concatenate([points, points[other] + random.uniform(-far, far, (half, 3)) / np.sqrt(3)])
        first = part_of_each(len(x), coincident.links(x, far))
        self.assertTrue((first == np.concatenate([np.arange(half), other])).all())

    def test_what_is_near_directly_or_through_others_is_linked(self):
        random = np.random.default_rng(6)
        for number in range(150):
            x = random.random((random.integers(1, 120), 2 + number % 2)) * 10.0 ** random.integers(-3, 4) + random.choice([0, -5, 1e6])
            x = np.concatenate([np.round(x, 1) if number % 3 == 0 else x, x[::2]])
            x[0] *= 1e12 if number % 7 == 0 else 1
            distance = random.choice([0, 1e-12, 0.01, 0.1, 1, 100]) * random.random()
            near = ((x[:, None] - x) ** 2).sum(axis=2) <= distance * distance
            found = coincident.links(x, distance)
            self.assertTrue((np.linalg.norm(x[found[:, 0]] - x[found[:, 1]], axis=1) <= distance * (1 + 1e-12)).all())
            expected = part_of_each(len(x), np.argwhere(np.triu(near, 1)))
            self.assertTrue((part_of_each(len(x), found) == expected).all(), (number, distance))

    def test_a_distance_that_is_too_large_takes_neither_time_nor_memory(self):
        x = np.random.default_rng(7).random((100_000, 3))
        for distance in (1e-2, 0.1, 10):
            found = coincident.links(x, distance)
            self.assertLess(len(found), 4 * len(x))
        self.assertEqual(part_of_each(len(x), found).max(), 0)
        self.assertEqual(len(coincident.links(np.zeros((100_000, 3)), 0)), 99_999)
        apart = np.concatenate([0.2 * x, 0.2 * x + [0.8, 0, 0]])
        with self.assertRaises(MeshError) as caught, mock.patch.object(coincident, "MOST_COMPARED", 1 << 22):
            coincident.links(apart, 0.59)
        self.assertIn("give --merge a smaller distance", str(caught.exception))

    def test_unused_nodes_are_left_out(self):
        source = sample.box(2, "tetra")
        source.points = np.concatenate([[[np.nan] * 3], source.points, [[9.0] * 3]])
        for block in source.blocks:
            block.nodes += 1
        self.assertEqual(found(source), {"unused_nodes": ("note", 2)})


class Refused(unittest.TestCase):
    def refuses(self, words, source):
        with self.assertRaises(MeshError) as caught:
            build(source)
        self.assertIn(words, str(caught.exception))

    def test_coordinates_that_are_not_finite(self):
        source = sample.box(2, "tetra")
        source.points[3, 1] = np.inf
        self.refuses("coordinates are not finite: 1 node, 3", source)

    def test_coordinates_that_are_too_large(self):
        source = sample.box(2, "tetra")
        source.points[3, 1] = -1e80
        self.refuses("a coordinate is too large: 1e+80", source)

    def test_a_surface_in_space(self):
        source = sample.box(2, "tetra")
        self.refuses("a surface in space: z is between 0 and 1", Source(source.points, source.blocks[1:]))

    def test_no_cells(self):
        self.refuses("there are no cells: 0 elements", Source(np.eye(3)))
        self.refuses("there are no cells: 1 element", Source(np.eye(3), [cells("line", [[0, 1]])]))

    def test_nodes_that_are_not_there(self):
        self.refuses("nodes that the file does not have: triangle 1 (from 0), 3 nodes",
                     Source(np.eye(3), [cells("triangle", [[0, 1, 2], [0, 1, 3]])]))
        self.refuses("nodes that the file does not have", Source(np.eye(3), [cells("triangle", [[0, 1, -1]])]))

    def test_shapes_that_are_not_supported(self):
        for kind in ("polygon", "polyhedron12", "VTK_LAGRANGE_TRIANGLE"):
            self.refuses(f"an element type is not supported: '{kind}', 1 element",
                         Source(np.eye(3), [cells(kind, [[0, 1, 2]])]))

    def test_different_orders_of_one_shape(self):
        source = sample.box(1, "triangle")
        source.blocks.append(cells("triangle6", [[0, 1, 2, 3, 0, 1]]))
        self.refuses("different orders: triangle with 3, 6 nodes", source)

    def test_numbers_of_groups_that_are_out_of_range(self):
        source = sample.box(1, "triangle")
        source.names[2, -5] = "fluid"
        self.refuses("the number of a group is out of range: -5", source)
        source.blocks[0].tags[0] = 1 << 40
        self.refuses("the number of a group is out of range: 1099511627776", source)


class Files(unittest.TestCase):
    """Damaged files of Gmsh; all other formats are left to test_mutants.py."""

    def refuses(self, words, change, binary=False, version=4):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.msh")
            writer = mesh_files.gmsh_4 if version == 4 else mesh_files.gmsh_2
            writer(path, sample.box(1, "triangle"), binary)
            with open(path, "rb") as file:
                data = file.read()
            changed = change(data)
            self.assertNotEqual(data, changed)
            with open(path, "wb") as file:
                file.write(changed)
            with self.assertRaises(MeshError) as caught:
                read.read(path)
            self.assertIn(words, str(caught.exception))

    def test_what_is_wrong_is_named(self):
        def replaced(old, new):
            return lambda data: data.replace(old, new, 1)
        self.refuses("version of the format is not supported: 3.0", replaced(b"4.1 0 8", b"3.0 0 8"))
        self.refuses("the format is not readable", replaced(b"4.1 0 8", b"nothing"))
        self.refuses("file type 2, data size 8", replaced(b"4.1 0 8", b"4.1 2 8"))
        self.refuses("an element type is not known: Gmsh's type 140, 2 elements", replaced(b"2 10 2 2\n", b"2 10 140 2\n"))
        self.refuses("Gmsh's type 140", replaced(b"1 2 2 10 10", b"1 140 2 10 10"), version=2)
        self.refuses("the section is missing: $Nodes", replaced(b"$Nodes", b"$Notes"))
        self.refuses("the section has no end: $Elements", replaced(b"$EndElements", b""))
        self.refuses("a value is not a number: section $Nodes", replaced(b"1.0 1.0 0.0", b"1.0 one 0.0"))
        self.refuses("$Nodes needs 12 more numbers and has 11", replaced(b"1.0 1.0 0.0", b"1.0 1.0"))
        self.refuses("nodes that the file does not have: 17 of 4", replaced(b"1 1 3 4\n", b"1 1 3 17\n"))
        self.refuses("are used twice: 2", replaced(b"1\n2\n3\n4\n", b"1\n2\n2\n4\n"))
        self.refuses("a physical group is not readable", replaced(b'2 10 "fluid"', b"2 10 fluid"))

    def test_counts_that_are_not_true(self):
        def cut(data):
            return data[:data.index(b"$Elements") + 60]
        self.refuses("the file ends too early: $Elements", cut, binary=True)
        self.refuses("ends too early: $Elements has 6 of 9 999 elements",
                     lambda data: data.replace(b"$Elements\n6\n", b"$Elements\n9999\n"), version=2)
        self.refuses("ends too early: $Nodes needs 4000000000 values",
                     lambda data: data.replace(b"$Nodes\n4\n", b"$Nodes\n4000000000\n"), binary=True, version=2)


class Limits(unittest.TestCase):
    def test_the_limit_of_memory_follows_the_size_of_the_file(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(1000))
            file.flush()
            self.assertEqual(guard.memory_limit(file.name), 2**30 + 40000)
        self.assertEqual((guard.memory_limit("none"), guard.memory_limit("none", 0.5)), (2**30, 2**29))

    def test_files_that_have_the_data_of_another_count(self):
        with tempfile.TemporaryDirectory() as folder:
            def file(name, size, text=""):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="ascii") as out:
                    out.write(text)
                    out.truncate(size)
                return path
            os.mkdir(os.path.join(folder, "data"))
            for name, size in (("points.h5", 10**8), ("data/cells.bin", 10**7), ("other.h5", 10**9), ("t.node", 10**6)):
                file(name, size)
            items = "<DataItem>\n points.h5:/x\n</DataItem><DataItem>points.h5:/y</DataItem><DataItem>data/cells.bin </DataItem>"
            xdmf = file("mesh.xdmf", 2000, f"<Xdmf>{items}<DataItem>1 2 3</DataItem></Xdmf>")
            self.assertEqual(guard.memory_limit(xdmf), 2**30 + 40 * (2000 + 10**8 + 10**7))
            self.assertEqual(guard.memory_limit(file("t.ele", 500)), 2**30 + 40 * (500 + 10**6))
            self.assertEqual(guard.memory_limit(file("t.msh", 500, "<a>points.h5:/x</a>")), 2**30 + 40 * 500)


if __name__ == "__main__":
    unittest.main()
