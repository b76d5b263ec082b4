#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Planted mistakes in halo exchanges: Airfoil on two ranks, each with an emulated device, of which rank 0 leaves
out one of its waits. The device, the other rank or the residual notices each that has something to wait for.

usage: omitted_waits_on_ranks.py airfoil mpiexec"""
import os
import re
import subprocess
import sys

# An exchange makes streams wait four times:
#   1  packing for the loops before it. Not needed if the host has waited for the result of one of them.
#   2  later loops for packing, before they change the rows. Not needed if the boundary phase is the first that does,
#      which comes after wait 4.
#   3  unpacking for the loops before it. Never needed by itself: what reads ghost rows is older than wait 1 of this
#      exchange, and the interior phase leaves them alone.
#   4  later loops for unpacking.
# With OP2_CHAIN=on there are two exchanges (wait 1 has nothing to wait for, and before the second one the device has
# changed no rows that wait 6 would protect); with off more follow.
STREAMS_ON, STREAMS_OFF = [2, 4, 5, 8], [4, 5, 8]

# The host waits before it sends what was packed and, if MPI writes to the device, for the headers that have arrived;
# for values of globals before it overwrites them (there are none yet), and for the last residual.
HOST_STAGED, HOST_IN_PLACE = [2, 4, 5], [2, 3, 5, 6, 7]

# Messages in pinned memory of the host, and on the device, where MPI may access them.
STAGED, IN_PLACE = {"OP2_GPU_MPI": "off"}, {"OP2_GPU_MPI": "on", "OP2_EMU_HOST": "open"}
CASES = [({"OP2_CHAIN": "on", **STAGED}, {"cuStreamWaitEvent": STREAMS_ON, "cuEventSynchronize": HOST_STAGED}),
         ({"OP2_CHAIN": "on", **IN_PLACE}, {"cuStreamWaitEvent": STREAMS_ON, "cuEventSynchronize": HOST_IN_PLACE}),
         ({"OP2_CHAIN": "off", **STAGED}, {"cuStreamWaitEvent": STREAMS_OFF}),
         ({"OP2_CHAIN": "off", **IN_PLACE}, {"cuStreamWaitEvent": STREAMS_OFF})]


class Job:
    """Airfoil on two ranks."""

    def __init__(self, airfoil, mpiexec):
        program = [airfoil, "--size", "8", "10", "--iterations", "3", "--no-check"]
        self.parts = [[mpiexec, "-np", "1", "env"], [*program, ":", "-np", "1", *program]]

    def run(self, switches, omitted):
        """The last residual; "an error"; None if the program does not end."""
        environment = {**os.environ, "OP2_TARGET": "cuda", "OP2_GPU_INC": "rows", "OP2_THREADS": "1",
                       "OP2_EMU_ORDER": "lazy", **switches}
        command = [*self.parts[0], f"OP2_EMU_OMIT={omitted}", *self.parts[1]]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return None
        found = re.search(r"3 of 3 +residual ([0-9.e+-]+)", done.stdout)
        return found[1] if found and done.returncode == 0 else "an error"


def main():
    job = Job(*sys.argv[1:])
    tried = faults = 0
    for switches, waits in CASES:
        expected = job.run(switches, "none:1")
        if expected in (None, "an error"):
            sys.exit(f"the program fails with all its waits, {switches}")
        for function, calls in waits.items():
            for call in calls:
                tried += 1
                got = job.run(switches, f"{function}:{call}")
                if got in (None, expected):
                    faults += 1
                    print(f"{switches}, {function} {call}: {'not noticed' if got else 'the job does not end'}")
    print(f"of {tried} waits that rank 0 leaves out, {tried - faults} are noticed")
    sys.exit(faults > 0)


main()
