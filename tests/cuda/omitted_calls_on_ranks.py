#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Planted mistakes on ranks: a program on two, each with an emulated device, of which rank 0 leaves out one copy, one
kernel (also of those that pack and unpack, which makes a halo stale) or one graph. The device, the other rank or what
the program sees notices each.

usage: omitted_calls_on_ranks.py whole_numbers_on_ranks mpiexec STEP [name=value ...]     each STEP-th of them; with
                                                                                           further switches"""
import os
import re
import subprocess
import sys
import tempfile

# What is left out in turn.
FILL = "cuMemsetD8Async"
WORK = ["cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", FILL, "cuLaunchKernel", "cuGraphLaunch"]

# Messages in pinned memory of the host, and on the device, where MPI may access them.
STAGED, IN_PLACE = {"OP2_GPU_MPI": "off"}, {"OP2_GPU_MPI": "on", "OP2_EMU_HOST": "open"}
CASES = [{"OP2_CHAIN": "on", "OP2_GPU_INC": "rows", **STAGED}, {"OP2_CHAIN": "off", "OP2_GPU_INC": "pull", **STAGED},
         {"OP2_CHAIN": "on", "OP2_GPU_INC": "pull", **IN_PLACE},
         {"OP2_CHAIN": "off", "OP2_GPU_INC": "rows", **IN_PLACE}]

# Three sequences of loops have an exchange. Of its two buffers on the device, which get zeros when it is prepared, one
# needs none: staged, uploads overwrite that of incoming messages; in place, kernels and headers that of outgoing ones.
NEEDLESS_FILLS = 3


class Job:
    """The program on two ranks."""

    def __init__(self, program, mpiexec, folder, switches):
        self.report = os.path.join(folder, "report.txt")
        self.parts = [[mpiexec, "-np", "1", "env"], [program, ":", "-np", "1", program]]
        self.environment = {**os.environ, "OP2_TARGET": "cuda", "OP2_THREADS": "1", "OP2_EMU_ORDER": "lazy", **switches}

    def run(self, switches, omitted):
        """What the ranks have seen, or "an error"; None if they do not end. What was left out; empty if there is no
        such call. What the device has found. How often each function was called, if the program ended by itself."""
        with open(self.report, "w", encoding="utf-8"):
            pass
        command = [*self.parts[0], f"OP2_EMU_OMIT={omitted}", f"OP2_EMU_REPORT={self.report}", *self.parts[1]]
        try:
            done = subprocess.run(command, env={**self.environment, **switches}, capture_output=True, text=True,
                                  timeout=60)
            seen = sorted(re.findall(r"rank \d has seen \w+", done.stdout)) if done.returncode == 0 else "an error"
        except subprocess.TimeoutExpired:
            seen = None
        with open(self.report, encoding="utf-8") as file:
            lines = file.read().splitlines()
        left_out = [line for line in lines if line.startswith("left out: ")]
        calls = {line.split()[1]: int(line.split()[2]) for line in lines if line.startswith("calls: ")}
        return seen, "".join(left_out), [line for line in lines if not re.match("left out: |calls: ", line)], calls


class Trials:
    """What is left out, and whether anybody notices."""

    def __init__(self, job):
        self.job = job
        self.tried = self.faults = self.needless = 0  # the last: of the case

    def leave_out(self, switches, function, call, expected):
        """Leaves out one call."""
        seen, left_out, found, _ = self.job.run(switches, f"{function}:{call}")
        if not left_out:
            sys.exit(f"{switches}: the program does not get to call {call} of {function}")
        self.tried += 1
        unnoticed = seen == expected and not found
        if unnoticed and function == FILL and self.needless < NEEDLESS_FILLS:
            self.needless += 1
        elif unnoticed or seen is None:
            self.faults += 1
            print(f"{switches}, {left_out}: {'nobody notices' if seen else 'the job does not end'}", flush=True)


def main():
    program, mpiexec, step, *switches = sys.argv[1:]
    turn = 0
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(Job(program, mpiexec, folder, dict(one.split("=") for one in switches)))
        for case in CASES:
            expected, _, found, calls = trials.job.run(case, "none:1")
            if not expected or expected == "an error" or found:
                sys.exit(f"the program fails with all its calls, {case}: {expected} {found}")
            trials.needless = 0
            for function in WORK:
                for call in range(1 + turn % int(step), calls[function] + 1, int(step)):
                    trials.leave_out(case, function, call, expected)
                turn += 1
    print(f"{trials.tried} copies, kernels and graphs that rank 0 leaves out, {trials.faults} of them a fault")
    sys.exit(trials.faults > 0 or trials.tried == 0)


main()
