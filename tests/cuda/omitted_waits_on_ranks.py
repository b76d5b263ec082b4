#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Planted mistakes in halo exchanges: Airfoil on two ranks, each with an emulated device, without one of
its waits. Many have nothing to wait for; of each kind some must be noticed, by the device or by the residual.

usage: omitted_waits_on_ranks.py airfoil mpiexec"""
import os
import re
import subprocess
import sys

WAITS = {"cuStreamWaitEvent": range(1, 7), "cuEventSynchronize": range(1, 9)}


# Messages in pinned memory of the host, and on the device, where MPI may access them.
PLACES = ({"OP2_GPU_MPI": "off"}, {"OP2_GPU_MPI": "on", "OP2_EMU_HOST": "open"})


def run(command, place, omitted):
    """The last residual; None if the program ends without one."""
    switches = {"OP2_TARGET": "cuda", "OP2_CHAIN": "on", "OP2_THREADS": "1", "OP2_EMU_ORDER": "lazy"}
    environment = {**os.environ, **switches, **place, "OP2_EMU_OMIT": omitted}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None
    found = re.search(r"3 of 3 +residual ([0-9.e+-]+)", done.stdout)
    return found[1] if found and done.returncode == 0 else None


def main():
    airfoil, mpiexec = sys.argv[1:]
    command = [mpiexec, "-np", "2", airfoil, "--size", "8", "10", "--iterations", "3", "--no-check"]
    missed = False
    for place in PLACES:
        expected = run(command, place, "none:1")
        if expected is None:
            sys.exit(f"the program fails with all its waits, {place}")
        for function, calls in WAITS.items():
            noticed = [k for k in calls if run(command, place, f"{function}:{k}") != expected]
            print(f"{place}, {function}: of the first {len(calls)} calls, {noticed} are noticed")
            missed |= not noticed
    sys.exit(missed)


main()
