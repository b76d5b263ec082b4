# SPDX-License-Identifier: BSD-3-Clause
"""The section of the scaling page about OP2_CHAIN=auto, from the auto.jsonl of bench_auto.py."""

import json
import statistics

HYSTERESIS = 0.03
# Of the excess over the better of off and on: within the first for this share of the points, none above the last.
LIMITS = {100: (0.03, 0.5, 0.40), 1000: (0.03, 0.98, 0.05), 10000: (0.03, 1.0, 0.03)}

SIMULATED = """## The choice by `OP2_CHAIN=auto`

The trials of [ranks.md](ranks.md#op2_chainauto) were simulated over the points of this page (`trials_simulation_test`), 20 times each, beginning
with a model whose costs per loop are wrong by random factors up to 1.5, and with measured times that scatter by 2 %.
The time of all flushes, those of trials included, is above the better of `off` and `on` by:

| flushes | median | 98 % below | worst |
|---:|---:|---:|---:|
| 100 | 1.2 % | 13.8 % | 21.6 % |
| 1 000 | 0.5 % | 1.5 % | 2.4 % |
| 10 000 | 0.2 % | 0.9 % | 3.0 % |

Making plans and agreeing on times is not in these figures.

"""

MODELLED = """**The library itself on the modelled networks** (`make bench-auto`, data in [auto.jsonl](auto.jsonl), measured {dates}). The true
costs of loops, alone and in tiles, are those of this page times random factors up to 1.5; auto begins with the table that a run without
these factors has left. Plans of schedules that are tried, and agreements, are included; the first two executions of
a sequence are not, as in all figures here. Of the 93 points, those that were measured, before
trials waited for tiles; above the better of `off` and `on`:

"""

FAR = """Points that are more than 3 % above it:

"""

WALL = """**Wall clock** on 2 ranks of one machine, one thread each, medians of interleaved runs (measured {dates}). The last column is
the median of a second series of `off` against the first:

"""


def read(path):
    """Later records of a point replace earlier ones."""
    if not path.exists():
        return {}
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return {json.dumps(record.get("auto", record.get("wall"))): record for record in records}


def excess(seconds, count):
    """Of auto over the better of off and on."""
    return seconds[str(count)] / min(seconds["off"], seconds["on"]) - 1


def summary(found, count):
    """Number of points, median, share within the limit, worst; whether the limits are kept."""
    within, share, worst = LIMITS[count]
    all_of = sorted(excess(seconds, count) for seconds in found if str(count) in seconds)
    inside = sum(e <= within for e in all_of) / len(all_of)
    return len(all_of), statistics.median(all_of), inside, all_of[-1], inside >= share and all_of[-1] <= worst


def percent(value, digits=1):
    return f"{100 * value:+.{digits}f} %"


def counts_of(found):
    return [count for count in LIMITS if any(str(count) in seconds for seconds in found)]


def modelled(records, table):
    found = [record["seconds"] for record in records]
    rows = []
    for count in counts_of(found):
        points, median, inside, worst, kept = summary(found, count)
        limit, share, most = LIMITS[count]
        rows.append([f"{count:,}".replace(",", " "), str(points), percent(median), f"{100 * inside:.0f} %", percent(worst),
                     f"{100 * share:.0f} % within {100 * limit:.0f} %, worst {100 * most:.0f} %: {'kept' if kept else 'missed'}"])
    text = MODELLED.format(dates=dates(records)) + table(["repeats", "points", "median", "within 3 %", "worst", "wanted"], rows)
    far = [far_row(record, counts_of(found)) for record in records
           if any(excess(record["seconds"], c) > HYSTERESIS for c in LIMITS if str(c) in record["seconds"])]  # fmt: skip
    if far:
        text += FAR + table(["program", "ranks", "cells per rank", "nchains", "latency, us", "off, us", "on, us",
                             *(f"auto, {count} repeats" for count in counts_of(found))], far)  # fmt: skip
    return text


def far_row(record, counts):
    point, seconds = record["auto"], record["seconds"]
    return [point["program"], str(point["ranks"]), str(point["cells"]), str(point.get("nchains") or "-"), str(point["latency"]),
            *(f"{1e6 * seconds[way]:.1f}" for way in ("off", "on")),
            *(percent(excess(seconds, count)) if str(count) in seconds else "-" for count in counts)]  # fmt: skip


def medians(record, name):
    return {way: statistics.median(run[name] for run in runs) for way, runs in record["runs"].items()}


def judged(median):
    """The excess of auto, the spread of off, and whether the first is within the hysteresis and the second."""
    spread = abs(median["again"] / median["off"] - 1)
    above = median["auto"] / min(median["off"], median["on"]) - 1
    return above, spread, above <= HYSTERESIS + spread


def wall(records, table):
    rows = []
    for record in records:
        for name in record["runs"]["off"][0]:
            median = medians(record, name)
            above, spread, kept = judged(median)
            what = name if name == record["wall"] else f"{record['wall']}, {name}"
            rows.append([what, str(len(record["runs"]["off"])), *(f"{1e6 * median[way]:.1f}" for way in ("off", "on", "auto")),
                         percent(above) + ("" if kept else " (missed)"), f"{100 * spread:.1f} %"])  # fmt: skip
    return WALL.format(dates=dates(records)) + table(
        ["program", "runs", "off, us", "on, us", "auto, us", "auto above the better", "off against off"], rows)


def dates(records):
    all_of = sorted({record["date"] for record in records})
    return all_of[0] if len(all_of) == 1 else f"{all_of[0]} to {all_of[-1]}"


def section(path, table):
    records = read(path).values()
    on_networks, in_wall_clock = ([r for r in records if kind in r] for kind in ("auto", "wall"))
    text = SIMULATED
    if on_networks:
        text += modelled(on_networks, table)
    if in_wall_clock:
        text += wall(in_wall_clock, table)
    return text
