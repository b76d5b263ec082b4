#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a field of plane cells, triangles or quadrilaterals, as a PNG.

The file is a .vtu of op_write_vtu, a .pvtu of op_write_pvtu, or a .pvd of op_write_series, of which
the last time is drawn.

    plot_mach.py airfoil.vtu airfoil.png
    plot_mach.py airfoil.vtu pressure.png --field pressure --label Pressure --view -2 3 -2 2
    plot_mach.py dye.pvd dye.png --field dye --label Dye --title "" --unit "" --view -2 4 -2 2
"""
import argparse
import pathlib
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


def named_in(path, element, attribute):
    """The files that elements of an XML file name, in its folder."""
    found = ElementTree.parse(path).getroot().iter(element)
    return [path.parent / one.get(attribute) for one in found]


def pieces_of(path):
    """The .vtu files that make up a grid."""
    if path.suffix == ".pvd":
        times = named_in(path, "DataSet", "file")
        return pieces_of(times[-1]) if times else []
    return named_in(path, "Piece", "Source") if path.suffix == ".pvtu" else [path]


def read_grid(path, field):
    """Points, cells and a field on the cells, of all pieces; shapes [p x 3], [c x arity], [c]."""
    points, cells, values, first = [], [], [], 0
    for piece in pieces_of(pathlib.Path(path)):
        arrays = read_vtu(piece)
        if field not in arrays["CellData"]:
            names = ", ".join(arrays["CellData"])
            raise SystemExit(f"{piece}: no field '{field}' on the cells; there are: {names}")
        if len(arrays["Cells"]["offsets"]) == 0:
            continue
        arity = int(arrays["Cells"]["offsets"][0])
        points.append(arrays["Points"]["Points"])
        cells.append(first + arrays["Cells"]["connectivity"].reshape(-1, arity))
        values.append(arrays["CellData"][field])
        first += len(points[-1])
    if not cells:
        raise SystemExit(f"{path}: there are no cells")
    if cells[0].shape[1] not in (3, 4) or np.ptp(np.concatenate(points)[:, 2]) != 0:
        raise SystemExit(f"{path}: its cells are not triangles or quadrilaterals in a plane")
    points, cells = np.concatenate(points), np.concatenate(cells)
    points, place = np.unique(points, axis=0, return_inverse=True)  # pieces share nodes
    return points, place.reshape(-1)[cells], np.concatenate(values)


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
    corners = [[0, k, k + 1] for k in range(1, cells.shape[1] - 1)]
    triangles = np.concatenate([cells[:, three] for three in corners])

    low, high = np.percentile(smooth[np.unique(cells)], options.range)
    levels = np.linspace(low, high, options.levels)
    figure, axes = plt.subplots(figsize=(10, 5.6), layout="constrained")
    filled = axes.tricontourf(points[:, 0], points[:, 1], triangles, smooth, levels=levels,
                              cmap=options.colours, extend="both")
    axes.tricontour(points[:, 0], points[:, 1], triangles, smooth, levels=levels[::5],
                    colors="black", linewidths=0.4, alpha=0.4)
    x0, x1, y0, y1 = options.view
    unit = f" / {options.unit}" if options.unit else ""
    axes.set(xlim=(x0, x1), ylim=(y0, y1), xlabel="x" + unit, ylabel="y" + unit,
             aspect="equal", title=options.title)
    axes.set_facecolor("0.25")  # where there is no cell: the profile
    ticks = [tick for tick in MaxNLocator(10).tick_values(low, high) if low <= tick <= high]
    figure.colorbar(filled, ax=axes, label=options.label, shrink=0.9, ticks=ticks)
    figure.savefig(options.png, dpi=options.dpi)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="a .vtu, .pvtu or .pvd")
    parser.add_argument("png")
    parser.add_argument("--field", default="mach")
    parser.add_argument("--label", default="Mach number")
    parser.add_argument("--title", default="Flow around a NACA0012 profile, Mach 0.4")
    parser.add_argument("--unit", default="chord", help="of lengths")
    parser.add_argument("--view", nargs=4, type=float, default=[-0.6, 1.6, -0.65, 0.65],
                        metavar=("X0", "X1", "Y0", "Y1"))
    parser.add_argument("--range", nargs=2, type=float, default=[1, 99.9], metavar=("LOW", "HIGH"),
                        help="percentiles of the values at which the colours end")
    parser.add_argument("--levels", type=int, default=61)
    parser.add_argument("--colours", default="Spectral_r", help="a colour map of matplotlib")
    parser.add_argument("--dpi", type=int, default=130)
    options = parser.parse_args()

    draw(*read_grid(options.file, options.field), options)


if __name__ == "__main__":
    main()
