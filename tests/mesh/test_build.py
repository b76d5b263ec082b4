#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Meshes with known answers: volumes, normals, faces, groups, Euler numbers; and random ones, which must obey the same laws.

    test_build.py [--count N] [--seed N]    N random meshes
"""
import argparse
import sys
import unittest

import numpy as np
import sample_meshes as sample

from op2_mesh import check, geometry, report, topology, write
from op2_mesh.build import build
from op2_mesh.shapes import SHAPES
from op2_mesh.source import Source

COUNT, SEED = 30, 1
KINDS = ("triangle", "quad", "tetra", "hexahedron", "wedge", "pyramid", "pyramid and tetra")


def normal_sums(mesh):
    """[cells x dimension]: of the outward normals of each cell."""
    total = np.zeros((len(mesh.cell_tags), mesh.dimension))
    np.add.at(total, mesh.inner.cells[:, 0], mesh.inner.normal)
    np.subtract.at(total, mesh.inner.cells[:, 1], mesh.inner.normal)
    np.add.at(total, mesh.boundary.cells[:, 0], mesh.boundary.normal)
    return total


def volumes_by_faces(mesh):
    """Of each cell, as the integral of x . n / dimension over flat faces."""
    volume = np.zeros(len(mesh.cell_tags))
    np.add.at(volume, mesh.inner.cells[:, 0], (mesh.inner.centre * mesh.inner.normal).sum(axis=1))
    np.subtract.at(volume, mesh.inner.cells[:, 1], (mesh.inner.centre * mesh.inner.normal).sum(axis=1))
    np.add.at(volume, mesh.boundary.cells[:, 0], (mesh.boundary.centre * mesh.boundary.normal).sum(axis=1))
    return volume / mesh.dimension


class Laws(unittest.TestCase):
    def obeys(self, mesh, flat_faces=True):
        """What holds for each mesh of the unit square or cube."""
        self.assertFalse(check.has_errors(check.findings(mesh)), check.findings(mesh))
        self.assertAlmostEqual(mesh.volume.sum(), 1, delta=1e-12)
        self.assertGreater(mesh.volume.min(), 0)
        self.assertLess(np.abs(normal_sums(mesh)).max(), 1e-14)
        if flat_faces:
            np.testing.assert_allclose(volumes_by_faces(mesh), mesh.volume, atol=1e-14)
        self.assertTrue((mesh.inner.cells[:, 0] < mesh.inner.cells[:, 1]).all())
        self.assertTrue((np.diff(mesh.inner.cells[:, 0]) >= 0).all())
        first, second = mesh.centre[mesh.inner.cells[:, 0]], mesh.centre[mesh.inner.cells[:, 1]]
        self.assertGreater((mesh.inner.normal * (second - first)).sum(axis=1).min(initial=1), 0)
        outwards = mesh.boundary.centre - mesh.centre[mesh.boundary.cells[:, 0]]
        self.assertGreater((mesh.boundary.normal * outwards).sum(axis=1).min(), 0)
        np.testing.assert_allclose(mesh.volume @ mesh.centre, [0.5] * mesh.dimension, atol=1e-12)
        self.assertEqual(report.euler_number(mesh), 1)
        self.groups(mesh)
        self.nodes_of_faces(mesh)

    def groups(self, mesh):
        for side in range(2 * mesh.dimension):
            here = mesh.boundary.tags == side + 1
            normal = np.zeros(mesh.dimension)
            normal[side // 2] = 2 * (side % 2) - 1
            np.testing.assert_allclose(mesh.boundary.normal[here].sum(axis=0), normal, atol=1e-13)
            np.testing.assert_allclose(mesh.boundary.centre[here][:, side // 2], side % 2, atol=1e-14)
        self.assertTrue((np.diff(mesh.boundary.tags) >= 0).all())
        self.assertTrue((mesh.cell_tags == 10).all())

    def nodes_of_faces(self, mesh):
        nodes = write.cell_nodes(mesh)
        for faces in (mesh.inner, mesh.boundary):
            for cells in faces.cells.T:
                there = (faces.nodes[:, :, None] == nodes[cells][:, None, :]).any(axis=2)
                self.assertTrue(there.all())
        if len(mesh.parts) > 1:  # then smaller shapes are degenerate ones of the largest
            largest = SHAPES["quad" if mesh.dimension == 2 else "hexahedron"]
            np.testing.assert_allclose(geometry.cells(mesh.x, largest, nodes)[:, 0], mesh.volume, rtol=1e-12)


class Known(Laws):
    def test_boxes_of_each_shape_have_the_volume_of_the_box(self):
        for kind in KINDS:
            with self.subTest(kind):
                self.obeys(build(sample.box(3, kind)))

    def test_counts_of_a_square_of_quadrilaterals(self):
        mesh = build(sample.box(4, "quad"))
        self.assertEqual((len(mesh.x), len(mesh.cell_tags), len(mesh.inner.tags), len(mesh.boundary.tags)),
                         (25, 16, 24, 16))

    def test_counts_of_a_cube_of_tetrahedra(self):
        mesh = build(sample.box(2, "tetra"))
        self.assertEqual((len(mesh.x), len(mesh.cell_tags), len(mesh.inner.tags), len(mesh.boundary.tags)),
                         (27, 48, 72, 48))

    def test_one_triangle_has_three_edges_that_look_outwards(self):
        mesh = build(Source(np.array([[0, 0, 5.0], [2, 0, 5], [0, 1, 5]]),
                            [sample.Block("triangle", np.array([[0, 2, 1]]), np.array([7]))]))
        self.assertEqual((mesh.volume[0], mesh.faults.mirrored), (1, 1))
        normals = {tuple(centre): tuple(normal) for centre, normal in zip(mesh.boundary.centre, mesh.boundary.normal)}
        self.assertEqual(normals, {(1, 0): (0, -2), (1, 0.5): (1, 2), (0, 0.5): (-1, 0)})

    def test_the_centroid_of_each_shape(self):
        for kind in ("tetra", "pyramid", "wedge"):
            shape = SHAPES[kind]
            points = {"tetra": [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]],
                      "pyramid": [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 1, 4]],
                      "wedge": [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 2], [3, 0, 2], [0, 3, 2]]}[kind]
            mesh = build(Source(np.array(points, float), [sample.Block(kind, np.arange(shape.corners)[None], np.array([0]))]))
            expected = {"tetra": (32 / 3, [1, 1, 1]), "pyramid": (16 / 3, [1, 1, 1]), "wedge": (9, [1, 1, 1])}[kind]
            with self.subTest(kind):
                self.assertAlmostEqual(mesh.volume[0], expected[0], delta=1e-12)
                np.testing.assert_allclose(mesh.centre[0], expected[1], atol=1e-12)

    def test_euler_numbers_count_holes_handles_and_cavities(self):
        def middle(axes):
            return lambda centre: (np.abs(centre[:, axes] - 0.5) < 0.2).all(axis=1)
        for name, source, expected in [
                ("a ring", sample.without(sample.box(3, "triangle"), middle([0, 1])), 0),
                ("a torus", sample.without(sample.box(3, "hexahedron"), middle([0, 1])), 0),
                ("a cavity", sample.without(sample.box(3, "tetra"), middle([0, 1, 2])), 2)]:
            with self.subTest(name):
                self.assertEqual(report.euler_number(build(source)), expected)

    def test_nodes_on_edges_stay_on_their_edges(self):
        random = np.random.default_rng(SEED)
        for kind in ("triangle", "quad", "tetra", "hexahedron", "wedge", "pyramid"):
            source = sample.second_order(sample.shuffled(sample.box(3, kind), random))
            mesh = build(source)
            for part in mesh.parts:
                for index, (one, other) in enumerate(part.shape.edges):
                    middle = mesh.x[part.all_nodes[:, part.shape.corners + index]]
                    ends = mesh.x[part.nodes[:, one]], mesh.x[part.nodes[:, other]]
                    with self.subTest(kind=kind, edge=index):
                        np.testing.assert_allclose(middle, sum(ends) / 2, atol=1e-14)
            self.assertGreater(mesh.faults.mirrored, 0)
            self.obeys(mesh)

    def test_an_element_between_two_cells_marks_the_face(self):
        source = sample.box(2, "quad")
        source.blocks.append(sample.Block("line", np.array([[4, 1], [4, 7]]), np.array([33, 33])))
        mesh = build(source)
        self.assertEqual(sorted(mesh.inner.tags)[-2:], [33, 33])
        self.assertEqual(report.facts(mesh, "")["inner_faces_in_groups"], 2)
        self.obeys(mesh)


    def test_any_number_of_elements_at_one_face_is_one_pass(self):
        def calls_for(count):
            calls = []
            tags = np.full(count, 7)
            tags[:2], tags[-1] = 0, 8
            elements = np.tile([[1, 0]], (count, 1))
            sys.setprofile(lambda _, event, __: calls.append(event))
            found = topology.match(np.array([[0, 1], [1, 2], [2, 0]]), np.zeros(3, int), elements, tags, 3)
            sys.setprofile(None)
            self.assertEqual((found.tags.tolist(), found.disputed), ([7, 0, 0], 1))
            return len(calls)
        self.assertEqual(calls_for(4), calls_for(4000))


class Random(Laws):
    def test_numbers_and_orders_of_nodes_and_cells_do_not_matter(self):
        random = np.random.default_rng(SEED)
        for index in range(COUNT):
            dimension = 2 + index % 2
            plain = sample.shaken(sample.mixed(int(random.integers(1, 5)), dimension, random), random, 0.02)
            flat = dimension == 2
            with self.subTest(seed=SEED, index=index):
                mesh, other = build(plain), build(sample.shuffled(plain, random))
                self.obeys(mesh, flat)
                self.obeys(other, flat)
                self.assertEqual(self.content(mesh), self.content(other))
        print(f"checked {COUNT} random meshes")

    def content(self, mesh):
        """Faces and cells by place and size, whatever their numbers; which way an inner normal looks is a number's choice."""
        def rows(*columns):
            table = np.round(np.column_stack(columns), 9) + 0.0
            return sorted(map(tuple, table))
        return (rows(mesh.centre, mesh.volume),
                rows(mesh.inner.centre, (mesh.inner.normal ** 2).sum(axis=1), mesh.inner.tags),
                rows(mesh.boundary.centre, mesh.boundary.normal, mesh.boundary.tags))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    options, rest = parser.parse_known_args()
    COUNT, SEED = options.count, options.seed
    unittest.main(argv=["test_build.py", *rest])
