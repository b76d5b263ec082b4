#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the figure of the README: kernels of kernels_bench, the library against the sequential loops that OP2 generates.

    plot_kernels.py bench/results/kernels_bench.jsonl docs/figures/kernels.png
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

NAMES = {
    "face_flux": "flux of second order, limiter, HLLC, viscous terms", "face_flux_first": "flux of first order, HLLC",
    "face_rusanov": "flux, Rusanov", "face_viscous": "viscous terms", "boundary_flux": "boundary flux",
    "face_gradient": "gradients by Gauss", "local_step": "time step", "cell_limiter": "limiter",
    "to_primitive": "primitive variables", "solve_block": "elimination of a 5 x 5 block",
    "face_jump": "jumps over faces, four points", "hexahedron": "hexahedra, eight points",
    "elastic_tetrahedron": "elasticity of tetrahedra", "mass_tetrahedron": "mass of tetrahedra",
    "least_squares": "gradients by least squares", "smooth": "mean of neighbours", "weno": "reconstruction of fifth order",
    "quadratic_triangle": "quadratic triangles, six points", "linear_triangle": "linear triangles",
    "quadrilateral": "bilinear quadrilaterals",
}  # fmt: skip


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="ascii") as lines:
        figures = sorted(map(json.loads, lines), key=lambda figure: figure["times_as_fast"])
    _, axes = plt.subplots(figsize=(7.5, 4.6))
    bars = axes.barh([NAMES[figure["case"]] for figure in figures], [figure["times_as_fast"] for figure in figures], color="#3a7ab8")
    axes.bar_label(bars, fmt="%.1f", padding=2, fontsize=8)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.tick_params(axis="y", labelsize=8)
    axes.set_xlim(0, 5.7)
    axes.set_xlabel("times as fast as a sequential loop in the form that OP2 generates, one thread", fontsize=8.5, loc="right")
    plt.tight_layout()
    plt.savefig(target, dpi=90)


if __name__ == "__main__":
    main()
