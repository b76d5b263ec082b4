# SPDX-License-Identifier: BSD-3-Clause
"""Whether two cores of this machine share a cache, which on a virtual machine can change from one second to the next.

Where a host moves a virtual core to another cache, messages between two ranks take twice as long and each rank has a cache for itself.
Runs are compared only if the cores were equally far apart before each of them and after the last.
"""
import json
import subprocess

SHARED_NS = 270  # of a cache line, there and back, where cores share a cache: most (EPYC 80 to 120, Xeon 190 to 245); elsewhere 300 to 600
NEAR, FAR = "near", "far"
WORDS = {NEAR: "with a cache that both cores share", FAR: "without a cache that both cores share"}


class CoreDistance:
    """Of the first two cores."""

    def __init__(self, build):
        self.program = build / "bench" / "cores_bench"

    def now(self):
        """NEAR or FAR."""
        output = subprocess.run([str(self.program)], capture_output=True, text=True, check=True, timeout=60).stdout
        return NEAR if json.loads(output)["round_trip_ns"] < SHARED_NS else FAR


def runs_by_distance(distance, ways, wanted, most):
    """Results of single runs, each with the cores in one place, until there are enough of one distance: {NEAR: {name: [...]}, FAR: ...}.

    Arguments as of rounds_by_distance. For what is not compared run by run: a short run is seldom disturbed.
    """
    found = {where: {name: [] for name in ways} for where in WORDS}
    before = distance.now()
    for _ in range(most):
        if any(min(map(len, results.values())) >= wanted for results in found.values()):
            break
        for name, run in ways.items():
            result, after = run(), distance.now()
            if after == before:
                found[after][name].append(result)
            before = after
    return found


def rounds_by_distance(distance, ways, wanted, most, known=None):
    """Results of rounds in which the cores did not move, until there are enough of one distance: {NEAR: [...], FAR: [...]}.

    distance: has now(); ways: {name: function without arguments}, all called in each round; a round is {name: result}
    wanted:   rounds of one distance that are enough; after `most` new rounds there are as many as there are
    known:    rounds of an earlier call, which count too
    """
    found = {where: list(known[where]) if known else [] for where in WORDS}
    for _ in range(most):
        if any(len(rounds) >= wanted for rounds in found.values()):
            break
        seen, results = {distance.now()}, {}
        for name, run in ways.items():
            results[name] = run()
            seen.add(distance.now())
        if len(seen) == 1:
            found[seen.pop()].append(results)
    return found
