#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""plot_mach.py on small meshes of every type of cell, in the form that op_write_vtu writes.

    plot_mach_test.py PLOT_MACH_PY
"""
import importlib.util
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np

SCRIPT = sys.argv.pop(1)
specification = importlib.util.spec_from_file_location("plot_mach", SCRIPT)
plot_mach = importlib.util.module_from_spec(specification)
specification.loader.exec_module(plot_mach)

NAMES = {"f8": "Float64", "i4": "Int32", "i8": "Int64", "u1": "UInt8"}


def vtu_of(points, cells, at_cells=(), at_nodes=()):
    """A .vtu; cells are (type of VTK, corners)."""
    ends = np.cumsum([len(corners) for _, corners in cells])
    sections = {
        "PointData": list(at_nodes),
        "CellData": list(at_cells),
        "Points": [("Points", np.asarray(points, "f8"))],
        "Cells": [("connectivity", np.concatenate([c for _, c in cells]).astype("i4")),
                  ("offsets", ends.astype("i8")),
                  ("types", np.array([kind for kind, _ in cells], "u1"))],
    }  # fmt: skip
    text, data = '<VTKFile header_type="UInt64"><UnstructuredGrid><Piece>', b""
    text = '<?xml version="1.0"?>\n' + text
    for tag, arrays in sections.items():
        text += f"<{tag}>"
        for name, values in arrays:
            values = np.asarray(values)
            components = values.shape[1] if values.ndim == 2 else 1
            text += (f'<DataArray type="{NAMES[values.dtype.str[1:]]}" Name="{name}" '
                     f'NumberOfComponents="{components}" offset="{len(data)}"/>')
            data += np.uint64(values.nbytes).tobytes() + values.tobytes()
        text += f"</{tag}>"
    text += '</Piece></UnstructuredGrid><AppendedData encoding="raw">\n_'
    return text.encode() + data + b"\n</AppendedData></VTKFile>"


SQUARES = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]]
MIXED_PLANE = [(9, [0, 1, 4, 3]), (5, [1, 2, 4]), (5, [2, 5, 4])]
CUBES = [[x, y, z] for z in (0, 1, 2) for y in (0, 1) for x in (0, 1)]
HEXAHEDRON = [0, 1, 3, 2, 4, 5, 7, 6]
# A hexahedron, and on it a wedge and what remains of the second cube as pyramid and tetrahedron.
MIXED_SOLID = [(12, HEXAHEDRON), (13, [4, 6, 8, 5, 7, 9]), (14, [6, 7, 9, 8, 11]),
               (10, [6, 8, 11, 10])]  # fmt: skip


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        (self.folder / name).write_bytes(content)
        return self.folder / name

    def grid(self, *mesh, **fields):
        return plot_mach.read_grid(self.write("mesh.vtu", vtu_of(*mesh, **fields)), "q")

    def draw(self, path, *options):
        """The picture, [rows x columns x 4], or None, and the message."""
        png = self.folder / "picture.png"
        png.unlink(missing_ok=True)
        with unittest.mock.patch("sys.argv", ["plot_mach.py", str(path), str(png), *options]):
            try:
                plot_mach.main()
            except SystemExit as end:
                self.assertFalse(png.exists())
                return None, end.code
        plot_mach.plt.close("all")
        return plot_mach.plt.imread(png), ""


class Reading(Folder):
    def test_triangles_and_quadrilaterals_of_one_file_are_kept_apart(self):
        grid = self.grid(SQUARES, MIXED_PLANE, at_cells=[("q", np.array([1.0, 2, 3]))])
        self.assertEqual(grid.cells[5].shape, (2, 3))
        self.assertEqual(grid.cells[9].shape, (1, 4))
        self.assertEqual(list(grid.of_cells[5]), [2, 3])
        self.assertEqual(grid.at_nodes[list(map(tuple, grid.points)).index((1, 1, 0))], 2)

    def test_a_field_on_nodes_has_means_on_cells(self):
        grid = self.grid(SQUARES, MIXED_PLANE, at_nodes=[("q", np.arange(6.0))])
        self.assertEqual(list(grid.of_cells[9]), [2])
        self.assertEqual(list(grid.of_cells[5]), [7 / 3, 11 / 3])

    def test_sides_have_the_mean_of_their_corners(self):
        sides = np.array([[0, 1, 2, 2], [0, 1, 2, 3]])
        self.assertEqual(list(plot_mach.means_of(np.array([1.0, 2, 6, 7]), sides)), [3, 4])

    def test_of_a_vector_the_length_is_drawn(self):
        grid = self.grid(SQUARES, MIXED_PLANE, at_cells=[("q", np.array([[3.0, 4], [0, 1], [1, 0]]))])
        self.assertEqual(list(grid.of_cells[9]), [5])
        self.assertEqual(grid.drawn, ", length of 2 components")

    def test_one_component_can_be_drawn_and_is_named(self):
        path = self.write("mesh.vtu", vtu_of(SQUARES, MIXED_PLANE, at_cells=[("q", np.array([[3.0, 4], [0, 1], [1, 0]]))]))
        grid = plot_mach.read_grid(path, "q", 1)
        self.assertEqual(list(grid.of_cells[9]), [4])
        self.assertEqual(grid.drawn, ", component 1 of 2")
        with unittest.mock.patch.object(plot_mach, "add_colour_bar") as bar:
            self.draw(path, "--field", "q", "--component", "1")
        self.assertEqual(bar.call_args.args[-1], "q, component 1 of 2")
        self.assertIn("no component 2 of field 'q', which has 2: give 0 to 1", self.draw(path, "--field", "q", "--component", "2")[1])

    def test_pieces_share_nodes(self):
        for name, cells, value in (("a.vtu", MIXED_PLANE[:1], 1.0), ("b.vtu", MIXED_PLANE[1:], 3.0)):
            values = np.full(len(cells), value)
            self.write(name, vtu_of(SQUARES, cells, at_cells=[("q", values)]))
        pvtu = self.write("all.pvtu", b'<VTKFile><Piece Source="a.vtu"/><Piece Source="b.vtu"/></VTKFile>')
        pvd = self.write("all.pvd", b'<VTKFile><DataSet file="old"/><DataSet file="all.pvtu"/></VTKFile>')
        for path in (pvtu, pvd):
            grid = plot_mach.read_grid(path, "q")
            self.assertEqual(len(grid.points), 6)
            self.assertEqual(grid.at_nodes[list(map(tuple, grid.points)).index((2, 0, 0))], 3)


class Surface(Folder):
    def sides(self, points, cells):
        grid = self.grid(points, cells, at_cells=[("q", np.arange(float(len(cells))))])
        return plot_mach.sides_of(grid, flat=False), grid

    def test_the_surface_of_one_cell_has_all_its_sides(self):
        for cell, number in (((12, HEXAHEDRON), 6), (MIXED_SOLID[1], 5), (MIXED_SOLID[2], 5),
                             (MIXED_SOLID[3], 4)):  # fmt: skip
            (sides, _, _), _ = self.sides(CUBES, [cell])
            self.assertEqual(len(sides), number)

    def test_sides_between_two_cells_are_left_out_whatever_their_types(self):
        (sides, values, inside), grid = self.sides(CUBES, MIXED_SOLID)
        corners = grid.points[sides]
        area = np.linalg.norm(np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]), axis=1) / 2
        self.assertAlmostEqual(area.sum(), 10)  # of a block of 1 x 1 x 2
        normal = plot_mach.outward_normals(corners, inside)
        self.assertAlmostEqual(abs(normal.T @ area).max(), 0)
        volume = np.einsum("ij,ij,i->", normal, corners.mean(axis=1), area) / 3
        self.assertGreater(volume, 0)
        self.assertEqual(set(values), {0, 1, 2, 3})

    def test_a_hexahedron_with_repeated_corners_is_a_tetrahedron(self):
        (sides, _, _), _ = self.sides(CUBES, [(12, [0, 1, 2, 2, 4, 4, 4, 4])])
        self.assertEqual(len(sides), 4)


class Picture(Folder):
    def coloured(self, picture):
        """How many pixels are neither grey nor white."""
        return np.count_nonzero(np.ptp(picture[:, :, :3], axis=2) > 0.3)

    def test_meshes_of_all_types_have_one(self):
        for points, cells in ((SQUARES, MIXED_PLANE), (SQUARES, MIXED_PLANE[:1]),
                              (SQUARES, MIXED_PLANE[1:]), (CUBES, MIXED_SOLID),
                              ([[x, y, x * y] for x, y, _ in SQUARES], MIXED_PLANE)):  # fmt: skip
            values = [("q", np.arange(1.0, 1 + len(cells)))]
            path = self.write("mesh.vtu", vtu_of(points, cells, at_cells=values))
            picture, _ = self.draw(path, "--field", "q")
            self.assertGreater(self.coloured(picture), 10000)

    def test_a_clipped_mesh_shows_what_was_inside(self):
        path = self.write("mesh.vtu", vtu_of(CUBES, MIXED_SOLID, at_cells=[("q", np.arange(4.0))]))
        whole, _ = self.draw(path, "--field", "q")
        half, _ = self.draw(path, "--field", "q", "--clip", "0", "0", "1", "1")
        self.assertFalse(whole.shape == half.shape and (whole == half).all())
        _, said = self.draw(path, "--field", "q", "--clip", "0", "0", "1", "-1")
        self.assertIn("leaves no cells", said)

    def test_lines_have_one(self):
        net = [(3, [0, 1]), (3, [1, 2]), (3, [2, 5]), (3, [5, 3])]
        for points in (SQUARES, [[x, y, x * y] for x, y, _ in SQUARES], [[x + 3 * y, 0, 0] for x, y, _ in SQUARES]):
            for fields in ({"at_cells": [("q", np.arange(4.0))]}, {"at_nodes": [("q", np.arange(6.0))]}):
                picture, said = self.draw(self.write("mesh.vtu", vtu_of(points, net, **fields)), "--field", "q")
                self.assertIsNotNone(picture, said)
                self.assertGreater(self.coloured(picture[:, :700]), 500)  # without the bar of colours
        _, said = self.draw(self.folder / "mesh.vtu", "--field", "q", "--view", "7", "8", "0", "1")
        self.assertIn("from 0 to 5 in x", said)

    def test_lines_are_in_front_of_other_cells(self):
        for points, cells in ((SQUARES, MIXED_PLANE), (CUBES, MIXED_SOLID)):
            pictures = []
            for value in (0.0, 9.0):
                content = vtu_of(points, [*cells, (3, [0, 5]), (3, [0, 4])],
                                 at_cells=[("q", np.array([9.0] * (len(cells)) + [value, 0]))])
                pictures.append(self.draw(self.write("mesh.vtu", content), "--field", "q", "--range", "0", "100")[0])
            self.assertGreater(np.count_nonzero(pictures[0] != pictures[1]), 1000)

    def test_one_value_everywhere_has_a_picture(self):
        for points, cells in ((SQUARES, MIXED_PLANE), (CUBES, MIXED_SOLID)):
            path = self.write("mesh.vtu", vtu_of(points, cells, at_cells=[("q", np.ones(len(cells)))]))
            self.assertIsNotNone(self.draw(path, "--field", "q")[0])


class Mistakes(Folder):
    def refused(self, content, *options):
        picture, said = self.draw(self.write("mesh.vtu", content), *options)
        self.assertIsNone(picture)
        return said

    def test_a_missing_field_is_named_with_those_that_exist(self):
        content = vtu_of(SQUARES, MIXED_PLANE, at_cells=[("q", np.ones(3))], at_nodes=[("r", np.ones(6))])
        self.assertIn("no field 'mach'; there are: q, r", self.refused(content))

    def test_nan_is_counted(self):
        content = vtu_of(SQUARES, MIXED_PLANE, at_nodes=[("q", np.array([1, 2, np.nan, 4, 5, 6]))])
        self.assertIn("'q' is not finite at 1 of 6 nodes", self.refused(content, "--field", "q"))

    def test_a_view_beside_the_mesh_names_its_extent(self):
        content = vtu_of(SQUARES, MIXED_PLANE, at_cells=[("q", np.ones(3))])
        said = self.refused(content, "--field", "q", "--view", "5", "6", "5", "6")
        self.assertIn("from 0 to 2 in x and from 0 to 1 in y", said)

    def test_cells_that_op_write_vtu_does_not_write_are_named(self):
        content = vtu_of(SQUARES, [(22, [0, 1, 2, 3, 4, 5])], at_cells=[("q", np.ones(1))])
        self.assertIn("cells of VTK's type 22", self.refused(content, "--field", "q"))

    def test_other_files_are_refused(self):
        whole = vtu_of(SQUARES, MIXED_PLANE, at_cells=[("q", np.ones(3))])
        for content in (b"", b"text", whole[: len(whole) // 2], whole[:-300], whole.replace(b"UInt64", b"UInt32")):
            self.assertIn("mesh.vtu: ", self.refused(content, "--field", "q"))
        self.assertIn("No such file", self.draw(self.folder / "none.vtu")[1])


if __name__ == "__main__":
    unittest.main()
