#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""machine.py OP2_MODEL AIRFOIL MPIEXEC: a machine is measured with two ranks, and used for a prediction."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from predictions import Predictor

ACROSS = ["--ranks-per-node", "2", "--latency-us", "2", "--overhead-us", "0.3", "--bandwidth-gbs", "10"]


def main():
    tool, airfoil, mpiexec = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        predictor = Predictor(tool, airfoil, folder, {})
        file = Path(folder) / "machine.json"
        printed = predictor.run(["timeout", "-k", "5", "100", mpiexec, "-n", "2", tool, "machine", "--out", file, *ACROSS])
        assert "on node" in printed and "GB/s for one rank" in printed and "of the work before them" in printed, printed
        machine = json.loads(file.read_text())
        assert machine["ranks_per_node"] == 2 and machine["across"]["latency_us"] == 2, machine
        assert len(machine["memory_GBs_per_rank"]) == 2, machine
        assert 0 <= machine["disturbance"] < 10, machine
        record = predictor.record("run", (20, 20), 20)
        cut = predictor.cut(record, [2])[2]
        assert "measured on-node with 2 ranks" in predictor.run([tool, "predict", record, cut, file])
        del machine["across"], machine["memory_GBs_per_rank"][1:]
        machine["ranks_per_node"] = 0
        file.write_text(json.dumps(machine))
        warned = subprocess.run([tool, "predict", record, cut, file], capture_output=True, text=True, check=True)
        assert "2 ranks on a node are taken to have as much memory bandwidth each as the 1 " in warned.stderr, warned.stderr


if __name__ == "__main__":
    main()
