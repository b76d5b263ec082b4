#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""op2-model cuts a mesh of 720 000 cells into 4 096 parts and predicts them in one process in less than 60 s.

    many_ranks.py op2-model airfoil bench/results/scaling.jsonl
"""
import sys
import tempfile
import time

from predictions import Predictor, airfoil_costs

LINK = {"latency_us": 2, "overhead_us": 0.3, "bandwidth_GBs": 10}
RANKS, LIMIT = 4096, 60  # seconds on the clock of the wall


def main(tool, airfoil, scaling):
    with tempfile.TemporaryDirectory() as folder:
        predictor = Predictor(tool, airfoil, folder, airfoil_costs(scaling))
        record = predictor.records("run", (400, 600))[0]
        machine = predictor.machine("2us", LINK)
        begin = time.monotonic()
        cuts = predictor.cut(record, [RANKS])
        cut = time.monotonic()
        seconds = predictor.totals(record, cuts.values(), machine)[RANKS]
        end = time.monotonic()
    print(f"{RANKS} ranks: cut in {cut - begin:.1f} s, predicted in {end - cut:.1f} s: {seconds}")
    assert set(seconds) == {"off", "on", "auto"} and all(value > 0 for value in seconds.values()), seconds
    assert end - begin < LIMIT, f"{end - begin:.0f} s, not less than {LIMIT}"


if __name__ == "__main__":
    main(*sys.argv[1:])
