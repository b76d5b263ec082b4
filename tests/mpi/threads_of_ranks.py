#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""threads_of_ranks.py MPIRUN FLAG HOW_MANY: how many threads ranks have, and where, on machines that hwloc is told of.

The system's control groups are hidden by a folder. Where that is not allowed, the case with a limit is left out.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

mpirun, flag, program = sys.argv[1:]
NODE = "pack:1 l3:1(size=33554432) core:8 pu:1"
SECOND = "pack:1 l3:1(size=33554432) core:8 pu:1(indexes=8,9,10,11,12,13,14,15)"
HALF = "pack:1 l3:1(size=33554432) core:4 pu:1"
SMT = "pack:1 l3:1(size=33554432) core:8 pu:2"


def ranks(*processors, threads):
    return [f"rank {rank} has {threads} threads on processors {where}" for rank, where in enumerate(processors)]


CASES = [  # the machine that each rank sees, what is said, MiB of the shared cache, and what else is set
    ([SMT] * 2, ranks("0,2,4,6", "8,10,12,14", threads=4), 16, {}),
    ([NODE] * 4, ranks("0-1", "2-3", "4-5", "6-7", threads=2), 8, {}),  # a part of a node, of a control group
    ([NODE, SECOND, NODE, SECOND], ranks("0-3", "8-11", "4-7", "12-15", threads=4), 16, {}),  # bound to sockets
    ([NODE] * 2, ["each of ranks 0-1 has 2 threads on any of processors 0-7 by a limit of processor time"], 16,
     {"limit": 4}),
    ([NODE] * 2, ranks("0-3", "4-7", threads=4), 16, {}),
    ([NODE, HALF], ranks("4-7", "0-3", threads=4), 16, {}),
    ([SMT] * 2, ranks("0-7", "8-15", threads=8), 16, {"OP2_THREADS": "8"}),
    ([NODE] * 2, ["4 threads on processors 0-3", "4 threads on processors 4-7"], 16, {"OP2_MPI": "off"}),
    ([NODE] * 4, ranks("0-1", "4-5", threads=2) + ranks("2-3", "6-7", threads=2), 8, {"how": "halves"}),
]


def hidden(groups, command):
    """The command where a folder is all that it sees of control groups."""
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount --bind "$0" /sys/fs/cgroup && exec "$@"', groups,
            *command]


def launched(machines, how):
    command = [mpirun]
    for machine in machines:
        command += [] if len(command) == 1 else [":"]
        command += [flag, "1", "env", f"HWLOC_SYNTHETIC={machine}", program, *how]
    return command


def found(command, switches):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OP2_THREADS", "OMP_"))}
    environment |= {"OP2_LOG": "info", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    result = subprocess.run(command, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env=environment | switches)
    assert result.returncode == 0, result.stdout
    return re.findall(r"op2 info: libop2 \S+: (.*), caches .*, (\S+) MiB shared", result.stdout)


with tempfile.TemporaryDirectory() as groups:
    can_hide = subprocess.run(hidden(groups, ["true"]), stderr=subprocess.PIPE, check=False).returncode == 0
    for machines, texts, cache, settings in CASES:
        switches = {name: value for name, value in settings.items() if name.startswith("OP2")}
        how = [settings["how"]] if "how" in settings else []
        command = launched(machines, how)
        limit = settings.get("limit")
        if limit and not can_hide:
            print("not tested: a limit of processor time, since control groups cannot be hidden")
            continue
        (pathlib.Path(groups) / "cpu.max").write_text(f"{100000 * limit} 100000\n" if limit else "max 100000\n")
        lines = found(hidden(groups, command) if can_hide else command, switches)
        assert sorted(lines) == sorted((text, str(cache)) for text in texts), (machines, settings, lines)
