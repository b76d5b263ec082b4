#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Airfoil gives the residual of the reference executor, to 1e-12, on a device per rank, with the
same messages and bytes as on CPUs, whatever the order of a device's work, with chains or without, by atomic
increments or half a step as one kernel. If rows gather increments, the flow on one rank has the bits of the
reference executor, and an iteration moves little more than half the bytes.

usage: airfoil_on_cuda.py airfoil [mpiexec ranks...]"""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from airfoil_program import residual, run  # pylint: disable=wrong-import-position

ITERATIONS = 10
TOLERANCE = 1e-12


def halos(output):
    """"Halos: 2 ranks, 40 exchanges, ...", without times; nothing on one rank."""
    found = re.search(r"Halos: (\d+ ranks, \d+ exchanges, [^;]*)", output)
    return re.sub(r"[0-9.]+ s\b", "", found[1]) if found else None


def flow(program, **switches):
    """The flow field, all digits, in the order of the mesh."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "flow.vtu")
        run([*program, "--vtu", path], OP2_RENUMBER="off", **switches)
        with open(path, "rb") as file:
            return file.read()


def check_gathered(program):
    """The number of failures."""
    gathered = flow(program, OP2_TARGET="cuda", OP2_GPU_INC="pull", OP2_FP_CONTRACT="off")
    if gathered == flow(program, OP2_TARGET="reference"):
        return 0
    print("the flow of gathered increments differs from that of the reference executor")
    return 1


def bytes_per_cell(airfoil, increments):
    """What the loops of an iteration read and write by the plan's own count, in bytes per cell, not
    counting the first and the last of a plan."""
    program = [airfoil, "--size", "40", "60", "--iterations", "4", "--no-check"]
    cells = 40 * 60 * 3
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loops.json")
        run(program, OP2_TARGET="cuda", OP2_GPU_INC=increments, OP2_TIMING=path)
        with open(path, encoding="utf-8") as file:
            loops = json.load(file)["loops"]
    once = {loop["loop"]: loop["bytes"] / loop["calls"] / cells for loop in loops if loop["calls"]}
    del once["save_soln+adt_calc"]
    last = "update" if increments == "rows" else "res_calc+bres_calc+update"
    del once[last]
    halves = [value for name, value in once.items() if name.startswith(("res_calc+", "update+"))]
    others = [value for name, value in once.items() if name in ("res_calc", "bres_calc")]
    return sum(halves) + 2 * sum(others)


def check_bytes(airfoil):
    """The number of failures. Of the bytes, 1 % are those of boundary edges. Lists of increments
    come on top: 40 bytes per cell."""
    failures = 0
    for increments, most in ("rows", 705), ("pull", 395):
        found = bytes_per_cell(airfoil, increments)
        print(f"Airfoil with OP2_GPU_INC={increments}: {found:.0f} bytes per cell and iteration")
        failures += not most - 20 < found < most
    return failures


VARIANTS = [{"OP2_CHAIN": "off", "OP2_EMU_ORDER": "lazy"}, {"OP2_CHAIN": "on", "OP2_EMU_ORDER": "others"},
            {"OP2_CHAIN": "on", "OP2_EMU_ORDER": "random:7"}]
VARIANTS += [{**variant, "OP2_GPU_INC": "pull"} for variant in VARIANTS[:2]]


def check_run(command, expected, variant):
    """The number of failures."""
    output = run(command, OP2_TARGET="cuda", **variant)
    on_cpu = run(command, OP2_CHAIN=variant["OP2_CHAIN"])
    deviation = abs(residual(output, ITERATIONS) / expected - 1)
    pulls = variant.get("OP2_GPU_INC") == "pull"
    half_step = "res_calc+bres_calc+update" in output
    if deviation <= TOLERANCE and halos(output) == halos(on_cpu) and half_step == pulls:
        return 0
    print(f"{command}, {variant}: deviation {deviation:.1e}, {halos(output)}, on CPUs {halos(on_cpu)}, "
          f"half a step as one kernel: {half_step}")
    return 1


def main():
    airfoil, *rest = sys.argv[1:]
    program = [airfoil, "--size", "12", "18", "--iterations", str(ITERATIONS), "--no-check"]
    expected = residual(run(program, OP2_TARGET="reference"), ITERATIONS)
    jobs = [program] + [[rest[0], "-np", ranks, *program] for ranks in rest[1:]]
    failures = sum(check_run(command, expected, variant) for command in jobs for variant in VARIANTS)
    failures += check_gathered(program) + check_bytes(airfoil)
    print(f"checked {len(jobs) * len(VARIANTS)} runs of Airfoil on devices against the reference, {failures} failures")
    sys.exit(failures > 0)


main()
