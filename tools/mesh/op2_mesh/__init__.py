# SPDX-License-Identifier: BSD-3-Clause
"""From the file of a mesh generator to the sets, maps and dats of an OP2 program: docs/meshes.md."""
VERSION = "0.1.0"  # of the project, as in include/op2/version.hpp
