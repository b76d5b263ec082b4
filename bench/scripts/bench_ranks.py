#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two ranks against one on this machine, and what it costs to distribute the mesh of Airfoil.

    bench_ranks.py build/release [--rounds 5]

One line of JSON per figure. The runs that are compared alternate, each has one thread per rank; the
figure is the ratio of the best times.
"""
import argparse
import itertools
import json
import re
import tempfile

from bench_mpi import Programs


def mpirun(ranks, *command):
    return ["mpirun", "-np", ranks, *command]


def seconds(programs, ranks, chain, debug):
    output = programs.run(mpirun(ranks, programs.program("airfoil"), "--iterations", 100),
                          OP2_CHAIN=chain, OP2_DEBUG=debug)
    return float(re.search(r"100 of 100 .* ([0-9.]+) s", output).group(1))


def speedups(programs, rounds):
    ways = list(itertools.product(("off", "on"), ("no_simd", "none")))
    cases = [(ranks, *way) for way in ways for ranks in (1, 2)]
    times = {case: [] for case in cases}
    for case in cases * rounds:
        times[case].append(seconds(programs, *case))
    for chain, debug in ways:
        one, two = (min(times[ranks, chain, debug]) for ranks in (1, 2))
        code = "scalar" if debug == "no_simd" else "vector"
        print(json.dumps({"figure": f"Airfoil, 100 iterations, OP2_CHAIN={chain}, {code} code",
                          "one rank": one, "two ranks": two, "unit": "s", "speedup": one / two}),
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(arguments.build, folder)
        print(programs.run(mpirun(2, programs.build / "bench/ranks_bench")), end="")
        speedups(programs, arguments.rounds)


if __name__ == "__main__":
    main()
