#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A million tetrahedra with boundary groups are converted within 1.5 GB, whatever the format; prints seconds and memory.

    test_large.py OP2_MESH
"""
import os
import subprocess
import sys
import tempfile
import time

import h5py
import mesh_files
import numpy as np
import sample_meshes as sample

SIDE = 56            # cubes along an edge, of six tetrahedra each: 1 053 696
MOST = 1.5e9         # bytes
AIM, LONGEST = 10, 60  # seconds on a machine without other work, and on any


def cube():
    """In random order, with the boundary in six groups."""
    points, cubes, _ = sample.lattice(SIDE, 3)
    source = sample.with_boundary(points, {"tetra": cubes[:, np.array(sample.KUHN)].reshape(-1, 4)})
    random = np.random.default_rng(1)
    number = random.permutation(len(points))
    source.points = np.empty_like(points)
    source.points[number] = points
    for block in source.blocks:
        order = random.permutation(len(block.nodes))
        block.nodes, block.tags = number[block.nodes][order], block.tags[order]
    return source


def main():
    source, good = cube(), True
    tetrahedra, triangles = (len(block.nodes) for block in source.blocks)
    print(f"{tetrahedra} tetrahedra, {triangles} triangles on the boundary; the aim: {AIM} s, {MOST / 1e9:.1f} GB")
    assert tetrahedra >= 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("4b.msh", "4t.msh", "2b.msh", "2t.msh", "z.vtu", "b.vtk", "s.cgns"):
            path = os.path.join(folder, ending)
            mesh_files.WRITERS[ending](path, source)
            begin = time.monotonic()
            child = subprocess.Popen([sys.executable, "-B", sys.argv[1], "convert", "--quiet", path, f"{path}.h5"])
            _, status, usage = os.wait4(child.pid, 0)
            seconds, peak = time.monotonic() - begin, usage.ru_maxrss * 1024
            good = good and status == 0 and peak < MOST and seconds < LONGEST and groups_of(f"{path}.h5") == triangles
            print(f"{ending:8}{seconds:5.1f} s (processor {usage.ru_utime + usage.ru_stime:5.1f} s), {peak / 1e9:.2f} GB")
            os.unlink(path)
            os.unlink(f"{path}.h5")
    return 0 if good else 1


def groups_of(path):
    """How many faces are in six groups together."""
    with h5py.File(path) as file:
        groups = [int(group["faces"][0]) for group in file["boundary"].values()]
    return sum(groups) if len(groups) == 6 else 0


if __name__ == "__main__":
    sys.exit(main())
