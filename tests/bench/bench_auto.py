#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How far OP2_CHAIN=auto is from the better of on and off.

    bench_auto.py build/release build           modelled networks with 100 and 1 000 repeats, wall clock on 2 ranks
    bench_auto.py build/release build --long    10 000 repeats, too: hours
    bench_auto.py build/release build --quick   a few points, in some minutes

On the modelled networks the true costs of loops, alone and in tiles, are those measured on one rank times random factors up
to 1.5, and auto begins with a table of the costs without these factors. In wall clock, runs of all ways alternate.
"""
import argparse
import json
import random
import re
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import bench_mpi
from bench_mpi import Point, Programs

WAYS = {"off": {"OP2_CHAIN": "off"}, "on": {"OP2_CHAIN": "on"}, "auto": {"OP2_CHAIN": "auto"}}
FACTOR = 1.5
LIMITS = {100: (0.03, 0.5, 0.40), 1000: (0.03, 0.98, 0.05), 10000: (0.03, 1.0, 0.03)}
ROUNDS = 15
HYSTERESIS = 0.03


def perturbed(costs, seed):
    """Lines of a cost file: a factor per loop, and one for its iterations in tiles."""
    draw = random.Random(seed)
    lines = []
    for name, seconds in costs.items():
        if name in ("packed_row", "received_byte"):
            lines.append(f"{name} {seconds:.6e}")
            continue
        alone, tiled = (seconds * FACTOR ** draw.uniform(-1, 1) for _ in range(2))
        lines.append(f"{name} {alone:.6e} {tiled:.6e}")
    return "\n".join(lines) + "\n"


def runs_of(point, flushes):
    """What to request of a program so that it executes about so many flushes: of Airfoil hundreds of iterations, of which
    seven are a flush."""
    return max(2, round(0.07 * flushes)) if point.program == "airfoil" else flushes


class ModelledNetwork:
    """Runs on the network model, with costs that are not those that auto begins with."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.files, self.costs = bench_mpi.write_costs(programs, folder)
        self.tables = {}

    def table(self, point):
        """The table of costs that a run with the unperturbed ones leaves."""
        if point.program not in self.tables:
            self.kept().unlink(missing_ok=True)
            self.seconds(replace(point, mode="auto"), self.files[point.program], 2)
            self.tables[point.program] = self.kept().read_bytes()
        return self.tables[point.program]

    def kept(self):
        return self.folder / "cache" / "costs.txt"

    def seconds(self, point, costs, repeats):
        bench_mpi.MODES.update(WAYS)
        result = self.programs.measure(point, costs, repeats)
        if not result["passed"]:
            sys.exit(f"{point}: wrong result {result}")
        return result["most"]["seconds"]

    def excess(self, point, seed, repeats):
        """Of auto over the better of off and on, for each number of repeats."""
        costs = self.folder / "true.costs"
        costs.write_text(perturbed(self.costs[point.program], seed))
        better = min(self.seconds(replace(point, mode=way), costs, 2) for way in ("off", "on"))
        found = {}
        for count in repeats:
            self.kept().write_bytes(self.table(point))
            found[count] = self.seconds(replace(point, mode="auto"), costs, runs_of(point, count)) / better - 1
        return found


def points_of(quick):
    """Those of docs/scaling.jsonl, or some on four ranks."""
    some = (*bench_mpi.points_for(("constant", "growing"), (4,), (700,), (1, 16)),
            *bench_mpi.points_for(("airfoil",), (4,), (700,), (0,)))  # fmt: skip
    return list(dict.fromkeys(replace(p, mode="off") for p in (some if quick else bench_mpi.all_points(False))))


def on_modelled_networks(programs, folder, options, record):
    repeats = [100, 1000] + ([10000] if options.long else [])
    network = ModelledNetwork(programs, folder)
    points = points_of(options.quick)
    excesses = {count: [] for count in repeats}
    for number, point in enumerate(points, 1):
        found = network.excess(point, number, repeats)
        for count, excess in found.items():
            excesses[count].append(excess)
        record({"point": vars(point), "excess": {str(k): v for k, v in found.items()}})
        print(f"{number}/{len(points)} {point.program} {point.ranks} ranks, {point.cells} cells, {point.nchains} chains, "
              f"{point.latency} us: " + ", ".join(f"{count}: {100 * e:+.1f} %" for count, e in found.items()), flush=True)
    return all([report(count, sorted(excesses[count])) for count in repeats])


def report(count, excesses):
    """One line; whether the limits hold: within the first for a share of the points, none above the last."""
    within, share, worst = LIMITS[count]
    inside = sum(e <= within for e in excesses) / len(excesses)
    kept = inside >= share and excesses[-1] <= worst
    print(f"{count} repeats, {len(excesses)} points: median {100 * statistics.median(excesses):+.2f} %, within "
          f"{100 * within:.0f} %: {100 * inside:.0f} % of the points, worst {100 * excesses[-1]:+.2f} %: "
          f"{'kept' if kept else 'MISSED'}", flush=True)
    return kept


class WallClock:
    """Two ranks of this machine."""

    def __init__(self, programs, quick):
        self.programs = programs
        self.cases = {"airfoil": self.airfoil(60 if quick else 150),
                      "loop_chain constant": self.chain("constant"),
                      "loop_chain growing": self.chain("growing")}
        solver = programs.program("hydra_chains")
        if solver.exists():
            self.cases["hydra_chains"] = [solver]

    def airfoil(self, side):
        return [self.programs.program("airfoil"), "--size", side, side, "--no-check", "--iterations", 1000]

    def chain(self, variant):
        return [self.programs.program("loop_chain"), "--size", 200, "--variant", variant, "--nchains", 8,
                "--repeats", 1000, "--json"]

    def seconds(self, command, way):
        start = time.monotonic()
        output = self.programs.run(["timeout", "-k", "5", "170", "mpirun", "-np", 2, *command], **WAYS[way])
        if found := re.search(r'"most": (\{[^}]*\})', output):
            return json.loads(found.group(1))["seconds"]
        lines = [line.split() for line in output.splitlines() if " residual " in line]
        if lines:
            return float(lines[-1][5])
        return time.monotonic() - start

    def compare(self, name, rounds, record):
        """Medians of alternating runs; off twice, for the spread."""
        times = {"off": [], "again": [], "on": [], "auto": []}
        for _ in range(rounds):
            for way in times:
                times[way].append(self.seconds(self.cases[name], "off" if way == "again" else way))
        median = {way: statistics.median(found) for way, found in times.items()}
        spread = abs(median["again"] / median["off"] - 1)
        excess = median["auto"] / min(median["off"], median["on"]) - 1
        record({"wall": name, "times": times})
        kept = excess <= HYSTERESIS + spread
        print(f"{name}: off {median['off']:.6g} s, on {median['on']:.6g}, auto {median['auto']:.6g}: {100 * excess:+.2f} % "
              f"above the better one, off against off {100 * spread:.2f} %: {'kept' if kept else 'MISSED'}", flush=True)
        return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("output")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", choices=("model", "wall"))
    options = parser.parse_args()
    kept = True
    with tempfile.TemporaryDirectory() as folder, \
            open(Path(options.output) / "auto.jsonl", "w", encoding="ascii") as file:
        def record(what):
            file.write(json.dumps(what) + "\n")
            file.flush()

        programs = Programs(options.build, folder)
        if options.only != "wall":
            kept = on_modelled_networks(programs, Path(folder), options, record)
        if options.only != "model":
            clock = WallClock(programs, options.quick)
            for name in clock.cases:
                kept = clock.compare(name, 5 if options.quick else ROUNDS, record) and kept
    print(f"wrote {options.output}/auto.jsonl")
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
