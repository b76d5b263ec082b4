#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What communication costs and what chaining saves, on a modelled network (bench/netmodel).

    bench_mpi.py build/release bench/results           everything: scaling.md, scaling.jsonl, scaling.png
    bench_mpi.py build/release /tmp --quick   a few points, in some minutes
    bench_mpi.py build/release bench/results --solver  only the chains of examples/hydra_chains; the rest stays as it is
    ... --keep-costs                          with the costs of earlier: needs no quiet machine; wall clock stays, too

Work is measured once, with one rank; the clocks of all other runs count work and messages. Until all is measured, the records are in
scaling.jsonl.new.
"""
import argparse
import itertools
import json
import math
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path

import scaling_report
from programs import CACHES, environment

MODES = {
    "separate": {"OP2_CHAIN": "off", "OP2_DEBUG": "exchange=separate"},
    "off": {"OP2_CHAIN": "off"},
    "on": {"OP2_CHAIN": "on"},
}
SLICED = {"sliced": {"OP2_CHAIN": "on", "OP2_DEBUG": "slice=always"}}  # of the solver alone
LATENCIES = (0, 2, 50)  # microseconds; 0 is a network without any costs
OVERHEAD_US, BANDWIDTH_GBS = 0.3, 10
LONGEST_RUN = 3600  # seconds, for 10 000 repeats of the solver


@dataclass(frozen=True)
class Point:
    """One run. `program` is "constant" or "growing", variants of loop_chain, or "airfoil"."""

    program: str
    ranks: int
    cells: int  # per rank
    nchains: int  # 0 for airfoil
    latency: int
    mode: str


@dataclass(frozen=True)
class SolverPoint:
    """One run of hydra_chains."""

    ranks: int
    nodes: int  # per rank, about
    latency: int
    mode: str

    def width(self):
        return round((self.ranks * self.nodes) ** (1 / 3))


def solver_points(quick):
    sizes = [(16, 1000)] if quick else [(16, 1000), (16, 4096), (16, 16384), (64, 1000), (64, 4096), (64, 15625)]
    for (ranks, nodes), latency, mode in itertools.product(sizes, LATENCIES[1:], MODES):
        yield SolverPoint(ranks, nodes, latency, mode)


def points_for(programs, ranks, cells, nchains):
    for program, r, c, n in itertools.product(programs, ranks, cells, nchains):
        for latency, mode in itertools.product(LATENCIES, MODES):
            yield Point(program, r, c, 0 if program == "airfoil" else n, latency, mode)


def all_points(quick):
    both, airfoil = ("constant", "growing"), ("airfoil",)
    if quick:
        return list(points_for(both, (16,), (700,), (1, 16)))
    sizes = (180, 700, 2800, 11000)
    points = itertools.chain(
        points_for(both, (16,), (700,), (1, 2, 4, 8, 16)),
        points_for(both, (16,), sizes, (16,)),
        points_for(both, (16,), (11000,), (1,)),
        points_for(both, (2, 4, 8), (700,), (16,)),
        points_for(airfoil, (16,), sizes, (0,)),
        points_for(airfoil, (2, 4, 8), (700,), (0,)),
    )
    return list(dict.fromkeys(points))  # each once


class Programs:
    """Runs programs of one build folder."""

    def __init__(self, build, folder):
        self.build, self.folder = Path(build).resolve(), Path(folder)
        self.environment = {**environment(self.build, self.folder / "cache"), "OP2_THREADS": "1"}

    def program(self, name):
        return self.build / "examples" / name / name

    def run(self, command, **variables):
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                                timeout=LONGEST_RUN + 30, env={**self.environment, **variables})
        if result.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))} with {variables} ended with "
                               f"{result.returncode}:\n{result.stdout}{result.stderr}")
        return result.stdout

    def arguments(self, program, ranks, cells, nchains, repeats):
        if program == "airfoil":
            return self.airfoil(airfoil_side(cells * ranks), 100 * repeats)
        return [self.program("loop_chain"), "--size", round(math.sqrt(cells * ranks)),
                "--variant", program, "--nchains", nchains, "--repeats", repeats, "--json"]

    def seconds_per_iteration(self, commands, rounds=10):
        """Of every loop of these commands by itself, with one rank whose mesh fits into the cache: the best of all runs."""
        best = {}
        for command in [*commands] * rounds:
            table = self.folder / "table.json"
            self.run(command, OP2_TIMING=str(table), OP2_DEBUG="no_fuse")
            for row in json.loads(table.read_text())["loops"]:
                if row["elements"] and row["seconds"]:
                    cost = row["seconds"] / row["elements"]
                    best[row["loop"]] = min(cost, best.get(row["loop"], cost))
        return best

    def solver(self, width, starts, iterations):
        return [self.program("hydra_chains"), "--size", width, "--starts", starts, "--iterations", iterations,
                "--json"]  # fmt: skip

    def seconds_per_row(self):
        return json.loads(self.run([self.build / "bench" / "row_bench"]))

    def network(self, latency):
        if latency == 0:
            return {"NETMODEL_LATENCY_US": "0"}
        return {"NETMODEL_LATENCY_US": str(latency), "NETMODEL_OVERHEAD_US": str(OVERHEAD_US),
                "NETMODEL_BANDWIDTH_GBS": str(BANDWIDTH_GBS)}

    def on_network(self, point, costs_file, arguments):
        """Output of a run on the modelled network."""
        model = {"LD_PRELOAD": self.build / "lib" / "libnetmodel.so", "NETMODEL_COSTS": costs_file,
                 "HWLOC_SYNTHETIC": CACHES, **self.network(point.latency)}
        command = ["timeout", "-k", "5", LONGEST_RUN, "mpirun", "-np", point.ranks, "env",
                   *(f"{name}={value}" for name, value in model.items()), *arguments]  # fmt: skip
        quick_copies = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}  # a system call for each message takes longer
        return self.run(command, **{**MODES, **SLICED}[point.mode], **quick_copies)

    def airfoil(self, side, iterations, *more):
        """A C-grid of side x side has 3 side^2 cells."""
        return [self.program("airfoil"), "--size", side, side, "--no-check", "--iterations", iterations, *more]

    def measure(self, point, costs_file, repeats):
        arguments = self.arguments(point.program, point.ranks, point.cells, point.nchains, repeats)
        output = self.on_network(point, costs_file, arguments)
        return airfoil_result(output) if point.program == "airfoil" else json_line(output)

    def measure_solver(self, point, costs_file):
        return json_line(self.on_network(point, costs_file, self.solver(point.width(), 12, 12)))

    def solver_wall(self, width, mode):
        """Seconds of each chain on 2 ranks, without a model."""
        command = ["timeout", "-k", "5", "150", "mpirun", "-np", 2, *self.solver(width, 60, 60)]
        result = json_line(self.run(command, **MODES[mode]))
        return {chain["chain"]: chain["most"]["seconds"] for chain in result["chains"]}


def airfoil_side(cells):
    return round(math.sqrt(cells / 3))


def json_line(output):
    return json.loads(next(line for line in output.splitlines() if line.startswith("{")))


def airfoil_result(output):
    """Seconds per iteration between the first and the last hundredth that are reported."""
    lines = [line.split() for line in output.splitlines() if " residual " in line]
    first, last = lines[0], lines[-1]
    seconds = (float(last[5]) - float(first[5])) / (int(last[0]) - int(first[0]))
    return {"most": {"seconds": seconds}, "residual": last[4], "passed": True}


def airfoil_seconds(output, untimed):
    """Seconds per iteration of a run with --untimed, until its last report."""
    words = [line.split() for line in output.splitlines() if " residual " in line][-1]
    return float(words[5]) / (int(words[0]) - untimed)


class Records:
    """What has been measured, also in a file beside the one that it replaces: there is what a run that ends early has found."""

    def __init__(self, path):
        self.all, self.path = [], path
        self.unfinished = path.with_name(path.name + ".new")
        self.file = open(self.unfinished, "w", encoding="ascii")

    def finish(self):
        self.file.close()
        self.unfinished.replace(self.path)

    def add(self, record):
        self.all.append(record)
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()


def measured_costs(programs):
    """By program, because names of loops are their own."""
    rows = programs.seconds_per_row()
    both = ("constant", "growing")
    chain = programs.seconds_per_iteration([programs.arguments(program, 1, 2800, 16, 100) for program in both])
    airfoil = programs.seconds_per_iteration([programs.arguments("airfoil", 1, 2800, 0, 5)])
    return {program: {**(airfoil if program == "airfoil" else chain), **rows} for program in (*both, "airfoil")}


def write_costs(costs, path):
    path.write_text("".join(f"{name} {seconds:.6e}\n" for name, seconds in costs.items()))
    return path


def measure_solver(programs, records, folder, quick, costs=None):
    """All points of the solver's chains, and wall clock on 2 ranks unless costs are given."""
    has_costs = costs is not None
    if not has_costs:
        costs = {**programs.seconds_per_iteration([programs.solver(14, 200, 200)]), **programs.seconds_per_row()}
    records.add({"solver_costs": costs})
    file = write_costs(costs, folder / "solver.costs")
    points = {"solver_point": list(solver_points(quick))}
    points["solver_sliced"] = dict.fromkeys(replace(point, mode="sliced") for point in points["solver_point"])
    for kind, point in ((kind, point) for kind, some in points.items() for point in some):
        begin = time.monotonic()
        try:
            records.add({kind: asdict(point), "result": programs.measure_solver(point, file)})
        except RuntimeError as error:  # 64 processes can be too many for a machine
            if point.ranks <= 16:
                raise
            records.add({"solver_left_out": asdict(point)})
            print(f"left out: {str(error).splitlines()[0]}")
        print(f"{point} in {time.monotonic() - begin:.0f} s", flush=True)
    if has_costs:
        return
    for width in (10, 20, 32)[: 1 if quick else 3]:
        seconds = {"off": [], "on": []}
        for _ in range(3 if quick else 9):
            for mode, runs in seconds.items():
                runs.append(programs.solver_wall(width, mode))
        records.add({"solver_wall": {"ranks": 2, "nodes": width**3 // 2}, "seconds": seconds})


def spread(programs, files, points):
    """Largest relative difference among five runs of the same point."""
    largest = 0
    for point in points:
        seconds = [programs.measure(point, files[point.program], 2)["most"]["seconds"]
                   for _ in range(5)]
        largest = max(largest, max(seconds) / min(seconds) - 1)
    return largest


def measure_all(programs, records, folder, quick, older_costs):
    """All points of loop_chain and Airfoil."""
    costs, costs_are_older = older_costs or measured_costs(programs), older_costs is not None
    files = {program: write_costs(of_loops, folder / f"{program}.costs") for program, of_loops in costs.items()}
    records.add({"costs": costs})
    records.add({"date": date.today().isoformat(), "costs_are_older": costs_are_older})
    points = all_points(quick)
    for number, point in enumerate(points, 1):
        result = programs.measure(point, files[point.program], 2)
        if not result["passed"]:
            sys.exit(f"{point}: wrong result {result}")
        records.add({"point": asdict(point), "result": result})
        print(f"{number}/{len(points)} {point} {1e6 * result['most']['seconds']:.2f} us", flush=True)
    again = [p for p in points if p.mode == "on" and p.nchains in (0, 16)][:6]
    records.add({"spread": spread(programs, files, again), "runs": 5, "points": len(again)})


def kept(records, name):
    """The first record's that has the name; nothing if none has."""
    return next((record[name] for record in records if name in record), None)


def write_page(folder):
    """From the data in a folder, if they are there."""
    path = folder / "scaling.jsonl"
    if path.exists():
        records = [json.loads(line) for line in path.read_text().splitlines()]
        scaling_report.write(records, folder, OVERHEAD_US, BANDWIDTH_GBS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("output")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--solver", action="store_true")
    parser.add_argument("--keep-costs", action="store_true")
    options = parser.parse_args()
    start = time.monotonic()
    path = Path(options.output) / "scaling.jsonl"
    if (options.solver or options.keep_costs) and not path.exists():
        parser.error(f"--solver and --keep-costs need {path}, of which they keep a part")
    before = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    costs, solver_costs = (kept(before if options.keep_costs else [], name) for name in ("costs", "solver_costs"))
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(options.build, folder)
        records = Records(path)
        if options.solver:
            for record in before:
                if not any(name.startswith("solver") for name in record):
                    records.add(record)
        else:
            measure_all(programs, records, Path(folder), options.quick, costs)
        measure_solver(programs, records, Path(folder), options.quick, solver_costs)
        for record in before:
            if solver_costs and "solver_wall" in record:
                records.add(record)
        records.finish()
    minutes = (time.monotonic() - start) / 60
    write_page(Path(options.output))
    print(f"wrote {options.output}/scaling.md, .jsonl and .png after {minutes:.1f} minutes")


if __name__ == "__main__":
    main()
