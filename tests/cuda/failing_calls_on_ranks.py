#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the driver that fail on one rank of two: Airfoil has the right residual, or ends on both
ranks with an error that names what has failed.

usage: failing_calls_on_ranks.py airfoil mpiexec STEP     tries every STEP-th call, from the first on"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from airfoil_program import residual  # pylint: disable=wrong-import-position

ITERATIONS = 3
FAILURES = {"out of memory": 2, "illegal address": 700}
SWITCHES = {"OP2_TARGET": "cuda", "OP2_THREADS": "1", "OP2_EMU_ORDER": "lazy"}


class Job:
    """Airfoil on two ranks, of which one sees a failure."""

    def __init__(self, airfoil, mpiexec, folder):
        program = [airfoil, "--size", "6", "4", "--iterations", str(ITERATIONS), "--no-check"]
        self.report = os.path.join(folder, "report.txt")
        self.environment = {**os.environ, **SWITCHES, "OP2_CACHE_DIR": os.path.join(folder, "cache")}
        self.parts = [[mpiexec, "-np", "1", *program, ":", "-np", "1", "env"], program]

    def run(self, *failure):
        """The exit code, None if it does not end; what it prints; the function that has failed, if any."""
        open(self.report, "w", encoding="utf-8").close()
        first, program = self.parts
        command = [*first, f"OP2_EMU_REPORT={self.report}", *failure, *program]
        try:
            done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60)
            code, text = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            code, text = None, ""
        with open(self.report, encoding="utf-8") as file:
            failed = re.search(r"planned failure: (\w+)", file.read())
        return code, text, failed and failed[1]


def fault_of(code, text, expected):
    """What is wrong with the end of a job; None if nothing is."""
    if code is None:
        return "did not end"
    if code == 0:
        found = residual(text, ITERATIONS)
        return None if found and abs(found / expected - 1) <= 1e-12 else f"residual {found}, not {expected}"
    return None if re.search(r"(\[rank 1/2\]|airfoil:) OP2-E5(05|08|09|10) ", text) else "ended without a named error"


def main():
    airfoil, mpiexec, step = sys.argv[1:]
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        job = Job(airfoil, mpiexec, folder)
        code, text, _ = job.run()
        expected = residual(text, ITERATIONS)
        if code != 0 or expected is None:
            sys.exit(f"the program fails by itself: {code}\n{text}")
        for name, number in FAILURES.items():
            right = named = 0
            call = 1
            while True:
                code, text, failed = job.run(f"OP2_EMU_FAIL={call}:{number}")
                if failed is None and code is not None:
                    break
                fault = fault_of(code, text, expected)
                if fault:
                    faults += 1
                    print(f"call {call}, {failed}, {name}: {fault}\n{text}")
                right += code == 0
                named += code != 0 and not fault
                call += int(step)
            print(f"{name}: every {step}th of about {call} calls: {named} named errors, {right} right results")
            faults += named == 0
    sys.exit(faults > 0)


main()
