#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How far OP2_CHAIN=auto is from the better of on and off.

    bench_auto.py build/release bench/results            modelled networks with 100, 1 000 and 10 000 repeats, wall clock on 2 ranks: hours
    bench_auto.py build/release build --quick   a few points, in some minutes
    bench_auto.py build/release bench/results --only wall --case airfoil      one part; also model, solver, tiles, page
    ... --repeats 100 --every 4 --first 1       modelled networks: points 1, 5, 9 ..., with 100 repeats
    ... --resume                                without the points and repeats that auto.jsonl has already; rounds of the same library in wall clock count too

On the modelled networks the true costs of loops, alone and in tiles, are those of bench/results/scaling.jsonl times random factors up
to 1.5, which follow from the point; auto begins with the table that a run without these factors has left, which knows what
messages cost. The first two executions of a sequence are not timed. In wall clock, runs of all ways alternate, and rounds of them
in which the cores were moved are left out (core_distance.py).
Records are added to auto.jsonl; the page joins those of a point that were measured with the same costs.
"""
import argparse
import functools
import hashlib
import json
import random
import statistics
import sys
import tempfile
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import bench_mpi
from auto_report import (
    ENOUGH_RUNS,
    LIMITS,
    excess,
    joined,
    judged,
    key_of,
    known_rounds,
    medians,
    missing,
    read,
    seed_of,
    summary,
)
from bench_mpi import Programs
from core_distance import WORDS, CoreDistance, rounds_by_distance
from programs import CACHES, cpu_name
from solver_report import PUBLISHED

WAYS = {"off": {"OP2_CHAIN": "off"}, "on": {"OP2_CHAIN": "on"}, "auto": {"OP2_CHAIN": "auto"}}
BOUND = {"OMPI_MCA_hwloc_base_binding_policy": "core"}  # of ranks in wall clock
FACTOR = 1.5
ROUNDS = ENOUGH_RUNS
MOST_ROUNDS = 3  # times as many, if the cores are moved
MANY_RANKS, MANY_REPEATS = 16, 1000
WARM_UP = 2  # executions that no program counts
FEW = 10  # executions that are counted of off and on, which change no more
FEW_OF_AIRFOIL = 100  # the last one waits for a sum
AIRFOIL_FLUSH = 5  # iterations that the queue of Airfoil holds
UNTIMED_OF_AIRFOIL = WARM_UP * AIRFOIL_FLUSH


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


def known_costs():
    """Seconds of an iteration by program and loop, as bench/results/scaling.md lists them."""
    path = Path(__file__).resolve().parents[1] / "results" / "scaling.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    costs = next(record["costs"] for record in records if "costs" in record)
    return {**costs, "solver": next(record["solver_costs"] for record in records if "solver_costs" in record)}


@dataclass(frozen=True)
class SolverCase(bench_mpi.SolverPoint):
    program: str = "solver"


def fields(point):
    """Of a point in the records."""
    return {name: value for name, value in vars(point).items() if name != "mode"}


def airfoil_run(programs, side, flushes):
    """Words of a command that executes so many flushes after those that are not counted."""
    iterations = UNTIMED_OF_AIRFOIL + AIRFOIL_FLUSH * flushes
    return programs.airfoil(side, iterations, "--every", iterations, "--untimed", UNTIMED_OF_AIRFOIL)


class ModelledNetwork:
    """Runs on the network model, with costs that are not those that auto begins with."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.costs = known_costs()
        self.tables = {}
        bench_mpi.MODES.update(WAYS)

    def file(self, name, lines):
        path = self.folder / name
        path.write_text(lines)
        return path

    def unperturbed(self, program):
        lines = [f"{name} {seconds:.6e}\n" for name, seconds in self.costs[program].items()]
        return self.file("known.costs", "".join(lines))

    def table(self, point):
        """The table of costs that a run with the unperturbed ones leaves, on this network."""
        key = tuple(value for name, value in fields(point).items() if name != "nchains")
        if key not in self.tables:
            self.kept().unlink(missing_ok=True)
            self.seconds(replace(point, mode="auto"), self.unperturbed(point.program), FEW)
            self.tables[key] = self.kept().read_bytes()
        return self.tables[key]

    def kept(self):
        return self.folder / "cache" / "costs.txt"

    def true_costs(self, point, seed):
        return self.file("true.costs", perturbed(self.costs[point.program], seed))

    def begin(self, point):
        """The next run with auto begins with the point's table."""
        self.kept().write_bytes(self.table(point))

    def command(self, point, repeats):
        if point.program == "airfoil":
            return airfoil_run(self.programs, bench_mpi.airfoil_side(point.cells * point.ranks), repeats)
        return self.programs.arguments(point.program, point.ranks, point.cells, point.nchains, repeats)

    def seconds(self, point, costs, repeats):
        output = self.programs.on_network(point, costs, self.command(point, repeats))
        if point.program == "airfoil":
            return bench_mpi.airfoil_seconds(output, UNTIMED_OF_AIRFOIL)
        result = bench_mpi.json_line(output)
        if not result["passed"]:
            sys.exit(f"{point}: wrong result {result}")
        return result["most"]["seconds"]

    def repeating(self, point, costs, few):
        """Seconds of an execution after the first ones: the last half of twice as many."""
        return last_half(self.seconds(point, costs, few), self.seconds(point, costs, 2 * few))

    def names(self, point):
        """What a run measures: a record's name of each."""
        return {point.program: fields(point)}

    def compare(self, point, seed, repeats):
        """By name: seconds of off and on, and of auto for each number of repeats."""
        return {point.program: self.of_ways(point, seed, repeats)}

    def of_ways(self, point, seed, repeats):
        costs = self.true_costs(point, seed)
        few = FEW_OF_AIRFOIL if point.program == "airfoil" else FEW
        found = {way: self.repeating(replace(point, mode=way), costs, few) for way in ("off", "on")}
        for count in repeats:
            self.begin(point)
            found[str(count)] = self.seconds(replace(point, mode="auto"), costs, count)
        return found


class SolverOnNetwork(ModelledNetwork):
    """The chains of examples/hydra_chains, each a separate point."""

    def command(self, point, repeats):
        return self.programs.solver(point.width(), repeats + WARM_UP, repeats + WARM_UP)

    def seconds(self, point, costs, repeats):
        chains = bench_mpi.json_line(self.programs.on_network(point, costs, self.command(point, repeats)))["chains"]
        return {chain["chain"]: chain["most"]["seconds"] for chain in chains}

    def names(self, point):
        return {name: {"program": name, "ranks": point.ranks, "cells": point.nodes, "latency": point.latency} for name in PUBLISHED}

    def compare(self, point, seed, repeats):
        found = self.of_ways(point, seed, repeats)
        return {name: {what: seconds[name] for what, seconds in found.items()} for name in PUBLISHED}


def last_half(first, all_of_them):
    """Of means over so many executions and over twice as many, by name or alone: that over those which were added."""
    if isinstance(first, dict):
        return {name: last_half(mean, all_of_them[name]) for name, mean in first.items()}
    return 2 * all_of_them - first


def line_of(what, seconds, repeats):
    return f"{what}: off {1e6 * seconds['off']:.1f} us, on {1e6 * seconds['on']:.1f}, above the better: " + ", ".join(
        f"{count}: {100 * excess(seconds, count):+.1f} %" for count in repeats)


def points_of(quick):
    """Those of bench/results/scaling.jsonl, or some on four ranks."""
    some = (*bench_mpi.points_for(("constant", "growing"), (4,), (700,), (1, 16)),
            *bench_mpi.points_for(("airfoil",), (4,), (700,), (0,)))  # fmt: skip
    return list(dict.fromkeys(replace(p, mode="off") for p in (some if quick else bench_mpi.all_points(False))))


def repeats_of(point, repeats):
    """On many ranks without the most: two cores would be at it for a day."""
    return [count for count in repeats if point.ranks <= MANY_RANKS or count <= MANY_REPEATS]


def on_networks(network, points, options, record, done):
    """All points, of which those are measured that are not done."""
    found, library = [], library_of(network.programs.build, "lib*.so")
    for number, point in enumerate(points[options.first :: options.every], 1):
        seed, names = seed_of(fields(point)), network.names(point)
        wanted = repeats_of(point, options.repeats)
        repeats = missing(done, names.values(), seed, wanted)
        seconds = network.compare(point, seed, repeats) if repeats else {}
        for name, what in names.items():
            if repeats:
                made = {"auto": what, "seed": seed, "seconds": seconds[name], "date": date.today().isoformat(),
                        "library": library, "caches": CACHES}
                record(made)
                done[key_of(made)] = joined(done.get(key_of(made)), made)
            found.append(done[key_of({"auto": what})]["seconds"])
            print(f"{number}: " + line_of(", ".join(f"{n} {v}" for n, v in what.items()), found[-1], wanted), flush=True)
    return all([report(count, found) for count in options.repeats])


def solver_cases(quick):
    cases = {(p.ranks, p.nodes, p.latency): p for p in bench_mpi.solver_points(quick)}
    return [SolverCase(*case, "off") for case in cases]


def report(count, found):
    """One line; whether the limits hold."""
    points, median, inside, worst, kept = summary(found, count)
    print(f"{count} repeats, {points} points: median {100 * median:+.2f} %, within {100 * LIMITS[count][0]:.0f} %: "
          f"{100 * inside:.0f} % of the points, worst {100 * worst:+.2f} %: {'kept' if kept else 'MISSED'}", flush=True)
    return kept


class WallClock:
    """Two ranks of this machine."""

    def __init__(self, programs, quick):
        self.programs, self.distance = programs, CoreDistance(programs.build)
        self.cases = {"airfoil": airfoil_run(programs, 60 if quick else 150, 200 if quick else 500),
                      "loop_chain constant": self.chain("constant"),
                      "loop_chain growing": self.chain("growing")}
        self.cases["hydra_chains"] = programs.solver(20, 10000, 10000)
        self.cases["conjugate gradients"] = [programs.build / "bench" / "cg_bench", "--on-ranks",
                                             "--width", 150, "--iterations", 10000]

    def chain(self, variant):
        return [self.programs.program("loop_chain"), "--size", 200, "--variant", variant, "--nchains", 8,
                "--repeats", 1000, "--json"]

    def seconds(self, case, way):
        """Of an iteration or chain; of the solver each chain's."""
        output = self.programs.run(["timeout", "-k", "5", "170", "mpirun", "-np", 2, *self.cases[case]], **BOUND, **WAYS[way])
        if " residual " in output:
            return {case: bench_mpi.airfoil_seconds(output, UNTIMED_OF_AIRFOIL)}
        found = bench_mpi.json_line(output)
        return {chain.get("chain", case): chain["most"]["seconds"] for chain in found.get("chains", [found])}

    def compare(self, case, rounds, record, done):
        """Medians of alternating runs; off twice, for the spread. Of rounds that are fewer than wanted nothing is judged.

        done: records, of which rounds of the same command, library and CPU count too
        """
        made_by = {"command": words_of(self.cases[case], self.programs.build), "library": library_of(self.programs.build),
                   "cpu": cpu_name()}  # fmt: skip
        known = known_rounds(done, case, made_by)
        ways = {name: functools.partial(self.seconds, case, "off" if name == "again" else name)
                for name in ("off", "again", "on", "auto")}  # fmt: skip
        kept, is_judged = True, False
        for cores, found in rounds_by_distance(self.distance, ways, rounds, MOST_ROUNDS * rounds, known).items():
            if not found:
                continue
            runs = {name: [results[name] for results in found] for name in ways}
            made = {"wall": case, "cores": cores, "runs": runs, "date": date.today().isoformat(), **made_by}
            if len(found) > len(known[cores]):
                record(made)
            print(f"{len(found)} rounds {WORDS[cores]}:")
            verdicts = [self.judge(made, name, rounds) for name in runs["off"][0]]
            kept, is_judged = kept and False not in verdicts, is_judged or None not in verdicts
        if not is_judged:
            print(f"{case}: not judged, because the machine was too disturbed: MISSED")
        return kept and is_judged

    @staticmethod
    def judge(made, name, rounds):
        median, (above, spread, kept) = medians(made, name), judged(made, name, rounds)
        verdict = {None: "not judged", True: "kept", False: "MISSED"}[kept]
        print(f"{made['wall']}, {name}: off {1e6 * median['off']:.2f} us, on {1e6 * median['on']:.2f}, auto {1e6 * median['auto']:.2f}: "
              f"{100 * above:+.2f} % above the better one, off against off {100 * spread:+.2f} %: {verdict}", flush=True)  # fmt: skip
        return kept


def library_of(build, files="libop2*.so"):
    """A name of what is measured: another one for other bytes of these files, of the library and its compiler at least."""
    files = sorted((build / "lib").glob(files))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def words_of(command, build):
    """Without the folder."""
    return [str(word).removeprefix(f"{build}/") for word in command]


def compare_tiles(programs, side, rounds, record):
    """Airfoil on 2 ranks with and without chains and tiles; nothing is wanted of it."""
    command = airfoil_run(programs, side, 20)
    runs = {way + words: [] for words in ("", " no_tile") for way in ("off", "on")}
    for _ in range(rounds):
        for name, found in runs.items():
            words = {"OP2_DEBUG": "no_tile"} if name.endswith("no_tile") else {}
            output = programs.run(["timeout", "-k", "5", "170", "mpirun", "-np", 2, *command], OP2_CHAIN=name.split()[0], **BOUND, **words)
            found.append(bench_mpi.airfoil_seconds(output, UNTIMED_OF_AIRFOIL))
    record({"tiles": f"Airfoil, {3 * side * side} cells", "runs": runs, "date": date.today().isoformat(), "cpu": cpu_name()})
    print({name: f"{1e6 * statistics.median(found):.0f} us" for name, found in runs.items()}, flush=True)


def measure(options, folder, record):
    """What is wanted; whether all limits are kept."""
    programs, kept = Programs(options.build, folder), True
    done = read(Path(options.output) / "auto.jsonl") if options.resume else {}
    if options.only in (None, "model"):
        kept = on_networks(ModelledNetwork(programs, folder), points_of(options.quick), options, record, done)
    if options.only in (None, "solver"):
        kept = on_networks(SolverOnNetwork(programs, folder), solver_cases(options.quick), options, record, done) and kept
    if options.only in (None, "wall"):
        clock = WallClock(programs, options.quick)
        for name in [options.case] if options.case else clock.cases:
            kept = clock.compare(name, 5 if options.quick else ROUNDS, record, done) and kept
    if options.only in (None, "tiles"):
        compare_tiles(programs, *((60, 3) if options.quick else (490, 9)), record)
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("output")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--repeats", type=int, nargs="+", choices=LIMITS, default=list(LIMITS))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="measure only what auto.jsonl does not have, and go on with its rounds")
    parser.add_argument("--only", choices=("model", "solver", "wall", "tiles", "page"))
    parser.add_argument("--case", help="of the wall clock; otherwise all")
    options = parser.parse_args()
    if options.only == "page":
        bench_mpi.write_page(Path(options.output))
        return
    with tempfile.TemporaryDirectory() as folder, \
            open(Path(options.output) / "auto.jsonl", "a", encoding="ascii") as file:
        def record(what):
            file.write(json.dumps(what) + "\n")
            file.flush()

        kept = measure(options, Path(folder), record)
    print(f"wrote {options.output}/auto.jsonl")
    bench_mpi.write_page(Path(options.output))
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
