#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the driver that fail on one rank of two: Airfoil has the right residual, or ends on both
ranks with an error that names what has failed.

usage: failing_calls_on_ranks.py airfoil mpiexec STEP     tries every STEP-th call of rank 1, from the first on, with
                                                           its code in the cache, and the last ones that matter;
                                                           then some of each rank without"""
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

    COLD = {"OP2_CACHE": "off"}  # the ranks share the compilations

    def __init__(self, airfoil, mpiexec, folder):
        program = [airfoil, "--size", "6", "4", "--iterations", str(ITERATIONS), "--no-check"]
        self.report = os.path.join(folder, "report.txt")
        self.environment = {**os.environ, **SWITCHES, "OP2_CACHE_DIR": os.path.join(folder, "cache")}
        self.mpiexec, self.program = mpiexec, program

    def run(self, failure=None, rank=1, switches=None):
        """The exit code, None if it does not end; what it prints; the function that has failed, if any."""
        open(self.report, "w", encoding="utf-8").close()
        failing = ["env", f"OP2_EMU_REPORT={self.report}", *([f"OP2_EMU_FAIL={failure}"] if failure else [])]
        parts = [self.program, self.program]
        parts[rank] = [*failing, *self.program]
        command = [self.mpiexec, "-np", "1", *parts[0], ":", "-np", "1", *parts[1]]
        environment = {**self.environment, **(switches or {})}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
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
    return None if re.search(r"(\[rank [01]/2\]|airfoil:) OP2-E5(05|08|09|10) ", text) else "ended without a named error"


class Trials:
    """Jobs with a failing call, and how they end."""

    def __init__(self, job, expected):
        self.job, self.expected = job, expected
        self.right = self.named = self.faults = 0

    def reaches(self, call, number, **how):
        """Tries one. Whether the job got to that call: it did not if it is right and no failure is reported. A job that
        ends otherwise before its failure has a fault, behind which nothing is to be tried."""
        code, text, failed = self.job.run(f"{call}:{number}", **how)
        fault = fault_of(code, text, self.expected)
        if failed is None and code == 0 and not fault:
            return False
        if failed is None:
            fault = f"exit code {code} before any planned failure, {fault or 'with a named error'}"
        if fault:
            self.faults += 1
            print(f"call {call}, {failed}, {number}, {how}: {fault}\n{text}")
        if failed is None:
            return False
        self.right += code == 0
        self.named += code != 0 and not fault
        return True

    def report(self, what):
        """The number of failures: there must be named errors, too."""
        print(f"{what}: {self.named} named errors, {self.right} right results")
        return self.faults + (self.named == 0)


def try_warm(job, expected, name, step):
    """Every call of rank 1 in such steps. The number of failures, and of calls."""
    trials, call = Trials(job, expected), 1
    while trials.reaches(call, FAILURES[name]):
        call += step
    return trials.report(f"{name}: every {step}th of about {call} calls"), call


def try_last(job, expected, calls):
    """The calls of rank 1 around the last one whose failure is an error, which are those of op_exit: there
    the other rank waits, too. The number of failures."""
    code, trials = FAILURES["illegal address"], Trials(job, expected)
    fails, harmless = 1, calls
    while harmless - fails > 1:
        middle, right = (fails + harmless) // 2, trials.right
        is_harmless = not trials.reaches(middle, code) or trials.right > right
        fails, harmless = (fails, middle) if is_harmless else (middle, harmless)
    for call in range(max(1, fails - 4), fails):
        trials.reaches(call, code)
    return trials.report(f"calls before {harmless}, the first that is harmless")


def try_cold(job, expected, rank):
    """Some calls of a rank that compiles; the number of failures."""
    trials, call = Trials(job, expected), 90
    how = {"rank": rank, "switches": job.COLD}
    while trials.reaches(call, FAILURES["out of memory"], **how):
        call *= 3
    return trials.report(f"rank {rank} without a cache, calls up to {call}")


def main():
    airfoil, mpiexec, step = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        job = Job(airfoil, mpiexec, folder)
        code, text, _ = job.run()
        expected = residual(text, ITERATIONS)
        if code != 0 or expected is None:
            sys.exit(f"the program fails by itself: {code}\n{text}")
        warm = [try_warm(job, expected, name, int(step)) for name in FAILURES]
        faults = sum(fault for fault, _ in warm) + try_last(job, expected, max(calls for _, calls in warm))
        faults += sum(try_cold(job, expected, rank) for rank in (0, 1))
    sys.exit(faults > 0)


main()
