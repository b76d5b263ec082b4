# SPDX-License-Identifier: BSD-3-Clause
"""The page about what bench_mpi.py has measured: a table of each series, a plot, the model's view."""

import itertools
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

INTRODUCTION = """# What chains save

Made by `make bench-mpi`; the figures behind it are in [scaling.jsonl](scaling.jsonl).

Ranks of one machine exchange messages in no time, so the network is modelled: `tools/netmodel` gives every rank a
clock of its own, which goes on by work and by messages. Work is what the library has counted (iterations, rows
packed, bytes unpacked) times what one of them costs on a rank that has a core for itself and a mesh that fits into
the cache; the last table has these costs, the best of several runs each. A message of n bytes costs {overhead} us
of work at either end, {byte:g} ns per byte on the line of its sender, and the latency. What a loop costs besides
its iterations is not counted. With latency 0 a network without any costs is meant.

`separate` sends one message per dat and level of halo, before each loop that needs it; `off` one message per
neighbour before each loop; `on` one per neighbour for a whole chain of loops. Times are those of the slowest rank;
a ratio above 1 says that chains win. In brackets is the same ratio as it follows from the counts of the busiest
rank by the model of [halo-algebra.md](halo-algebra.md#9-what-it-costs-and-when-it-pays): overheads + packing +
max(core work, E L + bytes / B) + unpacking + rest of the work, with E exchanges of latency L. Packing and
overheads are not inside the maximum, because they occupy the processor. Redundant work is in percent of the
necessary one, busiest rank and all others together.

{runs} runs of each of {points} points {spread}. Without network costs, `separate` and `off`
differ by at most {control:.1e}.

"""

LOSSES = """Where messages cost nothing, always: there is redundant work and nothing to save (the columns for 0 us).
With latency:

"""

COSTS_OF = {"constant": "depth constant", "growing": "depth growing", "airfoil": "Airfoil"}


@dataclass
class Results:
    """All measured points of a run."""

    records: list
    overhead_us: float
    bandwidth_gbs: float

    def __post_init__(self):
        self.costs = self.records[0]["costs"]
        self.results = {key(r["point"]): r["result"] for r in self.records if "point" in r}

    def points(self, **wanted):
        """Distinct points without latency and mode, ascending."""
        found = {}
        for record in self.records:
            point = record.get("point")
            if point and all(point[name] == value for name, value in wanted.items()):
                found[key(point)[:4]] = None
        return sorted(found)

    def get(self, point, latency, mode):
        return self.results[(*point, latency, mode)]

    def ratio(self, point, latency, mode):
        """Time of `mode` over the time with chains."""
        return self.seconds(point, latency, mode) / self.seconds(point, latency, "on")

    def seconds(self, point, latency, mode):
        return self.get(point, latency, mode)["most"]["seconds"]

    def predicted_ratio(self, point, latency, mode):
        return self.predicted(point, latency, mode) / self.predicted(point, latency, "on")

    def predicted(self, point, latency, mode):
        """Seconds of one chain of loop_chain by the model."""
        most, costs = self.get(point, latency, mode)["most"], self.costs[point[0]]
        update = "update" if point[0] == "constant" else "update_with_feedback"
        work = costs[update] * most["update_iterations"] + costs["edge_flux"] * most["flux_iterations"]
        core = work * most["core_iterations"] / (most["core_iterations"] + most["rest_iterations"])
        rest = work - core + costs["packed_row"] * most["packed_rows"] + costs["received_byte"] * most["bytes"]
        if latency == 0:
            return core + rest
        on_the_way = 1e-6 * latency * most["exchanges"] + 1e-9 * most["bytes"] / self.bandwidth_gbs
        return max(core, on_the_way) + 2e-6 * self.overhead_us * most["messages"] + rest


def key(point):
    return tuple(point[name] for name in ("program", "ranks", "cells", "nchains", "latency", "mode"))


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---:|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n\n"


def with_model(results, point, latency):
    return f"{results.ratio(point, latency, 'off'):.2f} ({results.predicted_ratio(point, latency, 'off'):.2f})"


def chain_row(results, point):
    """One point of loop_chain."""
    on = results.get(point, 50, "on")
    done = on["sum"]["core_iterations"] + on["sum"]["rest_iterations"]
    redundant = on["sum"]["redundant_iterations"] / (done - on["sum"]["redundant_iterations"])
    messages = [f"{results.get(point, 50, mode)['most']['messages']:.0f}" for mode in ("separate", "off", "on")]
    row = [*map(str, point[1:4]), str(on["layers"]), " / ".join(messages), f"{100 * redundant:.1f} %",
           with_model(results, point, 0)]
    for latency in (2, 50):
        row += [f"{1e6 * results.seconds(point, latency, 'on'):.1f}",
                f"{results.ratio(point, latency, 'separate'):.2f}", with_model(results, point, latency)]
    return row


CHAIN_HEADER = ["ranks", "cells per rank", "nchains", "layers", "messages of one rank: separate / off / on",
                "redundant work", "0 us: off / on", "2 us: on, us", "separate / on", "off / on",
                "50 us: on, us", "separate / on", "off / on"]  # fmt: skip

AIRFOIL_HEADER = ["ranks", "cells per rank", "0 us: off / on", "2 us: on, us", "separate / on",
                  "off / on", "50 us: on, us", "separate / on", "off / on"]  # fmt: skip


def airfoil_row(results, point):
    row = [str(point[1]), str(point[2]), f"{results.ratio(point, 0, 'off'):.2f}"]
    for latency in (2, 50):
        row += [f"{1e6 * results.seconds(point, latency, 'on'):.1f}",
                f"{results.ratio(point, latency, 'separate'):.2f}",
                f"{results.ratio(point, latency, 'off'):.2f}"]
    return row


def control(results):
    """Largest relative difference between `separate` and `off` where messages cost nothing."""
    return max(abs(results.seconds(point, 0, "separate") / results.seconds(point, 0, "off") - 1)
               for point in results.points())


def summary(results):
    """The point that is most often asked for."""
    text = "With chains of 16 repetitions, 16 ranks with 700 cells each are:\n\n"
    for point in results.points(ranks=16, cells=700, nchains=16):
        for latency in (2, 50):
            off, separate = (results.ratio(point, latency, mode) for mode in ("off", "separate"))
            text += (f"* {COSTS_OF[point[0]]}, {latency} us: {off:.2f} times as fast as `off`, "
                     f"{separate:.2f} times as fast as `separate`\n")
    return text + "\n"


def losses(results):
    """Where chains are slower than grouped messages."""
    rows = []
    for point, latency in itertools.product(results.points(), (2, 50)):
        if results.ratio(point, latency, "off") < 1:
            model = f"{results.predicted_ratio(point, latency, 'off'):.3f}" if point[3] else ""
            rows.append([COSTS_OF[point[0]], *map(str, point[1:3]), str(point[3] or "-"), str(latency),
                         f"{results.ratio(point, latency, 'off'):.3f}", model])
    header = ["program", "ranks", "cells per rank", "nchains", "latency, us", "off / on", "model"]
    return table(header, rows) if rows else "Nowhere among these points.\n\n"


def costs_table(results):
    rows = [[COSTS_OF[program], name, f"{1e9 * seconds:.3f}"]
            for program, costs in results.costs.items() for name, seconds in costs.items()
            if name not in ("add_up", "compare")]  # fmt: skip
    return table(["program", "loop, or what else is counted", "ns each"], rows)


def plot(results, path):
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True)
    series = [("constant", 2), ("constant", 50), ("growing", 2), ("growing", 50)]
    views = (("nchains", 3, {"ranks": 16, "cells": 700}), ("cells per rank", 2, {"ranks": 16, "nchains": 16}))
    for axis, (label, column, wanted) in zip(axes, views):
        for color, (program, latency) in enumerate(series):
            points = results.points(program=program, **wanted)
            x = [point[column] for point in points]
            axis.plot(x, [results.ratio(p, latency, "off") for p in points], "o-", color=f"C{color}",
                      label=f"{COSTS_OF[program]}, {latency} us")
            axis.plot(x, [results.predicted_ratio(p, latency, "off") for p in points], ":", color=f"C{color}")
        axis.axhline(1, color="gray", linewidth=0.8)
        axis.set_xscale("log")
        axis.set_xticks(x, [str(value) for value in x])
        axis.minorticks_off()
        axis.set_xlabel(label)
    axes[0].set_ylabel("time without chains / with chains")
    axes[0].set_title("16 ranks, 700 cells per rank")
    axes[1].set_title("16 ranks, 16 repetitions; dotted: model")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def write(records, folder, overhead_us, bandwidth_gbs):
    results = Results(records, overhead_us, bandwidth_gbs)
    last = next(record for record in records if "spread" in record)
    spread = f"differ by at most {last['spread']:.1e}" if last["spread"] > 0 else "do not differ at all"
    text = INTRODUCTION.format(overhead=overhead_us, byte=1 / bandwidth_gbs, spread=spread,
                               runs=last["runs"], points=last["points"], control=control(results))
    text += summary(results)
    for program in ("constant", "growing"):
        text += f"## examples/loop_chain, {COSTS_OF[program]}\n\n"
        text += table(CHAIN_HEADER, [chain_row(results, p) for p in results.points(program=program)])
    if airfoil := results.points(program="airfoil"):
        text += "## Airfoil, time of an iteration\n\n"
        text += table(AIRFOIL_HEADER, [airfoil_row(results, p) for p in airfoil])
    plot(results, folder / "scaling.png")
    text += "![time without chains over time with chains](scaling.png)\n\n"
    text += "## Where chains lose\n\n" + LOSSES + losses(results)
    text += "## What the clocks count\n\n" + costs_table(results)
    (folder / "scaling.md").write_text(text.rstrip() + "\n")
