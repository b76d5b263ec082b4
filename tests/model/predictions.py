# SPDX-License-Identifier: BSD-3-Clause
"""Runs Airfoil once on one rank, replaces what its loops took by given costs, and predicts many ranks with op2-model."""

import csv
import json
import os
import subprocess
from pathlib import Path

MICRO = {"latency_us": 0, "overhead_us": 0, "bandwidth_GBs": 1e6}


class Predictor:
    """Predictions for Airfoil in a folder."""

    def __init__(self, tool, airfoil, folder, costs):
        self.tool, self.airfoil, self.folder, self.costs = tool, airfoil, Path(folder), costs

    def run(self, command, **variables):
        done = subprocess.run([str(word) for word in command], env={**os.environ, **variables},
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def record(self, name, size, iterations):
        """The record of a run, with the given costs."""
        path = self.folder / f"{name}_{iterations}.json"
        self.run([self.airfoil, "--size", *size, "--no-check", "--iterations", iterations],
                 OP2_MODEL=str(path), OP2_THREADS="1")
        record = json.loads(path.read_text())
        record["costs"] = [{"loops": [loop], "way": "alone", "calls": 1, "elements": 1, "seconds": seconds}
                           for loop, seconds in self.costs.items() if loop not in ("packed_row", "received_byte")]
        path.write_text(json.dumps(record))
        return path

    def records(self, name, size):
        """Of 100 and of 200 iterations, so that the start can be subtracted."""
        return [self.record(name, size, iterations) for iterations in (100, 200)]

    def cut(self, record, parts):
        self.run([self.tool, "cut", record, "-P", ",".join(map(str, parts)), "--folder", self.folder])
        return {count: self.folder / f"cut_{count}.json" for count in parts}

    def machine(self, name, link, **more):
        path = self.folder / f"machine_{name}.json"
        path.write_text(json.dumps({
            "form": "libop2 machine", "version": 1, "origin": name, "ranks_per_node": 0,
            "messages_per_neighbour": 1, "on_node": link, "pack_ns_per_row": 1e9 * self.costs["packed_row"],
            "pack_ns_per_byte": 0, "unpack_ns_per_byte": 1e9 * self.costs["received_byte"], **more}))
        return path

    def totals(self, record, cuts, machine, scale=1):
        """Seconds of the run: {ranks: {chain: seconds}}."""
        table = self.folder / "prediction.csv"
        self.run([self.tool, "predict", record, *cuts, machine, "--scale", repr(scale), "--csv", table])
        totals = {}
        with open(table, encoding="ascii") as lines:
            for row in csv.DictReader(lines):
                if row["kind"] == "total":
                    totals.setdefault(int(row["ranks"]), {})[row["chain"]] = float(row["seconds"])
        return totals

    def seconds_per_iteration(self, records, cuts, machine, scale=1):
        """Without the start, as the measured figures are."""
        few, many = (self.totals(record, cuts, machine, scale) for record in records)
        return {ranks: {chain: (many[ranks][chain] - few[ranks][chain]) / 100 for chain in many[ranks]}
                for ranks in many}


def airfoil_costs(path):
    """Seconds of an iteration of each loop, a packed row and a received byte."""
    with open(path, encoding="ascii") as lines:
        return json.loads(lines.readline())["costs"]["airfoil"]
