#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What OP2_REPRODUCIBLE=on costs: time, memory, planning, and reductions over ranks.

    bench_reproducible.py build/release [--rounds 15] [--quick] [--only airfoil cg ranks memory messages]

Every round runs each program without the mode, with it, and with it and OP2_FP_CONTRACT=on, in an order that changes.
Printed are all times, and of each column the median of its ratios to the first one with its 80 % interval.
"""
import argparse
import json
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from paired_figures import interval_of
from programs import environment

TIMEOUT_S = 300
MODE = {"OP2_REPRODUCIBLE": "on"}
MODES = {
    "without": {},
    "no contraction": {"OP2_FP_CONTRACT": "off"},
    "the mode": MODE,
    "FP_CONTRACT=on": {**MODE, "OP2_FP_CONTRACT": "on"},
}


def seconds_of_airfoil(output):
    """Between the second report and the last one: tiles are planned before."""
    times = [float(t) for t in re.findall(r"^ *\d+ of \d+ .* ([0-9.]+) s$", output, re.MULTILINE)]
    return times[-1] - times[1]


def seconds_of_cg(output):
    return json.loads(output.splitlines()[-1])["library_ms_per_iter"] / 1e3


@dataclass(frozen=True)
class Case:
    group: str
    name: str
    command: tuple
    limit: float
    read: object
    ranks: int = 1
    variables: dict = field(default_factory=dict)


def airfoil(group, name, size, reports, every, limit, **more):
    words = ("examples/airfoil/airfoil", "--size", *size, "--no-check", "--iterations", reports * every, "--every", every)
    return Case(group, name, words, limit, seconds_of_airfoil, **more)


def cases_of(quick):
    every = 10 if quick else 20
    for threads in (1, 2):
        variables = {"OP2_THREADS": str(threads)}
        yield airfoil("airfoil", f"Airfoil, 720 000 cells, {threads} thread(s)", (400, 600), 5, every, 1.10,
                      variables=variables)
        words = ("bench/cg_bench", "--threads", threads, "--rounds", 2 if quick else 4)
        yield Case("cg", f"conjugate gradients, 1 000 000 cells, {threads} thread(s)", words, 1.10, seconds_of_cg)
    for cells, size, count, limit in ((360_000, (400, 600), every, 1.10), (3_000, (40, 50), 1000, 1.15),
                                      (700, (21, 22), 3000, 1.25)):
        yield airfoil("ranks", f"Airfoil, 2 ranks, {cells} cells each", size, 4, count, limit, ranks=2,
                      variables={"OP2_THREADS": "1"})


class Programs:
    def __init__(self, build, folder):
        self.build, self.folder = Path(build).resolve(), Path(folder)

    def run(self, case, **variables):
        """What it prints, and what it reports."""
        words = [str(self.build / case.command[0]), *map(str, case.command[1:])]
        if case.ranks > 1:
            words = ["mpirun", "-np", str(case.ranks), *words]
        done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
                              env={**environment(self.build, self.folder / "cache"), **case.variables, **variables})
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)} with {variables} ended with {done.returncode}:\n"
                               f"{done.stdout}{done.stderr}")
        return done.stdout, done.stderr

    def seconds(self, case, mode):
        return case.read(self.run(case, **MODES[mode])[0])


def measure_times(programs, cases, rounds):
    times = {case.name: {mode: [] for mode in MODES} for case in cases}
    for number in range(-1, rounds):  # the first one compiles
        print(f"round {number + 1} of {rounds}", flush=True)
        for case in cases:
            for turn in range(len(MODES)):
                mode = list(MODES)[(turn + number) % len(MODES)]
                seconds = programs.seconds(case, mode)
                if number >= 0:
                    times[case.name][mode].append(seconds)
    return times


def print_times(cases, times):
    for case in cases:
        found = times[case.name]
        print(f"\n{case.name}: limit {case.limit:.2f}")
        for mode, seconds in found.items():
            ratio = interval_of([s / without for s, without in zip(seconds, found["without"])])
            print(f"  {mode:15} {ratio}   s: " + " ".join(f"{s:.4f}" for s in seconds))


def planned(trace):
    """Milliseconds of tiles and of slots, over all plans and ranks."""
    spans = json.loads(trace.read_text())["traceEvents"]
    return [sum(s["dur"] for s in spans if s.get("name") == name) / 1e3 for name in ("make tiles", "find slots")]


def print_memory(programs, cases):
    """Of all plans, per rank."""
    for case in cases:
        trace = programs.folder / "trace.json"
        output, log = programs.run(case, OP2_DUMP="schedule", OP2_TRACE=str(trace), **MODE)
        text = output + log
        taken = [[int(number) for number in numbers] for numbers in re.findall(
            r"slots take (\d+) bytes, (\d+) of them with other plans, dats and maps (\d+)", text)]
        rows = [(int(a), int(b)) for a, b in re.findall(r"(\d+) of (\d+) rows are added to slots", text)]
        own = sum(all_bytes - shared for all_bytes, shared, _ in taken) // case.ranks
        slots = max([own, *(all_bytes for all_bytes, _, _ in taken)])  # the first to have them may be gone
        mesh = sum(size for _, _, size in taken) / max(1, len(taken)) or 1
        slotted = max((a / b for a, b in rows if b > 0), default=0)
        tiles_ms, slots_ms = planned(trace)
        print(f"{case.name}:\n  slots take {slots} bytes, {100 * slots / mesh:.2f} % of dats and maps (limit 15 %); at most "
              f"{100 * slotted:.2f} % of the rows of a loop are slotted\n"
              f"  tiles took {tiles_ms:.1f} ms, slots {slots_ms:.1f} ms (limit: no more)")


def print_messages(programs, rounds):
    ways = [(2, "flat", 0), (4, "flat", 0)] + [(4, "node", k) for k in (1, 2, 4)]
    for ranks, way, size in ways:
        case = Case("messages", "", ("bench/reduction_bench", "--rounds", rounds), 0, None, ranks,
                    {"OP2_THREADS": "1", "OP2_REDUCE": way, "OP2_DEBUG": f"node_size={size}" if size else ""})
        figures = {}
        for line in programs.run(case)[0].splitlines():
            if line.startswith("{"):
                record = json.loads(line)
                figures.setdefault(record["figure"], []).append(record["us"])
        print(f"\n{ranks} ranks, OP2_REDUCE={way}" + (f", nodes of {size}" if size else ""))
        base = figures["MPI_Allreduce of one double"]
        for name, us in figures.items():
            more = interval_of([u - b for u, b in zip(us, base)])
            print(f"  {name:32} {median(us):8.2f} us, more than one double: {more}   " + " ".join(f"{u:.2f}" for u in us))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--quick", action="store_true", help="five rounds of short runs: three minutes")
    parser.add_argument("--only", nargs="+", choices=("airfoil", "cg", "ranks", "memory", "messages"))
    options = parser.parse_args()
    wanted = options.only or ("airfoil", "cg", "ranks", "memory", "messages")
    rounds = options.rounds or (5 if options.quick else 15)
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(options.build, folder)
        cases = list(cases_of(options.quick))
        timed = [case for case in cases if case.group in wanted]
        if timed:
            print_times(timed, measure_times(programs, timed, rounds))
        if "memory" in wanted:
            print_memory(programs, cases)
        if "messages" in wanted:
            print_messages(programs, rounds)


if __name__ == "__main__":
    main()
