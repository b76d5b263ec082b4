#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""OP2_CHAIN=auto on the network model: it chooses chains where messages are slow and none where they cost nothing, corrects
a choice that a table of wrong costs has led to, says so, and takes all times from the model's clock, so that runs repeat exactly.

usage: auto_on_network_model.py mpiexec libnetmodel.so loop_chain
"""
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile

COSTS = "update_with_feedback 5e-9\nedge_flux 5e-9\nprepare 4e-9\npacked_row 1e-9\nreceived_byte 3e-11\n"
DEAR = re.sub(r"e-9", "e-7", COSTS)  # redundant iterations do not pay
SLOW = {"NETMODEL_LATENCY_US": "50", "NETMODEL_OVERHEAD_US": "0.3", "NETMODEL_BANDWIDTH_GBS": "10"}
FAST = {"NETMODEL_LATENCY_US": "1", "NETMODEL_OVERHEAD_US": "0.1", "NETMODEL_BANDWIDTH_GBS": "10"}
FREE = {"NETMODEL_LATENCY_US": "0"}
REPEATS = 300


class Run:
    """Of 4 ranks: seconds of one chain on the slowest clock, and how choices were explained, in the log and in the table."""

    def __init__(self, programs, network, chain, cache, tile="off", costs=COSTS, keep_costs=False):
        mpiexec, library, program = programs
        model = {"LD_PRELOAD": library, "NETMODEL_COSTS": f"{cache}/costs", **network}
        command = ["timeout", "-k", "5", "240", mpiexec, "-n", "4", "env", *(f"{k}={v}" for k, v in model.items()),
                   program, "--size", "40", "--nchains", "6", "--variant", "growing", "--repeats",
                   str(REPEATS if chain == "auto" else 2), "--json"]  # fmt: skip
        with open(f"{cache}/costs", "w", encoding="ascii") as file:
            file.write(costs)
        if not keep_costs:
            with contextlib.suppress(FileNotFoundError):
                os.remove(f"{cache}/costs.txt")
        result = subprocess.run(command, check=True, capture_output=True, text=True,
                                env={**os.environ, "OP2_THREADS": "1", "OP2_CHAIN": chain, "OP2_DUMP": "chain",
                                     "OP2_TILE": tile, "OP2_TIMING": f"{cache}/table.txt",
                                     "OP2_CACHE_DIR": cache})  # fmt: skip
        found = json.loads(next(line for line in result.stdout.splitlines() if line.startswith("{")))
        assert found["passed"], found
        self.seconds = found["most"]["seconds"]
        explained = re.findall(r"chains of sequence .*predicted.*", result.stderr + result.stdout)
        self.costs = ""
        with contextlib.suppress(FileNotFoundError), open(f"{cache}/costs.txt", encoding="ascii") as file:
            self.costs = file.read()
        self.explanations = [line for line in explained if "(update" in line]
        self.explanation = self.explanations[-1] if self.explanations else ""
        with open(f"{cache}/table.txt", encoding="utf-8") as table:
            self.table = table.read()


CHAINED = r"loops \d+\.\.\d+(, \d+\.\.\d+)* chained: saves \d+ exchanges?, [+-]\d+\.\d % iterations, tiles \d\.\d\dx"
ALONE = r"\d+ loops, an exchange for each that needs one"
PREDICTED = r"; predicted (\d+\.\d\d) of off"
MEASURED, BY_COMPARISON = r", measured (?P<measured>\d+\.\d\d)", r"( \(by comparison, since flush \d+\))?"


def check_correction(programs, cache):
    """A session that begins with wrong costs chooses wrongly, finds out, and says so in the log and the table."""
    Run(programs, SLOW, "auto", cache, costs=DEAR)  # leaves its costs
    run = Run(programs, SLOW, "auto", cache, keep_costs=True)
    first, last = run.explanations[0], run.explanations[-1]
    print(f"{first}\n{last}")
    assert re.search(ALONE + PREDICTED + "$", first), first
    found = re.search(CHAINED + PREDICTED + MEASURED + BY_COMPARISON + "$", last)
    assert found, last
    measured = float(found.group("measured"))
    assert measured < 0.97, f"chains were chosen that take {measured} of the time of off"
    assert re.split(r", flush \d+: ", last)[1] in run.table, run.table


def check_slower_network(programs, cache):
    """Messages that take much longer than in the session that has left the table: the first times of the choice show it."""
    Run(programs, FAST, "auto", cache)  # leaves what messages cost
    run = Run(programs, SLOW, "auto", cache, keep_costs=True)
    first, second = run.explanations[:2]
    print(f"{first}\n{second}")
    exchanges = [int(saved) for saved in re.findall(r"saves (\d+) exchanges", first + second)]
    assert len(exchanges) == 2 and exchanges[0] < exchanges[1], exchanges
    assert "by comparison" not in second, second
    on = Run(programs, SLOW, "on", cache, keep_costs=True)
    excess = run.seconds / on.seconds - 1
    assert excess < 0.2, f"auto takes {100 * excess} % more than on in {REPEATS} repeats"


def main(*programs):
    with tempfile.TemporaryDirectory() as cache:
        for network, better in ((SLOW, "on"), (FREE, "off")):
            ways = {chain: Run(programs, network, chain, cache) for chain in ("off", "on", "auto")}
            assert ways[better].seconds == min(ways["off"].seconds, ways["on"].seconds), "not the points that are meant"
            excess = ways["auto"].seconds / ways[better].seconds - 1
            print(f"{network}: off {ways['off'].seconds}, on {ways['on'].seconds}, auto {100 * excess:+.2f} % above {better}")
            print(ways["auto"].explanation)
            assert excess < 0.2, f"auto takes {100 * excess} % more than {better} in {REPEATS} repeats"
            assert ("chained: saves" in ways["auto"].explanation) == (better == "on"), ways["auto"].explanation
        check_correction(programs, cache)
        check_slower_network(programs, cache)
        for tile in ("off", "16"):
            again = Run(programs, SLOW, "auto", cache, tile), Run(programs, SLOW, "auto", cache, tile)
            assert again[0].seconds == again[1].seconds, f"{again[0].seconds} and {again[1].seconds} of the same run"
            assert again[0].costs == again[1].costs, f"{again[0].costs}\nand, of the same run,\n{again[1].costs}"


if __name__ == "__main__":
    main(*sys.argv[1:])
