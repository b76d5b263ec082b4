#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Airfoil gives the residual of the reference executor, to 1e-12, on any number of ranks, with
chains and without, however the mesh is divided; and each kernel is compiled once for all ranks.

usage: airfoil_on_ranks.py mpiexec airfoil ranks..."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from airfoil_program import residual, run  # pylint: disable=wrong-import-position

ITERATIONS = 100
TOLERANCE = 1e-12


def check_exchanges(command):
    """Two iterations are 22 calls: queued together they take one exchange instead of four."""
    failures = 0
    for chain, expected in ("off", 4 * 50 + 2), ("on", 50):
        output = run(command, OP2_CHAIN=chain, OP2_DEBUG="queue_max=22")
        found = re.search(r"Halos: (\d+) ranks, (\d+) exchanges", output)
        if int(found[2]) != expected:
            failures += 1
            print(f"chain {chain}: {found[2]} exchanges in 50 flushes, not {expected}")
    return failures


def main():
    mpiexec, airfoil, *ranks = sys.argv[1:]
    program = [airfoil, "--size", "24", "36", "--iterations", str(ITERATIONS), "--no-check"]
    expected = residual(run(program, OP2_TARGET="reference"), ITERATIONS)
    failures = runs = 0
    variants = [{"OP2_PARTITIONER": p, "OP2_CHAIN": c}
                for p in ("block", "rcb", "ptscotch") for c in ("off", "on")]
    variants.append({"OP2_PARTITIONER": "rcb", "OP2_CHAIN": "on", "OP2_RENUMBER": "on",
                     "OP2_TILE": "shuffled", "OP2_THREADS": "2"})
    with tempfile.TemporaryDirectory() as cache:
        for count in ranks:
            for switches in variants:
                output = run([mpiexec, "-np", count, *program], **{"OP2_CACHE_DIR": cache, **switches})
                runs += 1
                deviation = abs(residual(output, ITERATIONS) / expected - 1)
                if not deviation <= TOLERANCE:
                    failures += 1
                    print(f"np {count}, {switches}: deviation {deviation:.1e}")
    with tempfile.TemporaryDirectory() as cache:
        output = run([mpiexec, "-np", ranks[-1], *program], OP2_CHAIN="on", OP2_CACHE_DIR=cache)
        compiled, received = map(int, re.search(r"JIT: (\d+) compiled .* (\d+) received", output).groups())
        if compiled == 0 or received != compiled * (int(ranks[-1]) - 1):
            failures += 1
            print(f"np {ranks[-1]}, cold: {compiled} compiled, {received} received")
    failures += check_exchanges([mpiexec, "-np", "4", *program])
    print(f"checked {runs} runs of Airfoil against the reference executor, {failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
