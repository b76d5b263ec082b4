#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Chains of the example on the network model: runs repeat exactly, and where messages cost nothing it does
not matter how many there are.

usage: network_model_repeats.py mpiexec libnetmodel.so loop_chain
"""
import json
import os
import subprocess
import sys
import tempfile

COSTS = "update 5e-9\nedge_flux 5e-9\nprepare 4e-9\npacked_row 1e-9\n"
LONG_COSTS = "update 5e-6\nedge_flux 5e-6\nprepare 4e-6\npacked_row 1e-9\n"
NETWORK = {"NETMODEL_LATENCY_US": "20", "NETMODEL_OVERHEAD_US": "0.3", "NETMODEL_BANDWIDTH_GBS": "10"}


def seconds(mpiexec, program, model, repeats=2, **switches):
    """Of one chain, on the slowest of four clocks."""
    command = ["timeout", "-k", "5", "240", mpiexec, "-n", "4", "env",
               *(f"{name}={value}" for name, value in model.items()),
               program, "--size", "30", "--nchains", "4", "--repeats", str(repeats), "--json"]  # fmt: skip
    output = subprocess.run(command, env={**os.environ, "OP2_THREADS": "1", **switches}, check=True,
                            capture_output=True, text=True).stdout
    result = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
    assert result["passed"], result
    return result["most"]["seconds"]


def main(mpiexec, library, program):
    with tempfile.NamedTemporaryFile("w", suffix=".costs") as costs:
        costs.write(COSTS)
        costs.flush()
        model = {"LD_PRELOAD": library, "NETMODEL_COSTS": costs.name}
        repeats = {seconds(mpiexec, program, {**model, **NETWORK}, OP2_CHAIN="on") for _ in range(3)}
        assert len(repeats) == 1, f"the same run took {repeats}"
        assert min(repeats) > 20e-6, f"{repeats}, although a message takes 20 us"
        grouped, separate = (seconds(mpiexec, program, model, OP2_CHAIN="off", OP2_DEBUG=f"exchange={how}")
                             for how in ("grouped", "separate"))
        assert abs(separate / grouped - 1) < 1e-9, f"{separate} and {grouped} without network costs"
        costs.seek(0)
        costs.write(LONG_COSTS)
        costs.flush()
        # Many, for a sequence that repeats waits once for a sum: whether single rows of halos pay.
        free, hidden = (seconds(mpiexec, program, {**model, **network}, 20, OP2_CHAIN="on") for network in ({}, NETWORK))
        assert hidden - free < 20e-6, f"a message of 20 us is in flight while {free} s are computed, and takes {hidden - free}"
    print(f"{min(repeats)} s three times; {grouped} s with grouped and with separate messages")


if __name__ == "__main__":
    main(*sys.argv[1:])
