# SPDX-License-Identifier: BSD-3-Clause
"""From the file of a mesh generator to the sets, maps and dats of an OP2 program: share/doc/op2/docs/meshes.md."""
