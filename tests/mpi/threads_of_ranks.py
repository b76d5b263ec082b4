#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""threads_of_ranks.py MPIRUN FLAG PROGRAM: how many threads ranks have on machines that hwloc is told of, and on which processors."""
import os
import re
import subprocess
import sys

mpirun, flag, program = sys.argv[1:]
NODE = "pack:1 l3:1(size=33554432) core:8 pu:1"
SECOND = "pack:1 l3:1(size=33554432) core:8 pu:1(indexes=8,9,10,11,12,13,14,15)"
CASES = [  # the machine that each rank sees, processors of each rank, MiB of the shared cache
    (["pack:1 core:8 pu:2"] * 2, ["0,2,4,6", "8,10,12,14"], 16),
    ([NODE] * 4, ["0-1", "2-3", "4-5", "6-7"], 8),  # a part of a node, which a control group has cut out
    ([NODE, SECOND, NODE, SECOND], ["0-3", "8-11", "4-7", "12-15"], 16),  # bound to sockets
    ([NODE] * 2, ["0-3", "4-7"], 16),
]


def lines_of(machines):
    command = [mpirun]
    for machine in machines:
        command += [] if len(command) == 1 else [":"]
        command += [flag, "1", "env", f"HWLOC_SYNTHETIC={machine}", program, "same"]
    environment = {name: value for name, value in os.environ.items() if name != "OP2_THREADS"}
    result = subprocess.run(command, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**environment, "OP2_LOG": "info"})
    assert result.returncode == 0, result.stdout
    return re.findall(r"rank (\d+): (\d+) threads? on processors? (\S+), caches .*, (\S+) MiB shared", result.stdout)


for machines, processors, cache in CASES:
    threads = [sum(int(b or a) - int(a) + 1 for a, b in re.findall(r"(\d+)(?:-(\d+))?", text)) for text in processors]
    expected = [(str(rank), str(threads[rank]), processors[rank], str(cache)) for rank in range(len(machines))]
    found = lines_of(machines)
    assert found == expected, (machines, found, expected)
