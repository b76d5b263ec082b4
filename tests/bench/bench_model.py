#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""op2-model against the clock: Airfoil and conjugate gradients on two ranks of this machine, predicted from runs of one rank.

    bench_model.py build/release results.jsonl [airfoil|cg]     needs a quiet machine with two cores; three minutes each

Costs come from processes of one rank, two at once, with parts of two sizes, as the library executes them and with every
loop by itself; messages from `op2-model machine`. The sizes that are compared are others, and nothing is fitted to them.
"""
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from programs import environment

WAYS = {"plain": "", "apart": "no_fuse,no_tile"}
ROUNDS = 5


class Airfoil:
    """Sizes are those of the C-grid."""

    name = "Airfoil"
    calibrated = ((40, 40), (245, 245))  # 4 800 and 180 000 cells: those of a rank
    held_out = ((60, 60), (122, 123), (245, 245))  # 5 400, 22 500 and 90 000 cells per rank

    @staticmethod
    def cells(size):
        return 3 * size[0] * size[1]

    @staticmethod
    def command(build, size, iterations):
        return [build / "examples" / "airfoil" / "airfoil", "--size", *size, "--iterations", iterations, "--no-check"]

    @staticmethod
    def seconds(output):
        """Of an iteration, from the lines of every hundred."""
        times = [(int(n), float(t)) for n, t in re.findall(r"(\d+) of \d+ .*?([\d.]+) s$", output, re.MULTILINE)]
        (first, begin), (last, end) = times[0], times[-1]
        return (end - begin) / (last - first)


class ConjugateGradients:
    """Sizes are cells along a side."""

    name = "conjugate gradients"
    calibrated = (70, 424)  # 4 900 and 180 000 cells
    held_out = (104, 212, 424)  # 5 400, 22 500 and 90 000 cells per rank

    @staticmethod
    def cells(size):
        return size * size

    @staticmethod
    def command(build, size, iterations):
        return [build / "tests" / "bench" / "cg_bench", "--on-ranks", "--width", size, "--iterations", iterations]

    @staticmethod
    def seconds(output):
        return json.loads(output.splitlines()[-1])["most"]["seconds"]


CASES = {"airfoil": Airfoil, "cg": ConjugateGradients}


class Bench:
    """Runs of programs of one build folder, on two cores."""

    def __init__(self, case, build, folder):
        self.case, self.build, self.folder = case, Path(build).resolve(), Path(folder)
        self.environment = {**environment(self.build, self.folder / "cache"), "OP2_THREADS": "1"}
        self.model = self.build / "tools" / "op2-model"

    def start(self, command, **variables):
        return subprocess.Popen([str(word) for word in command], env={**self.environment, **variables},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def finish(self, process):
        output, _ = process.communicate(timeout=170)
        if process.returncode != 0:
            raise RuntimeError(f"{process.args} ended with {process.returncode}:\n{output}")
        return output

    def program(self, size, iterations):
        return self.case.command(self.build, size, iterations)

    def iterations(self, size):
        """Enough for a second, in hundreds."""
        return 100 * max(2, min(60, round(1e6 / self.case.cells(size))))

    def record_at_once(self, name, size, iterations, words):
        """Records of two processes that run at the same time, each on a core."""
        paths = [self.folder / f"{name}_{core}.json" for core in (0, 1)]
        running = [self.start(["taskset", "-c", core, *self.program(size, iterations)], OP2_MODEL=str(path),
                              OP2_DEBUG=words) for core, path in enumerate(paths)]
        for process in running:
            self.finish(process)
        return paths

    def on_ranks(self, command, **variables):
        """Each on one core, as the processes of one rank."""
        return self.finish(self.start(["timeout", "-k", "5", "150", "mpirun", "-np", "2", *command],
                                      OMPI_MCA_hwloc_base_binding_policy="core", **variables))

    def measured(self, size, chain, iterations):
        output = self.on_ranks(self.program(size, iterations), OP2_CHAIN=chain)
        return self.case.seconds(output)


def without_costs(path):
    """The record of a mesh that is to be predicted: what it took itself is not used."""
    record = json.loads(path.read_text())
    record["costs"] = record["host"] = []
    path.write_text(json.dumps(record))
    return path


def predicted(bench, records, costs, cut, machine):
    """Seconds per iteration by chain: those of 200 iterations less those of 100."""
    totals = []
    for record in records:
        table = bench.folder / "prediction.csv"
        bench.finish(bench.start([bench.model, "predict", record, cut, machine, "--busy", 2, "--csv", table,
                                  *(word for path in costs for word in ("--costs", path))]))
        totals.append({row[1]: float(row[5]) for row in (line.split(",") for line in table.read_text().splitlines())
                       if row[2] == "total"})
    return {chain: (totals[1][chain] - totals[0][chain]) / 100 for chain in totals[0]}


def calibrate(bench):
    machine = bench.folder / "machine.json"
    print(bench.on_ranks([bench.model, "machine", "--out", machine]))
    costs = []
    for number, size in enumerate(bench.case.calibrated):
        for way, words in WAYS.items():
            for turn in range(3):
                costs += bench.record_at_once(f"cost_{number}_{way}_{turn}", size, bench.iterations(size), words)
    return machine, costs


def compare(bench, size, machine, costs):
    records = []
    for iterations in (100, 200):
        path = bench.folder / f"mesh_{bench.case.cells(size)}_{iterations}.json"
        bench.finish(bench.start(bench.program(size, iterations), OP2_MODEL=str(path)))
        records.append(without_costs(path))
    bench.finish(bench.start([bench.model, "cut", records[0], "-P", 2, "--folder", bench.folder]))
    guess = predicted(bench, records, costs, bench.folder / "cut_2.json", machine)
    found = {chain: [] for chain in ("off", "on")}
    for _ in range(ROUNDS):
        for chain, times in found.items():
            times.append(bench.measured(size, chain, bench.iterations(size)))
    for chain, times in found.items():
        yield {"program": bench.case.name, "cells_per_rank": bench.case.cells(size) // 2, "chain": chain,
               "measured": statistics.median(times), "least": min(times), "predicted": guess[chain]}


def measure(case, build, results):
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(case, build, folder)
        machine, costs = calibrate(bench)
        for size in case.held_out:
            for row in compare(bench, size, machine, costs):
                print("{program}, {cells_per_rank} cells per rank, {chain}: measured {0:.2f} us (least {1:.2f}), predicted "
                      "{2:.2f}, {3:+.1f} %".format(1e6 * row["measured"], 1e6 * row["least"], 1e6 * row["predicted"],
                                                   100 * (row["predicted"] / row["measured"] - 1), **row), flush=True)
                with open(results, "a", encoding="ascii") as lines:
                    lines.write(json.dumps(row) + "\n")


def main(build, results, *cases):
    for case in cases or CASES:
        measure(CASES[case], build, results)


if __name__ == "__main__":
    main(*sys.argv[1:])
