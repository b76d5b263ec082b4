#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""timing_of_ranks.py MPIRUN FLAG RANKS PROGRAM: the table of OP2_TIMING has the least, mean and longest time of the ranks,
which differ, the parts add up to the wall time, reductions that send messages are counted, and a hyphen prints it once.
"""
import json
import os
import subprocess
import sys
import tempfile

mpirun, flag, ranks, program = sys.argv[1:]


def run(timing):
    return subprocess.run([mpirun, flag, ranks, program, "reduces"], check=True, timeout=60, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "OP2_TIMING": timing}).stdout


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "timing.json")
    run(path)
    with open(path, encoding="utf-8") as file:
        table = json.load(file)
assert table["ranks"] == int(ranks), table["ranks"]
loops = [loop for loop in table["loops"] if loop["seconds"] > 0]
assert loops, table
for loop in loops:
    least, mean, most = loop["seconds_min"], loop["seconds_mean"], loop["seconds"]
    assert 0 <= least <= mean * (1 + 1e-12) and mean <= most * (1 + 1e-12), loop
    assert least + (int(ranks) - 1) * most >= int(ranks) * mean * (1 - 1e-12), loop
    assert int(ranks) * mean >= most + (int(ranks) - 1) * least * (1 - 1e-12), loop
assert any(loop["seconds_min"] < loop["seconds"] for loop in loops), loops
wall, parts = table["wall_seconds_mean"], table["parts"]
assert abs(sum(part["seconds_mean"] for part in parts) - wall) <= 1e-9 * wall, (wall, parts)
assert table["wall_seconds_min"] <= wall <= table["wall_seconds"], table
for part in parts:
    assert 0 <= part["seconds_min"] <= part["seconds_mean"] * (1 + 1e-12) <= part["seconds"] * (1 + 2e-12), part
assert {"packing", "messages", "plans", "loops"} <= {part["part"] for part in parts}, parts
memory = {row["memory"]: row for row in table["memory"]}
for row in memory.values():
    assert 0 <= row["bytes_min"] <= row["bytes_mean"] * (1 + 1e-12) <= row["bytes"] * (1 + 2e-12), row
assert memory["of these, halo rows"]["bytes"] < memory["dats"]["bytes"] + memory["maps"]["bytes"], memory
assert memory["peak of the process"]["bytes"] > memory["dats"]["bytes"] > 0, memory
assert any(loop.get("flops", 0) > 0 for loop in loops), loops
printed = run("-")
sent = [part["entries"] for part in parts if part["part"] == "reductions"]
assert sent == [1] and f"\nReductions: {sent[0]} over {ranks} ranks\n" in printed, (sent, printed)
assert printed.count("\ntotal ") == 1 and printed.count("JIT: ") == 1, printed
assert printed.count("\nwall time ") == 1, printed
