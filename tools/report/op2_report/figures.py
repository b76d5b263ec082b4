# SPDX-License-Identifier: BSD-3-Clause
"""The diagrams, as SVG for the page and as one picture."""

import io
import re

import matplotlib

matplotlib.use("Agg")
import numpy
from matplotlib import pyplot as plt

from . import timeline

MOST_LOOPS = 20
WIDTH = 9.0  # inches
LABEL = 40  # characters of a line
COLOURS = list(plt.get_cmap("tab10").colors)
GREY = "0.75"


def wrapped(name):
    """In lines: fused loops have long names, which are broken behind a plus if possible."""
    lines = [""]
    for piece in re.findall(r"[^+]*\+|[^+]+", name):
        if lines[-1] and len(lines[-1]) + len(piece) > LABEL:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line[at:at + LABEL] for line in lines for at in range(0, max(1, len(line)), LABEL))


def plain(name):
    """matplotlib takes dollars for formulas."""
    return wrapped(name).replace("$", r"\$")


def height_of(names):
    """Of so many bars, in inches; each has space for the longest label."""
    lines = max((wrapped(name).count("\n") + 1 for name in names), default=1)
    return 1.2 + len(names) * max(0.28, 0.04 + 0.17 * lines)


def draw_bars(axes, title, unit, names, values, colour, label=None):
    places = range(len(names))
    axes.barh(places, values, color=colour, label=label)
    axes.set_yticks(list(places), [plain(name) for name in names])
    axes.set_xlabel(unit)
    axes.set_title(title)


def draw_marks(axes, values, colour, label):
    """One mark on each bar whose value is known."""
    known = [(value, place) for place, value in enumerate(values) if value is not None]
    axes.scatter([value for value, _ in known], [place for _, place in known], color=colour, marker="|", zorder=3, label=label)


def draw_times(axes, table):
    loops = table.loops[:MOST_LOOPS][::-1]
    draw_bars(axes, "Time of each loop", "seconds", [loop.name for loop in loops], [loop.seconds for loop in loops], COLOURS[0],
              "slowest rank" if has_spread(table) else None)
    if has_spread(table):
        draw_marks(axes, [loop.mean for loop in loops], "black", "mean")
        draw_marks(axes, [loop.least for loop in loops], COLOURS[1], "fastest rank")
        axes.legend()


def has_spread(table):
    return table.ranks != 1 and any(loop.mean is not None for loop in table.loops)


def draw_parts(axes, table):
    parts = table.parts[::-1]
    compared = table.ranks != 1
    draw_bars(axes, "Parts of the wall time", "seconds", [part.name for part in parts],
              [part.seconds.mean for part in parts], COLOURS[4], "mean" if compared else None)
    if compared:
        draw_marks(axes, [part.seconds.most for part in parts], "black", "most")
        draw_marks(axes, [part.seconds.least for part in parts], COLOURS[1], "least")
        axes.legend()


def draw_bandwidth(axes, table, limits):
    loops = [loop for loop in table.loops if loop.bytes > 0 and loop.seconds > 0][:MOST_LOOPS][::-1]
    draw_bars(axes, "Bandwidth of each loop", "GB/s of useful bytes", [loop.name for loop in loops],
              [loop.gb_per_s for loop in loops], COLOURS[2])
    if limits.gb_per_s is not None:
        axes.axvline(limits.gb_per_s, color="black", label=f"memory: {limits.gb_per_s:.4g} GB/s")
        axes.legend()


def draw_roofline(axes, table, limits):
    loops = [loop for loop in table.loops if loop.flops and loop.bytes > 0 and loop.seconds > 0][:MOST_LOOPS]
    intensities = [loop.flops / loop.bytes for loop in loops]
    rates = [loop.flops / loop.seconds * 1e-9 for loop in loops]
    for place, (loop, x, y) in enumerate(zip(loops, intensities, rates)):
        axes.scatter(x, y, color=COLOURS[place % len(COLOURS)], s=30 + 300 * loop.seconds / table.seconds)
        axes.annotate(plain(loop.name), (x, y), xytext=(5, 5), textcoords="offset points", fontsize=8)
    ends = numpy.geomspace(min(intensities) / 4, max(intensities) * 4, 100)
    if limits.gb_per_s is not None:
        roof = ends * limits.gb_per_s
        axes.plot(ends, roof if limits.gflop_per_s is None else numpy.minimum(roof, limits.gflop_per_s), color="black")
    elif limits.gflop_per_s is not None:
        axes.axhline(limits.gflop_per_s, color="black")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("flops per useful byte")
    axes.set_ylabel("GFLOP/s")
    axes.set_title("Roofline")


def draw_timeline(axes, trace):
    names = timeline.names_of(trace)
    rows, _ = timeline.rows_of(trace)
    colour = {name: COLOURS[place] for place, name in enumerate(names)} | {None: GREY}
    seen = set()
    for place, pieces in enumerate(timeline.pieces_of(trace, rows, set(names)).values()):
        if pieces:
            begins, widths, kinds, levels = zip(*pieces)
            axes.bar(begins, [-0.8 * level for level in levels], widths, place + 0.4, align="edge", linewidth=0,
                     color=[colour[name] for name in kinds])
            seen |= set(kinds)
    axes.set_yticks(range(len(rows)), [f"rank {rank}, {lane}" for rank, lane in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, trace.end or 1)
    axes.set_xlabel("seconds since op_init")
    axes.set_title("Time line")
    keys = [plt.Rectangle((0, 0), 1, 1, color=colour[name]) for name in [*names, None] if name in seen]
    texts = [plain(name or "others") for name in [*names, None] if name in seen]
    if keys:
        axes.legend(keys, texts, loc="upper center", bbox_to_anchor=(0.5, -0.6 / (0.6 + 0.22 * len(rows))), ncols=3)


def diagrams_of(run, limits):
    """(name, height in inches, function that draws it on axes) of all that there are data for."""
    diagrams = []
    if run.table is not None and run.table.parts:
        diagrams.append(("parts", 1.2 + 0.25 * len(run.table.parts), lambda axes: draw_parts(axes, run.table)))
    if run.table is not None and run.table.seconds > 0:
        table = run.table
        height = height_of([loop.name for loop in table.loops[:MOST_LOOPS]])
        diagrams.append(("times", height, lambda axes: draw_times(axes, table)))
        if any(loop.bytes > 0 for loop in table.loops):
            diagrams.append(("bandwidth", height, lambda axes: draw_bandwidth(axes, table, limits)))
        if any(loop.flops and loop.bytes > 0 for loop in table.loops):
            diagrams.append(("roofline", 4.5, lambda axes: draw_roofline(axes, table, limits)))
    if run.trace is not None and run.trace.spans:
        height = 2.6 + 0.22 * len(timeline.rows_of(run.trace)[0])
        diagrams.append(("timeline", height, lambda axes: draw_timeline(axes, run.trace)))
    return diagrams


def svg_of(name, height, draw):
    """One diagram as an element for a page; equal input, equal text."""
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif"}):
        figure, axes = plt.subplots(figsize=(WIDTH, height))
        draw(axes)
        figure.tight_layout()
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):]
    # Elements of all diagrams are in one page: their names must differ.
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", svg)


def png_of(run, limits):
    diagrams = diagrams_of(run, limits)
    if not diagrams:
        diagrams = [("nothing", 1.0, lambda axes: axes.set_title("no loop has taken time"))]
    heights = [height for _, height, _ in diagrams]
    figure, all_axes = plt.subplots(len(diagrams), 1, squeeze=False, figsize=(WIDTH, sum(heights)),
                                    gridspec_kw={"height_ratios": heights})
    for axes, (_, _, draw) in zip(all_axes[:, 0], diagrams):
        draw(axes)
    figure.suptitle(run.title.replace("$", r"\$"), fontweight="bold")
    figure.tight_layout()
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=110, metadata={"Software": None})
    plt.close(figure)
    return content.getvalue()
