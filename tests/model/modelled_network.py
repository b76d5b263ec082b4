#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""op2-model against ranks on a modelled network (bench/netmodel), which count operations and messages: Airfoil.

    modelled_network.py op2-model airfoil bench/results/scaling.jsonl libnetmodel.so mpiexec          some points
    modelled_network.py op2-model airfoil bench/results/scaling.jsonl libnetmodel.so mpiexec --all    those of bench/results/scaling.md

The prediction does not know the costs of loops. It gets records of one rank with meshes of other sizes on the same clock,
as the library executes them and with each loop by itself, as from a machine; an iteration in tiles takes less. It knows the
network. First all have equal blocks, so that owners are the same on both sides; then cuts are those of Scotch, and ranks have
cut by PT-Scotch, which balances otherwise.
"""
import math
import os
import re
import sys
import tempfile

from predictions import MICRO, Predictor, airfoil_costs

FEW = {"latency_us": 2, "overhead_us": 0.3, "bandwidth_GBs": 10}
LINKS = {0: MICRO, 2: FEW, 50: {**FEW, "latency_us": 50}}
SOME = [(2, 700), (4, 700), (4, 2800)]
ALL = [(2, 700), (4, 700), (8, 700), (16, 180), (16, 700), (16, 2800), (16, 11000)]  # ranks, cells of each
CALIBRATED = ((20, 20), (60, 60))  # meshes of one rank: 1 200 and 10 800 cells
TILES = {"OP2_TILE": "200"}  # elements; meshes this small would have none
WAYS = {"plain": TILES, "untiled": {"OP2_DEBUG": "no_tile"}, "unfused": {**TILES, "OP2_DEBUG": "no_fuse"}, "apart": {"OP2_DEBUG": "no_fuse,no_tile"}}
TILED = 0.8  # of the time of an iteration, if it is in a tile
LIMITS = {"block": (0.005, 0.01), "ptscotch": (0.03, 0.06)}  # of the median and of the largest error, by what cuts


class Ranks:
    """Runs on the modelled network."""

    def __init__(self, predictor, library, mpiexec):
        self.predictor, self.library, self.mpiexec = predictor, library, mpiexec
        self.costs = predictor.folder / "costs.txt"
        self.costs.write_text("".join(f"{name} {seconds} {TILED * seconds}\n" for name, seconds in predictor.costs.items()))

    def launcher(self, ranks, link):
        model = {"LD_PRELOAD": self.library, "NETMODEL_COSTS": self.costs, "NETMODEL_LATENCY_US": link["latency_us"],
                 "NETMODEL_OVERHEAD_US": link["overhead_us"],
                 "NETMODEL_BANDWIDTH_GBS": 0 if link is MICRO else link["bandwidth_GBs"]}
        return ["timeout", "-k", "5", "240", self.mpiexec, "-n", ranks, "env", *(f"{name}={value}" for name, value in model.items())]

    def records_of_costs(self):
        """Of one rank, in both ways and of all sizes."""
        return [self.predictor.record(f"costs_{size[0]}_{way}", size, 100, self.launcher(1, MICRO), **variables, NETMODEL_ALONE="1")
                for size in CALIBRATED for way, variables in WAYS.items()]

    def seconds_per_iteration(self, ranks, size, link, chain):
        """Between the first and the second hundredth iteration."""
        output = self.predictor.run([*self.launcher(ranks, link), self.predictor.airfoil, "--size", *size, "--no-check",
                                     "--iterations", 200], OP2_CHAIN=chain, OP2_THREADS="1", **TILES)
        times = [float(seconds) for seconds in re.findall(r"residual .* ([\d.]+) s$", output, re.MULTILINE)]
        return (times[1] - times[0]) / 100


def compare(predictor, on_ranks, points):
    """Measured and predicted seconds, by ranks, cells, latency and chain."""
    found = {}
    costs = ["--costs", *on_ranks.records_of_costs()]
    for ranks, cells in points:
        side = round(math.sqrt(cells * ranks / 3))  # a C-grid of I x J has 3 I J cells
        records = predictor.records(f"run_{ranks}_{cells}", (side, side), costs=[], **TILES)
        cuts = predictor.cut(records[0], [ranks]).values()
        for latency, link in LINKS.items():
            machine = predictor.machine(f"{latency}us", link)
            predicted = predictor.seconds_per_iteration(records, cuts, machine, *costs)[ranks]
            for chain in ("off", "on"):
                measured = on_ranks.seconds_per_iteration(ranks, (side, side), link, chain)
                found[ranks, cells, latency, chain] = measured, predicted[chain]
                print(f"{ranks:3} ranks {cells:6} cells {latency:3} us {chain:3}: measured {1e6 * measured:8.1f} us, "
                      f"predicted {1e6 * predicted[chain]:8.1f}, {100 * (predicted[chain] / measured - 1):+5.1f} %",
                      flush=True)
    return found


def wrong_choices(found):
    """Where the model would choose the slower of off and on: the measured ratio."""
    wrong = {}
    for ranks, cells, latency in {key[:3] for key in found}:
        off, on = (found[ranks, cells, latency, chain] for chain in ("off", "on"))
        if (off[0] < on[0]) != (off[1] < on[1]):
            wrong[ranks, cells, latency] = off[0] / on[0]
    return wrong


def check(found, partitioner):
    """Limits of one way to cut."""
    errors = {key: abs(predicted / measured - 1) for key, (measured, predicted) in found.items()}
    sizes = sorted(errors.values())
    most_median, most = LIMITS[partitioner]
    median = sizes[len(sizes) // 2]
    wrong = wrong_choices(found)
    print(f"{partitioner}, {len(sizes)} points: median {100 * median:.1f} %, 90 % {100 * sizes[int(0.9 * len(sizes))]:.1f} %, "
          f"largest {100 * sizes[-1]:.1f} %; choice of chains wrong at {len(wrong)} of {len(sizes) // 2}: {wrong}", flush=True)
    # A choice may be wrong only where both ways take the same within the error of the model.
    return median <= most_median and sizes[-1] <= most and all(abs(ratio - 1) < most for ratio in wrong.values())


def main(tool, airfoil, scaling, library, mpiexec, which=""):
    kept = True
    for partitioner in LIMITS:
        os.environ["OP2_PARTITIONER"] = partitioner  # of records and of ranks
        with tempfile.TemporaryDirectory() as folder:
            predictor = Predictor(tool, airfoil, folder, airfoil_costs(scaling))
            found = compare(predictor, Ranks(predictor, library, mpiexec), ALL if which == "--all" else SOME)
        kept = check(found, partitioner) and kept
    assert kept


if __name__ == "__main__":
    main(*sys.argv[1:])
