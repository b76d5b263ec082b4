# SPDX-License-Identifier: BSD-3-Clause
"""The page: diagrams, then the numbers behind them as tables."""

from html import escape
from pathlib import Path

from . import figures, timeline
from .records import Part

STYLE = """
body { font: 15px/1.5 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { padding: 0.2em 0.7em; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.name { overflow-wrap: anywhere; min-width: 12em; }
code { font-size: 90%; }
svg { max-width: 100%; height: auto; overflow: visible; }
"""


def table_of(columns, items):
    """@param columns  (heading, class of its cells, function from an item to HTML) of each column"""
    def row(tag, texts):
        kinds = [f' class="{kind}"' if kind and (tag == "td" or kind == "number") else "" for _, kind, _ in columns]
        return "<tr>" + "".join(f"<{tag}{kind}>{text}</{tag}>" for text, kind in zip(texts, kinds)) + "</tr>"
    rows = [row("td", [text_of(item) for _, _, text_of in columns]) for item in items]
    return "\n".join(["<table>", row("th", [escape(heading) for heading, _, _ in columns]), *rows, "</table>"])


def column(heading, text_of):
    return heading, "", text_of


def named(heading, text_of):
    return heading, "name", lambda item: escape(text_of(item))


def number(heading, value_of, form=""):
    """@param value_of  function from an item to its number, None if there is none"""
    return heading, "number", lambda item: "" if value_of(item) is None else format(value_of(item), form)


def spread(heading, spread_of, compared, form=".4f"):
    """Columns of a number of a rank: the most, and if there are several ranks, mean and least."""
    return [number(text, lambda item, part=part: getattr(spread_of(item), part), form)
            for text, part in [(heading, "most"), ("mean", "mean"), ("least", "least")][:3 if compared else 1]]


def percent(heading, part_of):
    """@param part_of  function from an item to a part of one, None if there is none"""
    return heading, "number", lambda item: "" if part_of(item) is None else f"{100 * part_of(item):.1f} %"


def keys_of(loop):
    return ", ".join(f'<code title="{escape(key)}">{escape(key[:12])}</code>' for key in loop.keys)


def loops_section(table):
    has_spread = figures.has_spread(table)
    columns = [named("loop", lambda loop: loop.name), number("calls", lambda loop: loop.calls),
               number("seconds", lambda loop: loop.seconds, ".4f"),
               percent("share", lambda loop: loop.seconds / table.seconds if table.seconds > 0 else None)]
    if has_spread:
        columns += [number("mean", lambda loop: loop.mean, ".4f"), number("fastest", lambda loop: loop.least, ".4f"),
                    percent("imbalance", lambda loop: loop.imbalance)]
    columns += [number("GB", lambda loop: 1e-9 * loop.bytes, ".3f"), number("GB/s", lambda loop: loop.gb_per_s, ".2f")]
    if table.has_flops:
        columns += [number("GFLOP/s", lambda loop: 1e-9 * loop.flops / loop.seconds if loop.flops and loop.seconds > 0
                           else None, ".2f")]
    columns += [column("code", lambda loop: escape(loop.code)), column("key", keys_of)]
    parts = ["<h2>Loops</h2>", table_of(columns, table.loops)]
    if has_spread:
        parts.append("<p>Seconds are those of the slowest rank; imbalance is what it takes longer than the mean of the "
                     "ranks.</p>")
    if any(loop.keys for loop in table.loops):
        parts.append("<p><code>op2-jitinspect show KEY</code> shows the code of a loop.</p>")
    return parts + fused_section(table) + [f"<p>{escape(name)}: {escape(note)}</p>" for name, note in table.notes.items()]


def parts_section(table):
    if not table.parts or table.wall is None:
        return []
    compared = table.ranks != 1
    columns = [column("part", lambda part: escape(part.name)), number("entries", lambda part: part.entries),
               *spread("seconds", lambda part: part.seconds, compared),
               percent("share", lambda part: part.seconds.mean / table.wall.mean if table.wall.mean > 0 else None)]
    words = "Each moment of a rank is in one part, so that they add up to the wall time"
    words += "; of several ranks the means do." if compared else "."
    rows = [*table.parts, Part("wall time", None, table.wall)]
    return ["<h2>Parts of the wall time</h2>", table_of(columns, rows), f"<p>{words}</p>"]


def memory_section(table):
    if not table.memory:
        return []
    columns = [column("of a rank", lambda memory: escape(memory.name)),
               *spread("MB", lambda memory: memory.bytes.times(1e-6), table.ranks != 1, ".1f")]
    return ["<h2>Memory</h2>", table_of(columns, table.memory)]


def regions_section(table):
    if not table.regions:
        return []
    compared = table.ranks != 1
    columns = [named("region", lambda region: region.path), number("calls", lambda region: region.calls),
               *spread("seconds", lambda region: region.seconds, compared),
               number("executing", lambda region: region.executing.mean, ".4f"), number("loops", lambda region: region.loops),
               *spread("their seconds", lambda region: region.loop_seconds, compared)]
    return ["<h2>Regions</h2>", table_of(columns, table.regions),
            "<p>Seconds are from begin to end, regions inside included; executing is what of them went into executing loops, "
            "whoever called them. Loops were called in the region and may have run after its end.</p>"]


def fused_section(table):
    parted = [loop for loop in [*table.loops, *table.fused] if loop.fused > 0 or loop.skipped > 0]
    if not parted:
        return []
    columns = [named("loop", lambda loop: loop.name), number("fused calls", lambda loop: loop.fused),
               named("in", lambda loop: loop.fused_in), number("skipped calls", lambda loop: loop.skipped)]
    return ["<h3>Calls that were not executed alone</h3>", table_of(columns, parted),
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
    columns = [column("lane", lambda lane: escape(lane[0])), number("least seconds", lambda lane: min(lane[1]), ".4f"),
               number("mean", lambda lane: sum(lane[1]) / len(lane[1]), ".4f"), number("most", lambda lane: max(lane[1]), ".4f")]
    lanes = timeline.lane_seconds(trace).items()
    return ["<h2>Trace</h2>", f"<p>{' '.join(words)}</p>", table_of(columns, lanes),
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
