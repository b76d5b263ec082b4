#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A million tetrahedra are converted within 1.5 GB, whatever the format; prints seconds and memory.

    test_large.py OP2_MESH
"""
import os
import subprocess
import sys
import tempfile
import time

import mesh_files
import numpy as np
import sample_meshes as sample

SIDE = 55  # cubes along an edge, of six tetrahedra each
MOST = 1.5e9


def cube():
    points, cubes, _ = sample.lattice(SIDE, 3)
    tetrahedra = cubes[:, np.array(sample.KUHN)].reshape(-1, 4)
    random = np.random.default_rng(1)
    number = random.permutation(len(points))
    shuffled = np.empty_like(points)
    shuffled[number] = points
    cells = sample.Block("tetra", number[tetrahedra][random.permutation(len(tetrahedra))], np.full(len(tetrahedra), 10))
    return sample.Source(shuffled, [cells], {(3, 10): "fluid"})


def main():
    source, good = cube(), True
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("4b.msh", "4t.msh", "2b.msh", "2t.msh", "z.vtu", "b.vtk", "s.cgns"):
            path = os.path.join(folder, ending)
            mesh_files.WRITERS[ending](path, source)
            begin = time.monotonic()
            child = subprocess.Popen([sys.executable, "-B", sys.argv[1], "convert", "--quiet", path, f"{path}.h5"])
            _, status, usage = os.wait4(child.pid, 0)
            peak = usage.ru_maxrss * 1024
            good = good and status == 0 and peak < MOST
            print(f"{ending:8}{len(source.blocks[0].nodes)} tetrahedra: {time.monotonic() - begin:5.1f} s, {peak / 1e9:.2f} GB")
            os.unlink(path)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
