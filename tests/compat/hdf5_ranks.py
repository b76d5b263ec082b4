#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""HDF5 files that one number of ranks writes and another reads, and mistakes with files.

    hdf5_ranks.py MPIEXEC PROGRAM     prints what is wrong; the exit code says whether there is any
"""

import filecmp
import os
import subprocess
import sys
import tempfile

SECONDS = 40
READERS = {1: (3, 8), 3: (1, 8), 8: (1, 3)}
# What the message has to name, beside the file.
MISTAKES = {"missing_file": ["no_such_file.h5"], "missing_set": ["absent"], "missing_file_of_map": ["no_such_file.h5"],
            "wrong_dim_of_map": ["edge_nodes"],
            "wrong_entries": ["edge_nodes"], "wrong_type": ["'x'"], "unknown_type": ["quadruple", "x"],
            "wrong_dim": ["'x'"], "wrong_size": ["'x'"], "missing_constant": ["absent"],
            "truncated": ["cut.h5"]}
WITHOUT_FILE = ("missing_file", "missing_file_of_map", "unknown_type")  # the type is wrong whatever the file has


def run(command, folder):
    """Exit code (124 or 137: it did not end) and what the job said."""
    done = subprocess.run(["timeout", "-k", "5", str(SECONDS), *command], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def faults_of_trips(launch, folder):
    for writers, readers in READERS.items():
        file = f"from_{writers}.h5"
        code, said = run(launch(writers) + ["write", file], folder)
        if code != 0:
            yield f"written by {writers}: code {code}: {said}"
            return
        for ranks in readers:
            code, said = run(launch(ranks) + ["read", file], folder)
            if code != 0:
                yield f"written by {writers} and read by {ranks}: code {code}: {said}"
        if not filecmp.cmp(f"{folder}/from_1.h5", f"{folder}/{file}", shallow=False):
            yield f"the file of {writers} ranks differs from that of 1"


def faults_of_mistakes(launch, folder):
    with open(f"{folder}/from_1.h5", "rb") as whole, open(f"{folder}/cut.h5", "wb") as cut:
        content = whole.read()
        cut.write(content[:len(content) * 3 // 5])
    for ranks, codes in ((1, (1,)), (3, (66, 69))):  # of errors 2.. and 5..
        for kind, words in MISTAKES.items():
            file = "cut.h5" if kind == "truncated" else "from_1.h5"
            code, said = run(launch(ranks) + ["fail", kind, file], folder)
            wanted = words + ([] if kind in WITHOUT_FILE else [file])
            if code not in codes or "survived" in said or any(word not in said for word in wanted):
                yield f"{kind} on {ranks} ranks: code {code}, wanted {codes} and {wanted}: {said}"


def main():
    mpiexec, program = sys.argv[1:]
    os.environ["OP2_LOG"] = "error"

    def launch(ranks):
        return [mpiexec, "-np", str(ranks), program]

    with tempfile.TemporaryDirectory() as folder:
        faults = [*faults_of_trips(launch, folder)]
        faults += faults_of_mistakes(launch, folder) if os.path.exists(f"{folder}/from_1.h5") else []
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
