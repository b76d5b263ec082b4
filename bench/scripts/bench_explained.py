#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What OP2_CHAIN=auto expects of its choice at each point of bench_auto.py, and what it has measured then.

    bench_explained.py build/release bench/results     modelled networks, 100 repeats: half an hour
    ... --quick                               a few points

Costs, networks and caches are those of bench_auto.py. Records are added to auto.jsonl: the lines about the sequence of a point, from
the first choice to the last.
"""
import argparse
import json
import re
import sys
import tempfile
from dataclasses import replace
from datetime import date
from pathlib import Path

from auto_report import seed_of
from bench_auto import ModelledNetwork, SolverOnNetwork, fields, points_of, solver_cases
from bench_mpi import Programs

REPEATS = 100
FIRST_LOOPS = {"weight": "sumbwts", "period": "negflag", "gradl": "edgecon", "vflux": "initres", "iflux": "initviscres", "jacob": "jac_period"}
LINE = re.compile(r"chains of sequence \d+ \(([^,]+), (\d+) loops?\), (flush \d+: .*)")


def explanations(output):
    """By the first loop and the number of loops of a sequence: the lines about it, without its name."""
    found = {}
    for first, loops, text in LINE.findall(output):
        found.setdefault((first, int(loops)), []).append(text)
    return found


def explained(network, point):
    """By the names of what the point measures."""
    costs = network.true_costs(point, seed_of(fields(point)))
    network.begin(point)
    shown = ["env", "OP2_DUMP=analyse", "sh", "-c", 'exec "$@" 2>&1', "sh", *network.command(point, REPEATS)]
    found = explanations(network.programs.on_network(replace(point, mode="auto"), costs, shown))
    if point.program != "solver":
        return {point.program: found[max(found, key=lambda sequence: sequence[1])]}
    return {name: next(lines for (first, _), lines in found.items() if first == loop) for name, loop in FIRST_LOOPS.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("output")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open(Path(options.output) / "auto.jsonl", "a", encoding="ascii") as file:
        programs = Programs(options.build, folder)
        for network, points in ((ModelledNetwork(programs, Path(folder)), points_of(options.quick)),
                                (SolverOnNetwork(programs, Path(folder)), solver_cases(options.quick))):  # fmt: skip
            for point in points:
                for name, lines in explained(network, point).items():
                    what = {"explained": network.names(point)[name], "lines": lines, "repeats": REPEATS, "date": date.today().isoformat()}
                    file.write(json.dumps(what) + "\n")
                    print(what["explained"], *lines, sep="\n  ", flush=True)
                file.flush()


if __name__ == "__main__":
    sys.exit(main())
