# SPDX-License-Identifier: BSD-3-Clause
"""The page: diagrams, then the numbers behind them as tables."""

from html import escape
from pathlib import Path

from . import figures, timeline

STYLE = """
body { font: 15px/1.5 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { padding: 0.2em 0.7em; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.name { overflow-wrap: anywhere; min-width: 12em; }
code { font-size: 90%; }
svg { max-width: 100%; height: auto; overflow: visible; }
"""


def cell(text, kind="", title=""):
    attributes = f' class="{kind}"' if kind else ""
    attributes += f' title="{escape(title)}"' if title else ""
    return f"<td{attributes}>{text}</td>"


def table_of(heading, rows):
    """@param heading  (text, whether a column has numbers) of each column"""
    kinds = [' class="number"' if number else "" for _, number in heading]
    lines = ["<table>", "<tr>" + "".join(f"<th{kind}>{escape(text)}</th>" for (text, _), kind in zip(heading, kinds)) + "</tr>"]
    lines += ["<tr>" + "".join(row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"])


def number(text):
    return cell(text, "number")


def keys_of(loop):
    return ", ".join(f'<code title="{escape(key)}">{escape(key[:12])}</code>' for key in loop.keys)


def loop_row(loop, table, has_spread):
    row = [cell(escape(loop.name), "name"), number(str(loop.calls)), number(f"{loop.seconds:.4f}"),
           number(f"{100 * loop.seconds / table.seconds:.1f} %" if table.seconds > 0 else "")]
    if has_spread:
        row += [number("" if value is None else f"{value:.4f}") for value in (loop.mean, loop.least)]
        row += [number("" if loop.imbalance is None else f"{100 * loop.imbalance:.1f} %")]
    row += [number(f"{1e-9 * loop.bytes:.3f}"), number(f"{loop.gb_per_s:.2f}")]
    if table.has_flops:
        row += [number(f"{1e-9 * loop.flops / loop.seconds:.2f}" if loop.flops and loop.seconds > 0 else "")]
    return [*row, cell(escape(loop.code)), cell(keys_of(loop))]


def loops_section(table):
    has_spread = figures.has_spread(table)
    heading = [("loop", False), ("calls", True), ("seconds", True), ("share", True)]
    if has_spread:
        heading += [("mean", True), ("fastest", True), ("imbalance", True)]
    heading += [("GB", True), ("GB/s", True)]
    if table.has_flops:
        heading += [("GFLOP/s", True)]
    heading += [("code", False), ("key", False)]
    parts = ["<h2>Loops</h2>", table_of(heading, [loop_row(loop, table, has_spread) for loop in table.loops])]
    if has_spread:
        parts.append("<p>Seconds are those of the slowest rank; imbalance is what it takes longer than the mean of the "
                     "ranks.</p>")
    if any(loop.keys for loop in table.loops):
        parts.append("<p><code>op2-jitinspect show KEY</code> shows the code of a loop.</p>")
    return parts + fused_section(table) + [f"<p>{escape(name)}: {escape(note)}</p>" for name, note in table.notes.items()]


def values_of(spread, compared):
    return (spread.most, spread.mean, spread.least) if compared else (spread.most,)


def spread_cells(spread, compared):
    return [number(f"{value:.4f}") for value in values_of(spread, compared)]


def spread_heading(text, compared):
    return [(text, True), ("mean", True), ("least", True)] if compared else [(text, True)]


def parts_section(table):
    if not table.parts or table.wall is None:
        return []
    compared = table.ranks != 1
    heading = [("part", False), ("entries", True), *spread_heading("seconds", compared), ("share", True)]
    rows = [[cell(escape(name)), number(entries), *spread_cells(seconds, compared),
             number(f"{100 * seconds.mean / table.wall.mean:.1f} %" if table.wall.mean > 0 else "")]
            for name, entries, seconds in [*((part.name, str(part.entries), part.seconds) for part in table.parts),
                                           ("wall time", "", table.wall)]]
    words = "Each moment of a rank is in one part, so that they add up to the wall time"
    words += "; of several ranks the means do." if compared else "."
    return ["<h2>Parts of the wall time</h2>", table_of(heading, rows), f"<p>{words}</p>"]


def memory_section(table):
    if not table.memory:
        return []
    compared = table.ranks != 1
    rows = [[cell(escape(memory.name)), *[number(f"{1e-6 * value:.1f}") for value in values_of(memory.bytes, compared)]]
            for memory in table.memory]
    return ["<h2>Memory</h2>", table_of([("of a rank", False), *spread_heading("MB", compared)], rows)]


def regions_section(table):
    if not table.regions:
        return []
    compared = table.ranks != 1
    heading = [("region", False), ("calls", True), *spread_heading("seconds", compared), ("executing", True),
               ("loops", True), *spread_heading("their seconds", compared)]
    rows = [[cell(escape(region.path), "name"), number(str(region.calls)), *spread_cells(region.seconds, compared),
             number(f"{region.executing.mean:.4f}"), number(str(region.loops)), *spread_cells(region.loop_seconds, compared)]
            for region in table.regions]
    return ["<h2>Regions</h2>", table_of(heading, rows),
            "<p>Seconds are from begin to end, regions inside included; executing is what of them went into executing loops, "
            "whoever called them. Loops were called in the region and may have run after its end.</p>"]


def fused_section(table):
    parted = [loop for loop in [*table.loops, *table.fused] if loop.fused > 0 or loop.skipped > 0]
    if not parted:
        return []
    rows = [[cell(escape(loop.name), "name"), number(str(loop.fused)), cell(escape(loop.fused_in), "name"),
             number(str(loop.skipped))] for loop in parted]
    heading = [("loop", False), ("fused calls", True), ("in", False), ("skipped calls", True)]
    return ["<h3>Calls that were not executed alone</h3>", table_of(heading, rows),
            "<p>The time of fused calls is that of the fused loop. Skipped calls were overwritten before use.</p>"]


def bandwidth_words(table, limits):
    words = ["Useful bytes count each value of a dat once per loop, twice if it is read and written: what caches keep from "
             "loop to loop lets a loop exceed the bandwidth of the memory."]
    if limits.gb_per_s is not None:
        words.append(f"The memory is taken to have {limits.gb_per_s:.4g} GB/s.")
    else:
        words.append("The bandwidth of the memory is not known: <code>--bandwidth</code> gives or measures it.")
    if not table.has_flops:
        words.append("The table has no flops, so that there is no roofline: bandwidth alone.")
    return f"<p>{' '.join(words)}</p>"


def trace_section(trace):
    shown, rows = timeline.rows_of(trace)
    words = [f"{len(trace.spans)} spans on {len(trace.ranks)} ranks, {trace.end:.4f} s."]
    if len(shown) < rows:
        words.append(f"{len(shown)} of {rows} rows are drawn, of ranks at equal distances.")
    if trace.dropped:
        words.append(f"{trace.dropped} spans are missing: the trace was full.")
    by_lane = [[cell(escape(lane)), *[number(f"{value:.4f}") for value in
                                    (min(seconds), sum(seconds) / len(seconds), max(seconds))]]
             for lane, seconds in timeline.lane_seconds(trace).items()]
    heading = [("lane", False), ("least seconds", True), ("mean", True), ("most", True)]
    return ["<h2>Trace</h2>", f"<p>{' '.join(words)}</p>", table_of(heading, by_lane),
            "<p>Of all ranks. Spans of a lane may overlap, as those of threads that compile.</p>"]


def head_words(run):
    words = []
    if run.table is not None:
        table = run.table
        words.append(f"{escape(Path(table.path).name)}: {len(table.loops)} loops, {table.seconds:.4f} s")
    if run.trace is not None:
        words.append(f"{escape(Path(run.trace.path).name)}: {len(run.trace.spans)} spans, {run.trace.end:.4f} s")
    return f"<p>{'; '.join(words)}.</p>"


def page_of(run, limits):
    """One page that needs no other file."""
    body = [f"<h1>{escape(run.title)}</h1>", head_words(run)]
    for diagram, height, draw in figures.diagrams_of(run, limits):
        body.append(figures.svg_of(diagram, height, draw))
        if diagram == "bandwidth":
            body.append(bandwidth_words(run.table, limits))
    if run.table is not None:
        if not run.table.seconds > 0:
            body.append("<p>No loop has taken time.</p>")
        body += parts_section(run.table) + memory_section(run.table) + regions_section(run.table) + loops_section(run.table)
    if run.trace is not None:
        body += trace_section(run.trace)
    return "\n".join(["<!DOCTYPE html>", '<html lang="en">', '<head><meta charset="utf-8">',
                      f"<title>{escape(run.title)}</title>", f"<style>{STYLE}</style></head>", "<body>", *body, "</body>",
                      "</html>", ""])
