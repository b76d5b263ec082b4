#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a field of a .vtu file with quadrilaterals, as op_write_vtu writes it, as a PNG.

    plot_mach.py airfoil.vtu airfoil.png
    plot_mach.py airfoil.vtu pressure.png --field pressure --label Pressure --view -2 3 -2 2
"""
import argparse
import xml.etree.ElementTree as ElementTree

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

NUMPY_TYPES = {
    "Float64": "<f8", "Float32": "<f4", "Int32": "<i4", "UInt32": "<u4",
    "Int64": "<i8", "UInt64": "<u8", "UInt8": "u1",
}  # fmt: skip


def read_vtu(path):
    """All arrays of a file with appended raw data, by section and name."""
    with open(path, "rb") as file:
        content = file.read()
    marker = b'<AppendedData encoding="raw">'
    header, found, rest = content.partition(marker)
    if not found:
        raise SystemExit(f"{path}: no appended raw data; only files of op_write_vtu can be read")
    data = content.index(b"_", len(header)) + 1
    if b"UInt64" not in header.split(b">", 2)[1]:
        raise SystemExit(f"{path}: the header type is not UInt64")
    piece = ElementTree.fromstring(header + b"</VTKFile>").find("UnstructuredGrid/Piece")
    return {
        section.tag: {array.get("Name"): read_array(content, data, array) for array in section}
        for section in piece
    }


def read_array(content, data, array):
    begin = data + int(array.get("offset"))
    size = int(np.frombuffer(content, "<u8", 1, begin)[0])
    dtype = np.dtype(NUMPY_TYPES[array.get("type")])
    values = np.frombuffer(content, dtype, size // dtype.itemsize, begin + 8)
    components = int(array.get("NumberOfComponents"))
    return values.reshape(-1, components) if components > 1 else values


def cells_in_view(points, cells, view):
    """The cells whose bounding box meets the rectangle (x0, x1, y0, y1)."""
    corners = points[cells]
    low, high = corners.min(axis=1), corners.max(axis=1)
    x0, x1, y0, y1 = view
    return (low[:, 0] <= x1) & (high[:, 0] >= x0) & (low[:, 1] <= y1) & (high[:, 1] >= y0)


def node_averages(cells, values, point_count):
    """Values of cells as values of nodes: the mean over the cells around a node."""
    total = np.bincount(cells.ravel(), np.repeat(values, cells.shape[1]), point_count)
    count = np.bincount(cells.ravel(), minlength=point_count)
    return total / np.maximum(count, 1)


def draw(points, cells, values, options):
    seen = cells_in_view(points, cells, options.view)
    cells, values = cells[seen], values[seen]
    smooth = node_averages(cells, values, len(points))
    triangles = np.concatenate([cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]])

    low, high = np.percentile(smooth[np.unique(cells)], options.range)
    levels = np.linspace(low, high, options.levels)
    figure, axes = plt.subplots(figsize=(10, 5.6), layout="constrained")
    filled = axes.tricontourf(points[:, 0], points[:, 1], triangles, smooth, levels=levels,
                              cmap=options.colours, extend="both")
    axes.tricontour(points[:, 0], points[:, 1], triangles, smooth, levels=levels[::5],
                    colors="black", linewidths=0.4, alpha=0.4)
    x0, x1, y0, y1 = options.view
    axes.set(xlim=(x0, x1), ylim=(y0, y1), xlabel="x / chord", ylabel="y / chord",
             aspect="equal", title=options.title)
    axes.set_facecolor("0.25")  # where there is no cell: the profile
    ticks = [tick for tick in MaxNLocator(10).tick_values(low, high) if low <= tick <= high]
    figure.colorbar(filled, ax=axes, label=options.label, shrink=0.9, ticks=ticks)
    figure.savefig(options.png, dpi=options.dpi)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vtu")
    parser.add_argument("png")
    parser.add_argument("--field", default="mach")
    parser.add_argument("--label", default="Mach number")
    parser.add_argument("--title", default="Flow around a NACA0012 profile, Mach 0.4")
    parser.add_argument("--view", nargs=4, type=float, default=[-0.6, 1.6, -0.65, 0.65],
                        metavar=("X0", "X1", "Y0", "Y1"))
    parser.add_argument("--range", nargs=2, type=float, default=[1, 99.9], metavar=("LOW", "HIGH"),
                        help="percentiles of the values at which the colours end")
    parser.add_argument("--levels", type=int, default=61)
    parser.add_argument("--colours", default="Spectral_r", help="a colour map of matplotlib")
    parser.add_argument("--dpi", type=int, default=130)
    options = parser.parse_args()

    arrays = read_vtu(options.vtu)
    fields = arrays["CellData"]
    if options.field not in fields:
        parser.error(f"no field '{options.field}' on the cells; there are: {', '.join(fields)}")
    points = arrays["Points"]["Points"]
    cells = arrays["Cells"]["connectivity"].reshape(-1, 4)
    draw(points, cells, fields[options.field], options)


if __name__ == "__main__":
    main()
