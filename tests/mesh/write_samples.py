#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes and converts the meshes that mesh_on_ranks reads.

    write_samples.py OP2_MESH FOLDER      FOLDER/square.h5, FOLDER/cube.h5
"""
import os
import subprocess
import sys

import mesh_files
import numpy as np
import sample_meshes as sample


def main():
    tool, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(11)
    for name, dimension, n in (("square", 2, 12), ("cube", 3, 5)):
        source = sample.shuffled(sample.shaken(sample.mixed(n, dimension, random), random, 0.02), random)
        path = os.path.join(folder, name)
        mesh_files.gmsh_4(f"{path}.msh", source, True)
        subprocess.run([sys.executable, "-B", tool, "convert", "--maps", "cell_faces,cell_cells", f"{path}.msh",
                        f"{path}.h5"], check=True)


if __name__ == "__main__":
    main()
