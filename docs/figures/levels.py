#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Levels of one rank of a small quadrilateral mesh, from their definition (docs/design/halo-algebra.md).

    levels.py levels.svg    draws them
    levels.py --rows        counts the rows of each level in the drawing
    levels.py --cost        counts what the nine loops of Airfoil execute more than once
"""

import sys

import numpy as np

SETS = ("nodes", "edges", "cells", "bedges")
SHOWN = range(-2, 5)


def quad_mesh(columns, rows):
    """Sizes of the sets, and maps (from, to, targets[row, column]) with the tables of Airfoil."""
    cell = np.arange(rows * columns).reshape(rows, columns)
    node = np.arange((rows + 1) * (columns + 1)).reshape(rows + 1, columns + 1)

    def table(*targets):
        return np.stack([t.ravel() for t in targets], axis=1)

    def joined(*tables):
        return np.concatenate(tables)

    upright, level = (slice(None), slice(1, -1)), (slice(1, -1), slice(None))
    inner_nodes = joined(table(node[:-1][upright], node[1:][upright]),
                         table(node[level][:, :-1], node[level][:, 1:]))
    sides = joined(table(cell[:, :-1], cell[:, 1:]), table(cell[:-1], cell[1:]))
    outer_nodes = joined(*(table(n[:-1], n[1:]) for n in (node[0], node[-1], node[:, 0], node[:, -1])))
    inside = joined(*(table(c) for c in (cell[0], cell[-1], cell[:, 0], cell[:, -1])))
    corners = table(node[:-1, :-1], node[:-1, 1:], node[1:, 1:], node[1:, :-1])
    maps = [("cells", "nodes", corners), ("edges", "nodes", inner_nodes), ("edges", "cells", sides),
            ("bedges", "nodes", outer_nodes), ("bedges", "cells", inside)]
    sizes = dict(nodes=node.size, edges=len(sides), cells=cell.size, bedges=len(inside))
    return sizes, maps


def owned_by(is_mine, columns, rows):
    """W_0: cells as given [row, column]; edges go with their first cell, nodes with the cell to
    their upper right, or the last one there is."""
    sizes, maps = quad_mesh(columns, rows)
    cells = is_mine.ravel()
    near = np.ix_(np.minimum(np.arange(rows + 1), rows - 1), np.minimum(np.arange(columns + 1), columns - 1))
    owned = dict(cells=cells, nodes=is_mine[near].ravel(), edges=cells[maps[2][2][:, 0]],
                 bedges=cells[maps[4][2][:, 0]])
    assert all(len(owned[s]) == sizes[s] for s in SETS)
    return owned, maps


def next_level(nearer, level, maps):
    """W_level from the level one nearer to 0: odd ones gain or lose sources, even ones targets."""
    members = {s: m.copy() for s, m in nearer.items()}
    gain = level > 0
    for source, target, table in maps:
        if level % 2:
            members[source][(nearer[target][table] == gain).any(axis=1)] = gain
        else:
            members[target][table[nearer[source] == gain]] = gain
    return members


def family(owned, maps, lowest, highest):
    """Membership of every element in W_lowest .. W_highest."""
    levels = {0: owned}
    for level in range(1, highest + 1):
        levels[level] = next_level(levels[level - 1], level, maps)
    for level in range(-1, lowest - 1, -1):
        levels[level] = next_level(levels[level + 1], level, maps)
    return levels


def first_level(levels, which):
    """The lowest of the levels that contains each element; nan if none does."""
    found = np.full(len(levels[0][which]), np.nan)
    for level in sorted(levels, reverse=True):
        found[levels[level][which]] = level
    return found


def drawn_mesh():
    columns = rows = 12
    is_mine = np.zeros((rows, columns), bool)
    is_mine[:rows // 2, columns // 2:] = True
    owned, maps = owned_by(is_mine, columns, rows)
    return columns, rows, family(owned, maps, SHOWN[0], SHOWN[-1]), maps


def print_rows():
    _, _, levels, _ = drawn_mesh()
    print("level " + "".join(f"{s:>8}" for s in SETS))
    for level in SHOWN:
        print(f"{level:5d} " + "".join(f"{levels[level][s].sum():8d}" for s in SETS))


def print_cost():
    """Iterations beyond the owned ones, for a square of cells in the middle of a large mesh."""
    airfoil = (("cells", 2), ("cells", 4), ("edges", 3), ("bedges", 3), ("cells", 2),
               ("cells", 2), ("edges", 1), ("bedges", 1), ("cells", 0))  # needed; OP2_DUMP=analyse prints them, save_soln raised to 4
    for side in (212, 106, 53, 26):
        margin = 4
        n = side + 2 * margin
        is_mine = np.zeros((n, n), bool)
        is_mine[margin:-margin, margin:-margin] = True
        owned, maps = owned_by(is_mine, n, n)
        levels = family(owned, maps, 0, 4)
        once = sum(int(levels[0][s].sum()) for s, _ in airfoil)
        done = sum(int(levels[extent][s].sum()) for s, extent in airfoil)
        print(f"{side * side:6d} cells: {once:7d} owned iterations, {done - once:5d} extra, "
              f"{100 * (done / once - 1):4.1f} %")


def colour(level):
    owned = {-2: "#1d4e89", -1: "#4f86c0", 0: "#a9cbe8"}
    halo = {1: "#f6c445", 2: "#f9e3a1", 3: "#e07b39", 4: "#f3c3a1"}
    return "#ececec" if np.isnan(level) else {**owned, **halo}[int(level)]


def draw(path):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "levels", "svg.fonttype": "none", "font.size": 8})
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch

    columns, rows, levels, maps = drawn_mesh()
    figure, axes = plt.subplots(figsize=(7.6, 6.6))
    place = np.stack(np.meshgrid(np.arange(columns + 1), np.arange(rows + 1)), axis=-1).reshape(-1, 2)
    corners = place[maps[0][2]]
    for corner, level in zip(corners, first_level(levels, "cells")):
        x, y = corner.mean(axis=0)
        axes.fill([x - .31, x + .31, x + .31, x - .31], [y - .31, y - .31, y + .31, y + .31],
                  color=colour(level), linewidth=0)
        if not np.isnan(level):
            axes.text(x, y - .02, f"{level:.0f}", ha="center", va="center",
                      color="white" if level < 0 or level == 3 else "black")
    for which, table in (("edges", maps[1][2]), ("bedges", maps[3][2])):
        for ends, level in zip(place[table], first_level(levels, which)):
            middle, half = ends.mean(axis=0), (ends[1] - ends[0]) * .31
            axes.plot(*zip(middle - half, middle + half), color=colour(level), linewidth=4.5,
                      solid_capstyle="butt")
    axes.scatter(*place.T, s=26, c=[colour(level) for level in first_level(levels, "nodes")], linewidths=0,
                 zorder=3)
    for x, y in (([columns / 2] * 2, [0, rows]), ([0, columns], [rows / 2] * 2)):
        axes.plot(x, y, color="black", linewidth=.8, linestyle=":", zorder=4)

    words = {-2: "W_-2 and below", -1: "W_-1: core", 0: "W_0: owned",
             1: "W_1: executable, layer 1", 2: "W_2: readable, layer 1",
             3: "W_3: executable, layer 2", 4: "W_4: readable, layer 2"}
    patches = [Patch(color=colour(level), label=words[level]) for level in SHOWN]
    patches.append(Patch(color=colour(np.nan), label="not stored on this rank"))
    axes.legend(handles=patches, loc="center left", bbox_to_anchor=(1.0, .5), frameon=False)
    axes.set_aspect("equal")
    axes.axis("off")
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    if sys.argv[1:] == ["--rows"]:
        print_rows()
    elif sys.argv[1:] == ["--cost"]:
        print_cost()
    elif len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        draw(sys.argv[1])
    else:
        sys.exit(__doc__)
