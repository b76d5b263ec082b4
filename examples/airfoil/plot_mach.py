#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a field of a mesh as a PNG: cells in a plane from above, others by their surface, lines as such.

The file is a .vtu of op_write_vtu, a .pvtu of op_write_pvtu, or a .pvd of op_write_series, of which
the last time is drawn. Cells are lines, triangles, quadrilaterals, tetrahedra, pyramids, wedges and
hexahedra, in any mixture, lines in front of the others; the field is on cells or nodes. Of several components the length is
drawn, or the one that --component names; the label says which.

    plot_mach.py airfoil.vtu airfoil.png
    plot_mach.py airfoil.vtu pressure.png --field pressure --label Pressure --view -2 3 -2 2
    plot_mach.py flow.vtu rising.png --field velocity --component 1
    plot_mach.py dye.pvd dye.png --field dye
    plot_mach.py pipe.vtu pipe.png --field temperature --look 30 25 --clip 0 0 1 0.5
"""
import argparse
import pathlib
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.ticker import MaxNLocator
except ImportError as missing:
    sys.exit(f"{missing}; on Debian: apt install python3-numpy python3-matplotlib")

NUMPY_TYPES = {
    "Float64": "<f8", "Float32": "<f4", "Int32": "<i4", "UInt32": "<u4",
    "Int64": "<i8", "UInt64": "<u8", "UInt8": "u1",
}  # fmt: skip

# The sides of each type of cell in VTK, by corners; a cell in a surface is its own side. Triangles
# have their last corner twice.
SIDES = {
    5: [(0, 1, 2, 2)],
    9: [(0, 1, 2, 3)],
    10: [(0, 1, 2, 2), (0, 1, 3, 3), (1, 2, 3, 3), (0, 2, 3, 3)],
    12: [(0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)],
    13: [(0, 1, 2, 2), (3, 4, 5, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)],
    14: [(0, 1, 2, 3), (0, 1, 4, 4), (1, 2, 4, 4), (2, 3, 4, 4), (3, 0, 4, 4)],
}
CORNERS = {3: 2, 5: 3, 9: 4, 10: 4, 12: 8, 13: 6, 14: 5}
LINE = 3
FLAT = (3, 5, 9)  # the types that are not solids

AIRFOIL = {
    "label": "Mach number",
    "title": "Flow around a NACA0012 profile, Mach 0.4",
    "unit": "chord",
    "view": [-0.6, 1.6, -0.65, 0.65],
}


@dataclass
class Grid:
    """A mesh and a field: all cells of one type are rows of one array."""

    points: np.ndarray  # [p x 3]
    cells: dict  # VTK's type -> corners [c x CORNERS]
    at_nodes: np.ndarray  # [p], values of the field
    of_cells: dict  # VTK's type -> values [c], also if the field is on nodes
    on_nodes: bool
    drawn: str  # what of the field: "", ", component 1 of 3" or ", length of 3 components"


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


def read_vtu(path):
    """All arrays of a file with appended raw data, by section and name."""
    content = path.read_bytes()
    marker = b'<AppendedData encoding="raw">'
    header, found, _ = content.partition(marker)
    if not found:
        sys.exit(f"{path}: no appended raw data; only files of op_write_vtu can be read")
    if b"UInt64" not in header.split(b">", 2)[1]:
        sys.exit(f"{path}: the header type is not UInt64; only files of op_write_vtu can be read")
    data = content.index(b"_", len(header)) + 1
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


def field_of(piece, arrays, field, component):
    """Where a field is, its values, and which they are: its only component, the one that is wanted, or the length."""
    for place in ("CellData", "PointData"):
        if field not in arrays[place]:
            continue
        values = arrays[place][field].astype(float)
        count = 1 if values.ndim == 1 else values.shape[1]
        if component is not None and not 0 <= component < count:
            sys.exit(f"{piece}: no component {component} of field '{field}', which has {count}: give 0 to {count - 1}")
        if count == 1:
            return place, values, ""
        if component is None:
            return place, np.linalg.norm(values, axis=1), f", length of {count} components"
        return place, values[:, component], f", component {component} of {count}"
    names = ", ".join([*arrays["CellData"], *arrays["PointData"]]) or "none"
    sys.exit(f"{piece}: no field '{field}'; there are: {names}")


def read_grid(path, field, component=None):
    """The grid of all pieces, which share nodes."""
    points, values, cells, place, drawn, first = [], [], {}, None, "", 0
    for piece in pieces_of(pathlib.Path(path)):
        arrays = read_vtu(piece)
        place, found, drawn = field_of(piece, arrays, field, component)
        begin = np.concatenate([[0], arrays["Cells"]["offsets"][:-1]])
        for kind in np.unique(arrays["Cells"]["types"]):
            if kind not in CORNERS:
                sys.exit(f"{piece}: cells of VTK's type {kind}, which are not drawn")
            rows = np.flatnonzero(arrays["Cells"]["types"] == kind)
            corners = begin[rows, None] + np.arange(CORNERS[kind])
            of_rows = found[rows] if place == "CellData" else None
            cells.setdefault(kind, []).append(
                (first + arrays["Cells"]["connectivity"][corners], of_rows))
        points.append(arrays["Points"]["Points"])
        values.append(found)
        first += len(points[-1])
    if not cells:
        sys.exit(f"{path}: there are no cells")
    points, one, place_of = np.unique(np.concatenate(points), axis=0, return_index=True,
                                      return_inverse=True)
    place_of = place_of.reshape(-1)
    nodes = {kind: place_of[np.concatenate([corners for corners, _ in parts])]
             for kind, parts in cells.items()}
    if place == "PointData":
        at_nodes = np.concatenate(values)[one]
        return Grid(points, nodes, at_nodes, {k: at_nodes[c].mean(axis=1) for k, c in nodes.items()},
                    True, drawn)
    of_cells = {kind: np.concatenate([v for _, v in parts]) for kind, parts in cells.items()}
    return Grid(points, nodes, node_averages(nodes, of_cells, len(points)), of_cells, False,
                drawn)


def node_averages(cells, values, point_count):
    """Values of cells as values of nodes: the mean over the cells around a node."""
    total, count = np.zeros(point_count), np.zeros(point_count)
    for kind, corners in cells.items():
        total += np.bincount(corners.ravel(), np.repeat(values[kind], corners.shape[1]), point_count)
        count += np.bincount(corners.ravel(), minlength=point_count)
    return total / np.maximum(count, 1)


def clipped(grid, plane):
    """The cells whose centre (x, y, z) has nx x + ny y + nz z <= d."""
    if plane is None:
        return grid
    kept = {kind: grid.points[corners].mean(axis=1) @ plane[:3] <= plane[3]
            for kind, corners in grid.cells.items()}
    cells = {kind: corners[kept[kind]] for kind, corners in grid.cells.items() if kept[kind].any()}
    return Grid(grid.points, cells, grid.at_nodes,
                {kind: grid.of_cells[kind][kept[kind]] for kind in cells}, grid.on_nodes, grid.drawn)


def sides_of(grid, flat):
    """Sides of cells of which no other cell has the same: corners [s x 4], value of the cell [s],
    a point inside the cell [s x 3].

    @param flat  whether all cells are surfaces: then nothing is left out
    """
    if not grid.cells:
        sys.exit("--clip leaves no cells")
    sides, values, inside = [np.empty((0, 4), int)], [np.empty(0)], [np.empty((0, 3))]
    for kind, corners in grid.cells.items():
        for side in SIDES.get(kind, []):
            sides.append(corners[:, side])
            values.append(grid.of_cells[kind])
            inside.append(grid.points[corners].mean(axis=1))
    sides, values, inside = map(np.concatenate, (sides, values, inside))
    if flat:
        return sides, values, inside
    key = np.sort(sides, axis=1)  # different corners, in ascending order
    key[:, 1:][key[:, 1:] == key[:, :-1]] = -1
    key = np.sort(key, axis=1)
    _, first, count = np.unique(key, axis=0, return_index=True, return_counts=True)
    shown = first[(count == 1) & (key[first, 1] >= 0)]  # three corners or four
    return sides[shown], values[shown], inside[shown]


def lines_of(grid):
    """The ends of all lines [l x 2] and their values."""
    none = np.empty((0, 2), int), np.empty(0)
    return (grid.cells[LINE], grid.of_cells[LINE]) if LINE in grid.cells else none


def means_of(at_nodes, sides):
    """The mean of the corners of each side."""
    corners = at_nodes[sides]
    return np.where(sides[:, 2] == sides[:, 3], corners[:, :3].mean(axis=1), corners.mean(axis=1))


def triangles_of(sides):
    """Both halves of each side, without those that have a corner twice."""
    halves = np.concatenate([sides[:, [0, 1, 2]], sides[:, [0, 2, 3]]])
    a, b, c = halves.T
    return halves[(a != b) & (b != c) & (a != c)]


def in_view(points, sides, view):
    """The sides, or lines, whose bounding box meets the rectangle (x0, x1, y0, y1)."""
    corners = points[sides]
    low, high = corners.min(axis=1), corners.max(axis=1)
    x0, x1, y0, y1 = view
    return (low[:, 0] <= x1) & (high[:, 0] >= x0) & (low[:, 1] <= y1) & (high[:, 1] >= y0)


def limits_of(values, options):
    """Where the colours begin and end."""
    low, high = np.percentile(values, options.range)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def add_colour_bar(figure, axes, drawn, low, high, label):
    ticks = [tick for tick in MaxNLocator(10).tick_values(low, high) if low <= tick <= high]
    figure.colorbar(drawn, ax=axes, label=label, shrink=0.9, ticks=ticks)


def add_lines(axes, ends, values, limits, options):
    """Lines [l x 2 x 2] in the plane of the picture."""
    drawn = LineCollection(ends, cmap=options.colours, norm=matplotlib.colors.Normalize(*limits),
                           linewidths=2, zorder=3)
    drawn.set_array(values)
    axes.add_collection(drawn)
    return drawn


def in_plane(grid, options):
    """Sides, lines, values of lines, and the view; the program ends if nothing is there."""
    sides, _, _ = sides_of(grid, flat=True)
    lines, of_lines = lines_of(grid)
    used = grid.points[np.unique(np.concatenate([sides.ravel(), lines.ravel()]))]
    (left, bottom, _), (right, top, _) = used.min(axis=0), used.max(axis=0)
    wider = 0.05 * max(right - left, top - bottom) if len(sides) == 0 else 0  # not lines on the rim
    view = options.view or (left - wider, right + wider, bottom - wider, top + wider)
    sides = sides[in_view(grid.points, sides, view)]
    shown = in_view(grid.points, lines, view)
    if len(sides) == 0 and not shown.any():
        sys.exit(f"--view: no cells are there; the mesh is from {left:g} to {right:g} in x and "
                 f"from {bottom:g} to {top:g} in y")
    return sides, lines[shown], of_lines[shown], view


def add_filled(axes, grid, sides, limits, options):
    """Contours of the values at nodes."""
    points, triangles = grid.points, triangles_of(sides)
    levels = np.linspace(*limits, options.levels)
    filled = axes.tricontourf(points[:, 0], points[:, 1], triangles, grid.at_nodes, levels=levels,
                              cmap=options.colours, extend="both")
    if np.ptp(grid.at_nodes[np.unique(sides)]) > 0:
        axes.tricontour(points[:, 0], points[:, 1], triangles, grid.at_nodes, levels=levels[::5],
                        colors="black", linewidths=0.4, alpha=0.4)
    axes.set_facecolor("0.25")  # where there is no cell: the profile
    return filled


def draw_plane(grid, options):
    sides, lines, of_lines, (x0, x1, y0, y1) = in_plane(grid, options)
    limits = limits_of(np.concatenate([grid.at_nodes[np.unique(sides)], of_lines]), options)
    figure, axes = plt.subplots(figsize=(10, 5.6), layout="constrained")
    drawn = []
    if len(sides):
        drawn.append(add_filled(axes, grid, sides, limits, options))
    if len(lines):
        drawn.append(add_lines(axes, grid.points[lines][:, :, :2], of_lines, limits, options))
    unit = f" / {options.unit}" if options.unit else ""
    axes.set(xlim=(x0, x1), ylim=(y0, y1), xlabel="x" + unit, ylabel="y" + unit,
             aspect="equal", title=options.title)
    add_colour_bar(figure, axes, drawn[0], *limits, options.label)
    figure.savefig(options.png, dpi=options.dpi)


def axes_of_view(azimuth, elevation):
    """Unit vectors to the right, upwards and to the viewer, as rows; angles in degrees."""
    a, e = np.radians([azimuth, elevation])
    viewer = [np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)]
    right = [-np.sin(a), np.cos(a), 0]
    return np.array([right, np.cross(viewer, right), viewer])


def outward_normals(corners, inside):
    """Unit normals of sides [s x 4 x 3], away from the cell."""
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    away = np.einsum("ij,ij->i", normal, corners.mean(axis=1) - inside)
    return np.where(away[:, None] < 0, -normal, normal)


def seen_sides(grid, view):
    """Corners [s x 4 x 3] in the axes of the view, normals and values of the sides that look to the viewer,
    the nearest last."""
    flat = all(kind in FLAT for kind in grid.cells)
    sides, values, inside = sides_of(grid, flat)
    if grid.on_nodes:
        values = means_of(grid.at_nodes, sides)
    corners = grid.points[sides]
    normal = outward_normals(corners, inside) @ view.T
    if flat:
        normal *= np.where(normal[:, 2:] < 0, -1, 1)  # both sides of a surface are seen
    seen = normal[:, 2] > 0
    corners, normal, values = corners[seen] @ view.T, normal[seen], values[seen]
    order = np.argsort(corners[:, :, 2].mean(axis=1))
    return corners[order], normal[order], values[order]


def draw_surface(grid, options):
    grid = clipped(grid, options.clip)
    view = axes_of_view(*options.look)
    corners, normal, values = seen_sides(grid, view)
    lines, of_lines = lines_of(grid)
    light = np.array([-0.4, 0.5, 0.77])

    low, high = limits_of(np.concatenate([values, of_lines]), options)
    drawn = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(low, high), options.colours)
    colours = drawn.to_rgba(values)
    colours[:, :3] *= (0.7 + 0.3 * np.clip(normal @ light, 0, 1))[:, None]
    figure, axes = plt.subplots(figsize=(8, 6), layout="constrained")
    axes.add_collection(PolyCollection(corners[:, :, :2], facecolors=colours, edgecolors=colours,
                                       linewidths=0.2))
    add_lines(axes, (grid.points[lines] @ view.T)[:, :, :2], of_lines, (low, high), options)
    axes.margins(0.1)
    axes.autoscale_view()
    axes.set(aspect="equal", title=options.title)
    axes.set_axis_off()
    for name, along in zip("xyz", view[:2].T):  # the directions of the axes, in a corner
        axes.annotate("", 0.08 + 0.06 * along, (0.08, 0.08), xycoords="axes fraction",
                      textcoords="axes fraction", arrowprops={"arrowstyle": "->"})
        axes.text(*(0.08 + 0.08 * along), name, transform=axes.transAxes, ha="center", va="center")
    add_colour_bar(figure, axes, drawn, low, high, options.label)
    figure.savefig(options.png, dpi=options.dpi)


def draw(grid, options):
    bad = np.count_nonzero(~np.isfinite(grid.at_nodes))
    if bad:
        sys.exit(f"{options.file}: '{options.field}' is not finite at {bad} of "
                 f"{len(grid.at_nodes)} nodes; OP2_CHECK=finite finds the loop")
    if all(kind in FLAT for kind in grid.cells) and np.ptp(grid.points[:, 2]) == 0:
        draw_plane(clipped(grid, options.clip), options)
    else:
        draw_surface(grid, options)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="a .vtu, .pvtu or .pvd")
    parser.add_argument("png")
    parser.add_argument("--field", default="mach")
    parser.add_argument("--component", type=int, help="of the field, from 0 (default: of several the length)")
    parser.add_argument("--label")
    parser.add_argument("--title")
    parser.add_argument("--unit", help="of lengths")
    parser.add_argument("--view", nargs=4, type=float, metavar=("X0", "X1", "Y0", "Y1"),
                        help="what of a plane is drawn (default: all; of 'mach' the profile)")
    parser.add_argument("--look", nargs=2, type=float, default=[-60, 30],
                        metavar=("AZIMUTH", "ELEVATION"),
                        help="in 3D: from where, in degrees from the x axis and above the plane")
    parser.add_argument("--clip", nargs=4, type=float, metavar=("NX", "NY", "NZ", "D"),
                        help="leave out cells whose centre has NX x + NY y + NZ z > D")
    parser.add_argument("--range", nargs=2, type=float, default=[1, 99.9], metavar=("LOW", "HIGH"),
                        help="percentiles of the values at which the colours end")
    parser.add_argument("--levels", type=int, default=61)
    parser.add_argument("--colours", default="Spectral_r", help="a colour map of matplotlib")
    parser.add_argument("--dpi", type=int, default=130)
    options = parser.parse_args()
    usual = AIRFOIL if options.field == "mach" else {"title": ""}
    for name in ("title", "unit", "view"):
        if getattr(options, name) is None:
            setattr(options, name, usual.get(name))
    return options


def main():
    options = arguments()
    try:
        grid = read_grid(options.file, options.field, options.component)
        if options.label is None:
            options.label = (AIRFOIL["label"] if options.field == "mach" else options.field) + grid.drawn
        draw(grid, options)
    except (OSError, KeyError, ValueError, IndexError, ElementTree.ParseError) as error:
        sys.exit(f"{options.file}: cannot be drawn: {error}")


if __name__ == "__main__":
    main()
