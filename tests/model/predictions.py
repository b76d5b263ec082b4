# SPDX-License-Identifier: BSD-3-Clause
"""Runs Airfoil on one rank and predicts many ranks with op2-model: with given costs of its loops, or with recorded ones."""

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
        self.inputs = []  # of each prediction: its options, and the contents of its files by name

    def run(self, command, **variables):
        done = subprocess.run([str(word) for word in command], env={**os.environ, **variables},
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def record(self, name, size, iterations, launcher=(), **variables):
        """The record of a run with its own costs.
        @param launcher  words before the program"""
        path = self.folder / f"{name}_{iterations}.json"
        self.run([*launcher, self.airfoil, "--size", *size, "--no-check", "--iterations", iterations],
                 OP2_MODEL=str(path), OP2_THREADS="1", **variables)
        return path

    def given_costs(self):
        """As a record has them."""
        return [{"loops": [loop], "way": "alone", "calls": 1, "elements": 1, "seconds": seconds}
                for loop, seconds in self.costs.items() if loop not in ("packed_row", "received_byte")]

    def records(self, name, size, costs=None, **variables):
        """Of 100 and of 200 iterations, so that the start can be subtracted; with these costs, not what they took."""
        paths = [self.record(name, size, iterations, **variables) for iterations in (100, 200)]
        for path in paths:
            record = json.loads(path.read_text())
            record["costs"] = self.given_costs() if costs is None else costs
            record["host"] = []
            path.write_text(json.dumps(record))
        return paths

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

    def totals(self, record, cuts, machine, *options):
        """Seconds of the run: {ranks: {chain: seconds}}."""
        table = self.folder / "prediction.csv"
        files = {Path(path).name: Path(path).read_text() for path in (record, *cuts, machine)}
        self.inputs.append((list(map(str, options)), files))
        self.run([self.tool, "predict", record, *cuts, machine, *options, "--csv", table])
        totals = {}
        with open(table, encoding="ascii") as lines:
            for row in csv.DictReader(lines):
                if row["kind"] == "total":
                    totals.setdefault(int(row["ranks"]), {})[row["chain"]] = float(row["seconds"])
        return totals

    def seconds_per_iteration(self, records, cuts, machine, *options):
        """Without the start, as the measured figures are."""
        few, many = (self.totals(record, cuts, machine, *options) for record in records)
        return {ranks: {chain: (many[ranks][chain] - few[ranks][chain]) / 100 for chain in many[ranks]}
                for ranks in many}


def airfoil_costs(path):
    """Seconds of an iteration of each loop, a packed row and a received byte."""
    with open(path, encoding="ascii") as lines:
        return json.loads(lines.readline())["costs"]["airfoil"]
