#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""op2-model against the clock: Airfoil and conjugate gradients on two ranks of this machine, predicted from runs of one rank.

    bench_model.py build/release bench/results                needs a quiet machine with two cores; about half an hour
    bench_model.py build/release bench/results airfoil|cg     one program
    bench_model.py build/release bench/results page           the table and the picture of the page again

Costs come from processes of one rank, two at once, with parts of two sizes, as the library executes them, without tiles, without fusion,
and with every loop by itself; messages, caches and reductions from `op2-model machine`. The sizes that are compared are others, and nothing
is fitted to them. Machine, costs and runs alternate, and are compared where the two cores were equally far apart (core_distance.py). Exit code 1: an error is above
its limit, 10 % with 10 000 cells per rank and more, 15 % with fewer. Where op2-model warns that costs are a guess, at the border of a cache,
errors are shown and not judged. Records are added to model.jsonl, the page is model.md (model_report.py).
"""
import functools
import itertools
import json
import re
import statistics
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

import model_report
from core_distance import WORDS, CoreDistance, runs_by_distance
from model_report import error, is_judged, is_kept
from programs import cpu_name, environment
from scaling_report import table

WAYS = {"plain": "", "untiled": "no_tile", "unfused": "no_fuse", "apart": "no_fuse,no_tile"}
CHAINS = ("off", "on", "auto")
ROUNDS = 8
MOST_ROUNDS = 15  # if the cores are moved
RUN = 2  # seconds of a run, about: a disturbed core is slow for a second or more, which a shorter run sees or does not


class Airfoil:
    """Sizes are those of the C-grid."""

    name = "Airfoil"
    calibrated = ((40, 40), (490, 490))  # 4 800 and 720 000 cells, those of a rank: in caches and far beyond
    cell = 40e-9  # seconds of a cell in an iteration of one rank, about
    held_out = ((60, 60), (122, 123), (245, 245), (447, 448))  # 5 400, 22 500, 90 000 and 300 000 cells per rank

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
    calibrated = (70, 850)  # 4 900 and 722 500 cells
    cell = 12e-9  # seconds of one in an iteration of one rank, about
    held_out = (104, 212, 424, 775)  # 5 400, 22 500, 90 000 and 300 000 cells per rank

    @staticmethod
    def cells(size):
        return size * size

    @staticmethod
    def command(build, size, iterations):
        return [build / "bench" / "cg_bench", "--on-ranks", "--width", size, "--iterations", iterations]

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
        self.numbers = itertools.count()  # of records

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
        """Those of a run on one rank, in hundreds; on two it takes half as long."""
        return 100 * max(2, round(RUN / (100 * self.case.cell * self.case.cells(size))))

    def record_at_once(self, size, words):
        """Paths of the records of two processes that run at the same time, each on a core."""
        number = next(self.numbers)
        paths = [self.folder / f"cost_{number}_{core}.json" for core in (0, 1)]
        running = [self.start(["taskset", "-c", core, *self.program(size, self.iterations(size))], OP2_MODEL=str(path),
                              OP2_DEBUG=words) for core, path in enumerate(paths)]
        for process in running:
            self.finish(process)
        return paths

    def on_ranks(self, command, **variables):
        """Each on one core, as the processes of one rank."""
        return self.finish(self.start(["timeout", "-k", "5", "150", "mpirun", "-np", "2", *command],
                                      OMPI_MCA_hwloc_base_binding_policy="core", **variables))

    def measured(self, size, chain):
        return self.case.seconds(self.on_ranks(self.program(size, self.iterations(size)), OP2_CHAIN=chain))


def mean_of(values):
    """Of files of one form: the mean of each of their numbers."""
    first = values[0]
    if isinstance(first, dict):
        return {key: mean_of([value[key] for value in values]) for key in first}
    if isinstance(first, list):
        return [mean_of(list(some)) for some in zip(*values)]
    return first if isinstance(first, str) else statistics.mean(values)


def measured_machine(bench):
    path = bench.folder / "measured.json"
    bench.on_ranks([bench.model, "machine", "--out", path])
    return json.loads(path.read_text())


def alternating(bench):
    """By distance of the cores: the machine, records for the costs, and by size and chain the seconds per iteration of runs."""
    costs = {("costs", size, way): functools.partial(bench.record_at_once, size, words)
             for size in bench.case.calibrated for way, words in WAYS.items()}  # fmt: skip
    runs = {(size, chain): functools.partial(bench.measured, size, chain) for size in bench.case.held_out for chain in CHAINS}
    found = runs_by_distance(CoreDistance(bench.build), {"machine": lambda: measured_machine(bench), **costs, **runs}, ROUNDS, MOST_ROUNDS)
    for cores, results in found.items():
        if min(map(len, results.values())) < ROUNDS:
            continue
        machine = bench.folder / f"machine_{cores}.json"
        machine.write_text(json.dumps(mean_of(results["machine"])))
        yield cores, machine, [path for name in costs for pair in results[name] for path in pair], {name: results[name] for name in runs}


def without_costs(path):
    """The record of a mesh that is to be predicted: what it took itself is not used."""
    record = json.loads(path.read_text())
    record["costs"] = record["host"] = []
    path.write_text(json.dumps(record))
    return path


def predicted(bench, size, machine, costs):
    """Seconds per iteration by chain, those of 200 iterations less those of 100; whether op2-model says that they are uncertain."""
    totals = []
    for iterations in (100, 200):
        record = bench.folder / f"mesh_{bench.case.cells(size)}_{iterations}.json"
        bench.finish(bench.start(bench.program(size, iterations), OP2_MODEL=str(record)))
        without_costs(record)
        bench.finish(bench.start([bench.model, "cut", record, "-P", 2, "--folder", bench.folder]))
        table = bench.folder / "prediction.csv"
        said = bench.finish(bench.start([bench.model, "predict", record, bench.folder / "cut_2.json", machine, "--busy", 2,
                                  "--csv", table, *(word for path in costs for word in ("--costs", path))]))
        rows = (line.split(",") for line in table.read_text().splitlines())
        totals.append({row[1]: float(row[5]) for row in rows if row[2] == "total"})
    return {chain: (totals[1][chain] - totals[0][chain]) / 100 for chain in CHAINS}, "costs are a guess" in said


def compare(bench, size, machine, costs, runs):
    guess, uncertain = predicted(bench, size, machine, costs)
    for chain in CHAINS:
        times = runs[size, chain]
        yield {"program": bench.case.name, "cells_per_rank": bench.case.cells(size) // 2, "chain": chain,
               "measured": statistics.mean(times), "runs": times, "predicted": guess[chain], "uncertain": uncertain}


def show(row):
    judgement = ": not judged" if not is_judged(row) else "" if is_kept(row) else ": MISSED"
    print("{program}, {cells_per_rank} cells per rank, {chain}: measured {0:.2f} us ({1:.2f} to {2:.2f}), predicted {3:.2f}, "
          "{4:+.1f} %{5}".format(1e6 * row["measured"], 1e6 * min(row["runs"]), 1e6 * max(row["runs"]),
                                 1e6 * row["predicted"], 100 * error(row), judgement, **row),
          flush=True)  # fmt: skip


def measure(case, build, record):
    """Whether all errors are within their limits."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(case, build, folder)
        found = list(alternating(bench))
        if not found:
            print(f"{case.name}: nothing is compared, because the cores were moved too often: MISSED")
        kept = bool(found)
        for cores, machine, costs, runs in found:
            print(f"{case.name}, {WORDS[cores]}, machine:", machine.read_text())
            for size in case.held_out:
                for row in compare(bench, size, machine, costs, runs):
                    show(row)
                    record({**row, "cores": cores})
                    kept = kept and is_kept(row)
    return kept


def write_page(folder):
    records, page = model_report.read(folder / "model.jsonl"), folder / "model.md"
    model_report.plot(records, folder / "model.png")
    page.write_text(model_report.with_table(page.read_text(encoding="utf-8"), records, table), encoding="utf-8")


def main(build, folder, *cases):
    folder = Path(folder)
    if cases == ("page",):
        write_page(folder)
        return
    path = folder / "model.jsonl"
    made_by = {"series": model_report.next_series(model_report.read(path)), "date": date.today().isoformat(), "cpu": cpu_name()}
    with open(path, "a", encoding="ascii") as file:
        def record(row):
            file.write(json.dumps({**made_by, **row}) + "\n")
            file.flush()

        kept = [measure(CASES[case], build, record) for case in cases or CASES]
    write_page(folder)
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
