#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks take the devices of their machine in turn, and say so if they must share them: Airfoil on a machine with
two emulated devices has the same residual on each.

usage: devices_of_ranks.py airfoil mpiexec"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from airfoil_program import residual, run  # pylint: disable=wrong-import-position

ITERATIONS = 2
DEVICES = 2
MACHINE = {"OP2_TARGET": "cuda", "OP2_EMU_DEVICES": str(DEVICES), "OP2_EMU_MACHINE": "1", "OP2_LOG": "debug"}


def fault_of(output, ranks, expected):
    """What is wrong with a run; empty if nothing is."""
    found = re.findall(r"\[rank (\d+)/\d+\] loops run on device (\d+):", output)
    devices = {int(rank): int(device) for rank, device in found}
    wanted = {rank: rank % DEVICES for rank in range(ranks)}
    if devices != wanted:
        return f"the devices of the ranks are {devices}, not {wanted}"
    share = f"ranks share devices: {ranks} ranks, {DEVICES} devices" in output
    if share != (ranks > DEVICES) or share != ("ranks share devices" in output):
        return f"ranks that share devices: {share}"
    deviation = abs(residual(output, ITERATIONS) / expected - 1)
    return "" if deviation <= 1e-12 else f"the residual deviates by {deviation:.1e}"


def main():
    airfoil, mpiexec = sys.argv[1:]
    program = [airfoil, "--size", "8", "10", "--iterations", str(ITERATIONS), "--no-check"]
    expected = residual(run(program, OP2_TARGET="reference"), ITERATIONS)
    faults = 0
    for ranks in 2, 3:
        output = run(["sh", "-c", 'exec "$@" 2>&1', "sh", mpiexec, "-np", str(ranks), *program], **MACHINE)
        fault = fault_of(output, ranks, expected)
        if fault:
            faults += 1
            print(f"{ranks} ranks, {DEVICES} devices: {fault}\n{output}")
    sys.exit(faults > 0)


main()
