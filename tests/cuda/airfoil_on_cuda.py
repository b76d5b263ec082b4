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


class Mesh:
    """Numbers of elements."""

    def __init__(self, cells, nodes, edges, boundary_edges):
        self.cells, self.nodes, self.edges, self.boundary_edges = cells, nodes, edges, boundary_edges


def list_bytes(mesh):
    """Of the lists of increments, in half a step: where those of a row begin, and where the last ends, for each of
    two loops; an index for each increment."""
    return 4 * (2 * (mesh.cells + 1) + 2 * mesh.edges + mesh.boundary_edges)


def loop_bytes(mesh, increments):
    """What each of the loops that repeat reads and writes: doubles of cells and nodes, maps of edges, lists."""
    fluxes = 104 * mesh.cells + 16 * mesh.nodes + 16 * mesh.edges
    boundary = 152 * mesh.boundary_edges
    updates = {"update+adt_calc": 160 * mesh.cells + 16 * mesh.nodes,
               "update+save_soln+adt_calc": 192 * mesh.cells + 16 * mesh.nodes}
    if increments == "rows":
        return {"res_calc": fluxes, "bres_calc": boundary, **updates}
    half_step = 136 * mesh.cells + 16 * mesh.nodes + 16 * mesh.edges + 16 * mesh.boundary_edges + list_bytes(mesh)
    return {"res_calc+bres_calc+update+adt_calc": half_step,
            "res_calc+bres_calc+update+save_soln+... (5 loops)": half_step + 24 * mesh.cells}


def iteration_bytes(loops):
    """Of an iteration without the first and the last loops of a plan, from the bytes of each loop."""
    return sum(loops.values()) + loops.get("res_calc", 0) + loops.get("bres_calc", 0)


def counted_bytes(airfoil, increments, times):
    """A mesh of 12 by 18 cells, so many times as fine, and the plan's own count for a call of each loop that repeats."""
    program = [airfoil, "--size", str(12 * times), str(18 * times), "--iterations", "4", "--no-check"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loops.json")
        output = run(program, OP2_TARGET="cuda", OP2_GPU_INC=increments, OP2_TIMING=path)
        with open(path, encoding="utf-8") as file:
            loops = json.load(file)["loops"]
    numbers = re.search(r"(\d+) nodes, (\d+) cells, (\d+) edges, (\d+) boundary edges", output)
    nodes, cells, edges, boundary_edges = (int(number) for number in numbers.groups())
    mesh = Mesh(cells, nodes, edges, boundary_edges)
    counted = {loop["loop"]: loop["bytes"] / loop["calls"] for loop in loops if loop["calls"]}
    return mesh, {loop: counted.get(loop, 0) for loop in loop_bytes(mesh, increments)}


def check_bytes(airfoil):
    """The number of failures. Bytes grow with the area and the border of a mesh, so the second difference of three
    refinements is that of the area alone: what a cell of a large mesh costs."""
    failures = 0
    for increments, most in ("rows", 688), ("pull", 456):
        counts = [counted_bytes(airfoil, increments, times) for times in (1, 2, 3)]
        for mesh, counted in counts:
            for loop, wanted in loop_bytes(mesh, increments).items():
                if counted[loop] != wanted:
                    print(f"OP2_GPU_INC={increments}: loop '{loop}' moves {counted[loop]} bytes, not {wanted}")
                    failures += 1
        first, second, third = (iteration_bytes(counted) for _, counted in counts)
        each = (first - 2 * second + third) / (2 * counts[0][0].cells)
        print(f"Airfoil with OP2_GPU_INC={increments}: {each:g} bytes per cell and iteration, at most {most}")
        failures += not 0 < each <= most
    return failures


VARIANTS = [{"OP2_CHAIN": "off", "OP2_EMU_ORDER": "lazy"}, {"OP2_CHAIN": "on", "OP2_EMU_ORDER": "others"},
            {"OP2_CHAIN": "on", "OP2_EMU_ORDER": "random:7"}]
VARIANTS += [{**variant, "OP2_GPU_INC": "rows"} for variant in VARIANTS]


def check_run(command, expected, variant):
    """The number of failures."""
    output = run(command, OP2_TARGET="cuda", **variant)
    on_cpu = run(command, OP2_CHAIN=variant["OP2_CHAIN"])
    deviation = abs(residual(output, ITERATIONS) / expected - 1)
    pulls = variant.get("OP2_GPU_INC") != "rows"
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
