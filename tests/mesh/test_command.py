#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""op2-mesh as a program: what it prints, writes and ends with.

    test_command.py OP2_MESH VERSION
"""
import json
import os
import pty
import resource
import signal
import socket
import subprocess
import sys
import unittest

import h5py
import mesh_files
import numpy as np
import sample_meshes as sample

TOOL, VERSION = "op2-mesh", ""
UMASK = os.umask(0o022)
os.umask(UMASK)


class Command(mesh_files.InFolder):
    def run_tool(self, *arguments, **how):
        return subprocess.run([sys.executable, "-B", TOOL, *arguments], capture_output=True, text=True, timeout=60, **how)

    def ends(self, code, words, *arguments, **how):
        """The tool ends with this code and says these words, on the one or the other output, without a trace back."""
        done = self.run_tool(*arguments, **how)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(words, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def write(self, name="m.msh", source=None):
        mesh_files.gmsh_4(self.path(name), source or sample.box(2, "tetra"), True)
        return self.path(name)

    def waits(self, stderr):
        """Work that takes longer than the patience of the tool."""
        work = "import op2_progress, time; from op2_mesh import guard; op2_progress.PATIENCE = 0.05; guard.run(lambda: time.sleep(0.5) or 0, 1 << 33, 'check')"
        folders = os.pathsep.join(sys.path[:2])
        subprocess.run([sys.executable, "-B", "-c", work], stderr=stderr, timeout=60, check=True,
                       env={**os.environ, "PYTHONPATH": folders})

    def test_long_work_is_shown_on_a_terminal(self):
        here, there = pty.openpty()
        self.waits(there)
        self.assertTrue(os.read(here, 1000).startswith(b"op2-mesh: check, 0 s so far"))

    def test_long_work_is_silent_without_a_terminal(self):
        with open(self.path("log"), "wb") as log:
            self.waits(log)
        self.assertEqual(os.path.getsize(self.path("log")), 0)

    def test_help_and_version(self):
        self.ends(0, "op2-mesh convert cylinder.msh cylinder.h5", "--help")
        self.ends(0, f"op2-mesh {VERSION}\n", "--version")
        self.ends(0, "--merge DISTANCE", "convert", "--help")

    def test_wrong_requests(self):
        mesh = self.write()
        self.ends(2, "COMMAND", )
        self.ends(2, "invalid choice: 'paint'", "paint", mesh)
        self.ends(2, "--merge -1.0: give a distance of 0 or more", "check", mesh, "--merge", "-1")
        self.ends(2, "--memory 0.0: give 0.25", "check", mesh, "--memory", "0")
        self.ends(2, "the file cannot be read: No such file or directory", "check", self.path("none.msh"))
        self.ends(2, "not a regular file", "check", self.folder)
        open(self.path("empty.msh"), "wb").close()
        self.ends(2, "the file is empty", "check", self.path("empty.msh"))
        self.ends(2, "no format of meshes has this ending; give the file of a mesh", "check", TOOL)
        self.ends(2, "the format has groups itself, and no cell data 'x' [gmsh]; leave out --groups", "check", mesh, "--groups", "x")
        self.ends(2, "there are no cell data 'x'; the file has: none", "check", self.mesh_without_groups(), "--groups", "x")

    def mesh_without_groups(self):
        source = sample.box(1, "tetra")
        mesh_files.meshio.write(self.path("plain.vtk"), mesh_files.meshio.Mesh(source.points, [("tetra", source.blocks[0].nodes)]))
        return self.path("plain.vtk")

    def test_check_prints_and_ends_with_the_state_of_the_mesh(self):
        done = self.ends(0, "48 tetra; volume 1,", "check", self.write())
        self.assertIn("left                 tag 1              8   area 1", done.stdout)
        source = sample.box(2, "quad")
        source.blocks.append(sample.Block("line", np.array([[0, 8]]), np.array([1])))
        self.ends(1, "error: boundary elements are not faces of cells: 1 element; mesh", "check", self.write("bad.msh", source))

    def test_the_report_as_json(self):
        about = json.loads(self.ends(0, "findings", "check", "--json", self.write()).stdout)
        self.assertEqual((about["cells"], about["euler_number"], about["findings"]), (48, 1, []))
        self.assertAlmostEqual(about["regions"][0].pop("size"), 1, delta=1e-12)
        self.assertEqual(about["regions"], [{"name": "fluid", "tag": 10, "count": 48}])

    def test_a_mesh_with_errors_is_written_by_force_only(self):
        source = sample.box(2, "quad")
        source.blocks.append(sample.Block("line", np.array([[0, 8]]), np.array([1])))
        mesh, output = self.write("bad.msh", source), self.path("bad.h5")
        self.ends(1, "has errors and nothing was written", "convert", mesh, output)
        self.assertFalse(os.path.exists(output))
        self.ends(0, "wrote", "convert", "--force", mesh, output)
        self.assertTrue(os.path.exists(output))

    def test_pictures_of_2d_and_3d(self):
        for kind in ("quad", "tetra"):
            self.ends(0, "wrote", "draw", self.write("m.msh", sample.box(2, kind)), self.path("m.png"))
            with open(self.path("m.png"), "rb") as file:
                self.assertEqual(file.read(4), b"\x89PNG")
        self.ends(2, "the picture cannot be written", "draw", self.path("m.msh"), self.path("m.xyz"))

    def test_the_file_has_what_a_program_declares(self):
        source = sample.mixed(3, 3, np.random.default_rng(4))
        mesh_files.gmsh_4(self.path("m.msh"), source, True)
        self.ends(0, "wrote", "convert", self.path("m.msh"), self.path("m.h5"))
        with h5py.File(self.path("m.h5")) as file:
            sizes = {name: int(file[name][0]) for name in ("nodes", "cells", "faces", "boundary_faces")}
            for name, (on, to, dim) in {"cell_nodes": ("cells", "nodes", 8), "face_nodes": ("faces", "nodes", 4),
                                        "face_cells": ("faces", "cells", 2), "boundary_cell": ("boundary_faces", "cells", 1),
                                        "boundary_nodes": ("boundary_faces", "nodes", 4)}.items():
                self.assertEqual((file[name].shape, file[name].dtype), ((sizes[on], dim), np.dtype("<i4")), name)
                self.assertTrue(0 <= file[name][:].min() and file[name][:].max() < sizes[to], name)
            self.assertEqual(file["x"].attrs["type"], b"double")
            self.assertEqual((file["x"].attrs["size"], file["x"].attrs["dim"]), (sizes["nodes"], 3))
            shapes = [int(file[name][0]) for name in ("tetra", "pyramid", "wedge", "hexahedron")]
            self.assertEqual(sum(shapes), sizes["cells"])
            self.assertTrue((file["wedge_cell"][:, 0] == sum(shapes[:2]) + np.arange(shapes[2])).all())
            self.assertAlmostEqual(file["boundary/top/normal"][:].sum(axis=0)[2], 1)
            self.assertTrue((file["boundary_group"][:][file["boundary/back/face"][:, 0]] == 4).all())
            self.assertEqual(int(file["region/fluid/tag"][0]), 10)

    def test_declarations_name_what_is_there(self):
        self.ends(0, "wrote", "convert", self.write(), self.path("m.h5"))
        text = self.ends(0, 'op_set cells = op_decl_set_hdf5(file, "cells");', "declare", self.path("m.h5")).stdout
        self.assertIn('op_map face_cells = op_decl_map_hdf5(faces, cells, 2, file, "face_cells");', text)
        self.assertIn('op_dat boundary_top_normal = op_decl_dat_hdf5(boundary_top_faces, 3, "double", file, "boundary/top/normal");', text)
        self.assertNotIn("pyramid", text)
        self.ends(2, "give one that `op2-mesh convert` wrote", "declare", self.path("m.msh"))

    def test_declarations_have_different_names_whatever_the_groups_and_the_path(self):
        source = sample.box(2, "tetra")
        for tag, name in enumerate(("a-b", "a_b", "a.b", 'say "a"'), 1):
            source.names[2, tag] = name
        self.ends(0, "wrote", "convert", self.write("m.msh", source), self.path('5" \\m.h5'))
        text = self.ends(0, "op_decl_set_hdf5", "declare", self.path('5" \\m.h5')).stdout
        self.assertIn('/5\\042 \\134m.h5";\n', text)
        for number, name in (("", "a-b"), ("_2", "a.b"), ("_3", "a_b")):
            self.assertIn(f'op_set boundary_a_b_faces{number} = op_decl_set_hdf5(file, "boundary/{name}/faces");', text)
            self.assertIn(f'op_map boundary_a_b_cell{number} = op_decl_map_hdf5(boundary_a_b_faces{number}, cells, 1,', text)
        with open(self.path("m.cpp"), "w", encoding="utf-8") as file:
            file.write(f"#include <op2/op2.hpp>\n#include <op2/hdf5.hpp>\nvoid declare() {{\n{text}}}\n")
        include = os.path.join(os.path.dirname(TOOL), "../../include")
        subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-I", include, self.path("m.cpp")], check=True, timeout=60)

    def test_a_file_without_its_sets_is_not_declared(self):
        self.ends(0, "wrote", "convert", self.write(), self.path("m.h5"))
        with h5py.File(self.path("m.h5"), "r+") as file:
            del file["cells"]
        self.ends(2, "a set is not in the file: map 'boundary", "declare", self.path("m.h5"))

    def test_equal_meshes_give_equal_files(self):
        mesh = self.write()
        for name in ("a.h5", "b.h5"):
            self.ends(0, "wrote", "convert", mesh, self.path(name))
        with open(self.path("a.h5"), "rb") as one, open(self.path("b.h5"), "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_a_failed_write_leaves_the_old_file_and_nothing_else(self):
        mesh = self.write()
        with open(self.path("m.h5"), "w", encoding="ascii") as file:
            file.write("old")
        self.ends(2, "m.h5, File too large; check folder, permissions and space", "convert", mesh, self.path("m.h5"),
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)))
        self.assertEqual(sorted(os.listdir(self.folder)), ["m.h5", "m.msh"])
        with open(self.path("m.h5"), encoding="ascii") as file:
            self.assertEqual(file.read(), "old")
        self.ends(2, "the file cannot be written", "convert", mesh, self.path("missing/m.h5"))
        self.ends(2, "not a regular file", "convert", mesh, self.folder)

    def test_a_full_disk_leaves_the_old_picture_and_nothing_else(self):
        mesh = self.write()
        self.ends(0, "wrote", "draw", mesh, self.path("m.png"))
        with open(self.path("m.png"), "rb") as file:
            before = file.read()
        self.ends(2, "m.png, File too large; check folder, ending and space", "draw", mesh, self.path("m.png"),
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)))
        with open(self.path("m.png"), "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(sorted(os.listdir(self.folder)), ["m.msh", "m.png"])

    def test_output_that_cannot_be_written_is_said(self):
        mesh = self.write()
        self.ends(0, "wrote", "convert", mesh, self.path("m.h5"))
        for arguments in (("check", mesh), ("check", "--json", mesh), ("convert", mesh, self.path("m.h5")),
                          ("draw", mesh, self.path("m.png")), ("declare", self.path("m.h5"))):
            with open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([sys.executable, "-B", TOOL, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=60)
            self.assertEqual((done.returncode, done.stderr), (2, "op2-mesh: the output cannot be written: standard output, "
                                                                 "No space left on device; check the space\n"))

    def test_a_closed_pipe_loses_neither_the_file_nor_the_exit_code(self):
        mesh, bad = self.write(), sample.box(2, "quad")
        bad.blocks.append(sample.Block("line", np.array([[0, 8]]), np.array([1])))
        self.write("bad.msh", bad)
        for code, *arguments in ((0, "convert", mesh, self.path("m.h5")), (0, "check", mesh), (1, "check", self.path("bad.msh"))):
            reader, writer = os.pipe()
            os.close(reader)
            with os.fdopen(writer, "wb") as closed:
                done = subprocess.run([sys.executable, "-B", TOOL, *arguments], stdout=closed, stderr=subprocess.PIPE, text=True,
                                      timeout=60)
            self.assertEqual((done.returncode, done.stderr), (code, ""))
        with h5py.File(self.path("m.h5")) as file:
            self.assertEqual(int(file["cells"][0]), 48)

    def test_control_characters_of_names_are_escaped_wherever_they_are_printed(self):
        source = sample.box(2, "tetra")
        source.names[2, 1] = source.names[2, 2] = "in\x1b[31mlet\x07\x9b"
        mesh = self.write("m\x1b[2J.msh", source)
        outputs = [self.ends(0, "in\\x1b[31mlet\\x07\\x9b", "check", mesh), self.ends(0, "in", "check", "--json", mesh),
                   self.ends(0, "wrote", "convert", mesh, self.path("o\x1b.h5")),
                   self.ends(0, "op_decl_set_hdf5", "declare", self.path("o\x1b.h5")),
                   self.ends(2, "none\\x1b.msh", "check", self.path("none\x1b.msh"))]
        for done in outputs:
            self.assertNotRegex(done.stdout + done.stderr, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_maps_are_chosen_by_name(self):
        mesh = self.write()
        self.ends(0, "wrote", "convert", mesh, self.path("m.h5"))
        with h5py.File(self.path("m.h5")) as file:
            self.assertNotIn("cell_cells", file)
        self.ends(0, "wrote", "convert", "--maps", "cell_faces,cell_cells", mesh, self.path("m.h5"))
        with h5py.File(self.path("m.h5")) as file:
            self.assertEqual((file["cell_cells"].shape, file["cell_faces"].shape), ((48, 4), (48, 4)))
        text = self.ends(0, "op_decl", "declare", self.path("m.h5")).stdout
        self.assertIn('op_map cell_faces = op_decl_map_hdf5(cells, all_faces, 4, file, "cell_faces");', text)
        self.ends(2, "'cell_face' is not one of cell_faces, cell_cells, periodic", "convert", "--maps", "cell_face", mesh,
                  self.path("m.h5"))
        self.ends(2, "the file has no periodic pairs", "convert", "--maps", "periodic", mesh, self.path("m.h5"))

    def test_what_a_killed_writer_has_left_is_removed_by_the_next_one(self):
        mesh, host = self.write(), socket.gethostname()
        gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True).stdout.strip()
        kept = [f"m.h5.{host}.{os.getpid()}-0-0.tmp", f"m.h5.another{host}.{gone}-5-0.tmp", f"n.h5.{host}.{gone}-5-0.tmp", "m.h5.tmp"]
        for name in [*kept, f"m.h5.{host}.{gone}-5-0.tmp", f"m.h5.{host}.{os.getpid()}-1-0.tmp"]:
            open(self.path(name), "wb").close()
        self.ends(0, "wrote", "convert", mesh, self.path("m.h5"))
        self.assertEqual(sorted(os.listdir(self.folder)), sorted([*kept, "m.h5", "m.msh"]))

    def test_a_kill_leaves_the_old_file_and_a_temporary_one_until_the_next_write(self):
        mesh = self.write()
        with open(self.path("m.h5"), "wb") as file:
            file.write(b"old")
        work = ("import os, signal, op2_new_file; os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL); "
                f"op2_new_file.write({self.path('m.h5')!r}, b'new')")
        done = subprocess.run([sys.executable, "-B", "-c", work], env={**os.environ, "PYTHONPATH": sys.path[1]}, timeout=60)
        self.assertEqual(done.returncode, -signal.SIGKILL)
        with open(self.path("m.h5"), "rb") as file:
            self.assertEqual(file.read(), b"old")
        self.assertEqual(len(os.listdir(self.folder)), 3)
        self.ends(0, "wrote", "convert", mesh, self.path("m.h5"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["m.h5", "m.msh"])

    def test_a_replaced_file_keeps_its_permissions_and_links_stay(self):
        mesh = self.write()
        self.ends(0, "wrote", "convert", mesh, self.path("m.h5"))
        self.assertEqual(os.stat(self.path("m.h5")).st_mode & 0o777, 0o666 & ~UMASK)
        os.chmod(self.path("m.h5"), 0o640)
        os.symlink("m.h5", self.path("link.h5"))
        self.ends(0, "wrote", "convert", mesh, self.path("link.h5"))
        self.assertTrue(os.path.islink(self.path("link.h5")))
        self.assertEqual(os.stat(self.path("m.h5")).st_mode & 0o777, 0o640)

    def test_missing_modules_are_named_with_their_package(self):
        source = sample.box(1, "tetra")
        mesh_files.exodus_file(self.path("m.exo"), source)
        mesh, vtk = self.write(), self.mesh_without_groups()
        os.mkdir(self.path("none"))
        environment = {**os.environ, "PYTHONPATH": self.path("none")}
        for module, arguments in [("numpy", ("check", mesh)), ("h5py", ("convert", mesh, self.path("m.h5"))),
                                  ("meshio", ("check", vtk)), ("netCDF4", ("check", self.path("m.exo"))),
                                  ("matplotlib", ("draw", mesh, self.path("m.png")))]:
            with open(self.path(f"none/{module}.py"), "w", encoding="ascii") as file:
                file.write(f"raise ModuleNotFoundError('none', name='{module}')\n")
            self.ends(2, f"the Python module {module} is missing", *arguments, env=environment)
            self.ends(2, f"apt install python3-{module.lower()}", *arguments, env=environment)
            os.unlink(self.path(f"none/{module}.py"))

    def test_too_little_memory_is_said(self):
        points = sample.lattice(60, 3)[0]
        mesh_files.gmsh_4(self.path("m.msh"), sample.Source(points, [sample.Block("tetra", np.tile([0, 1, 70, 4000], (2000000, 1)),
                                                                             np.zeros(2000000, int))]), True)
        self.ends(2, "--memory", "check", self.path("m.msh"), "--memory", "0.25")

    def test_a_crash_is_told(self):
        os.mkdir(self.path("bad"))
        with open(self.path("bad/meshio.py"), "w", encoding="ascii") as file:
            file.write("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
        self.ends(2, "has crashed: SIGSEGV", "check", self.mesh_without_groups(),
                  env={**os.environ, "PYTHONPATH": self.path("bad")})


if __name__ == "__main__":
    TOOL, VERSION = sys.argv[1:3]
    unittest.main(argv=["test_command.py", *sys.argv[3:]])
