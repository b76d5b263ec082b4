# SPDX-License-Identifier: BSD-3-Clause
"""Runs the example Airfoil for tests, and reads what it prints."""
import os
import re
import subprocess
import sys


def run(command, **switches):
    """The program's output."""
    environment = {**os.environ, "OP2_THREADS": "1", **switches}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{command} {switches}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def residual(output, iterations):
    """The residual after the last iteration; None if the program did not get there."""
    found = re.search(rf"{iterations} of {iterations} +residual ([0-9.e+-]+)", output)
    return float(found[1]) if found else None
