#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Damaged mesh files of all formats: op2-mesh ends with a message, or writes a file that is right.

    test_mutants.py OP2_MESH [--count N] [--seed N]

Each mutant is converted in a separate process, in limited time. Its memory is that of a good file of this size and not
much more, whatever numbers the mutant has.
"""
import argparse
import os
import re
import resource
import signal
import sys
import tempfile
import time

import h5py
import mesh_files
import numpy as np
import sample_meshes as sample

from op2_mesh import command

SECONDS = 60
MOST_MIB = 300  # resident, of which 60 are Python and the readers
NUMBERS = [b"0", b"-1", b"1", b"7", b"99", b"2147483647", b"-2147483648", b"4294967296", b"9223372036854775807",
           b"1e300", b"nan", b"inf", b"0.5", b"1e9", b"zero", b"", b"18446744073709551615"]
WORDS = [np.array(value, kind).tobytes() for kind in ("<i4", "<i8") for value in (0, -1, 1, 99, 2**31 - 1, -2**31)]
WORDS += [np.array(value, "<i8").tobytes() for value in (2**40, 2**62, -2**62)]
WORDS += [np.array(value, "<f8").tobytes() for value in (np.nan, np.inf, 1e300, -0.0)]


def _bytes(data, random):
    data = bytearray(data)
    for place in random.integers(len(data), size=random.integers(1, 6)):
        data[place] = random.integers(256)
    return bytes(data)


def _word(data, random):
    place = int(random.integers(len(data)))
    word = WORDS[random.integers(len(WORDS))]
    return data[:place] + word + data[place + len(word):]


def _number(data, random):
    found = list(re.finditer(rb"(?<![\w.])-?\d[\d.e+-]*", data))
    if not found:
        return _word(data, random)
    # Half of the changes in the first lines, where counts are.
    number = found[random.integers(min(len(found), 200) if random.random() < 0.5 else len(found))]
    return data[:number.start()] + NUMBERS[random.integers(len(NUMBERS))] + data[number.end():]


def _cut(data, random):
    return data[:random.integers(1, len(data))]


def _removed(data, random):
    begin = int(random.integers(len(data)))
    return data[:begin] + data[begin + int(random.integers(1, 200)):]


def _repeated(data, random):
    begin = int(random.integers(len(data)))
    end = begin + int(random.integers(1, 200))
    return data[:end] + data[begin:]


def _exchanged(data, random):
    lines = data.split(b"\n")
    one, other = random.integers(len(lines), size=2)
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


MUTATIONS = [_bytes, _word, _number, _number, _cut, _removed, _repeated, _exchanged]


def originals(folder):
    """(ending, bytes) of good files of all formats."""
    random = np.random.default_rng(7)
    for source in (sample.mixed(3, 2, random), sample.box(2, "tetra"), sample.mixed(2, 3, random)):
        for ending, writer in mesh_files.WRITERS.items():
            if ending == "a.inp" and any(block.kind == "pyramid" for block in source.blocks):
                continue  # meshio knows no pyramids in Abaqus
            path = os.path.join(folder, ending)
            writer(path, source)
            with open(path, "rb") as file:
                yield ending, file.read()


def convert(path, output, said):
    """(exit code, peak of the memory in MiB) of a process that converts; killed after SECONDS."""
    child = os.fork()
    if child == 0:
        handle = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        os.setpgid(0, 0)
        os._exit(command.main(["convert", path, output]))
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024
        time.sleep(0.002)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None, 0


def is_right(output):
    """Whether the written maps and volumes are such that a program can use them."""
    with h5py.File(output) as file:
        sizes = {name: int(file[name][0]) for name in ("nodes", "cells", "faces")}
        volume, maps = file["cell_volume"][:], [("face_cells", "cells"), ("cell_nodes", "nodes"), ("boundary_cell", "cells")]
        inside = all(file[name].size == 0 or (file[name][:].min() >= 0 and file[name][:].max() < sizes[to]) for name, to in maps)
        return inside and bool((volume > 0).all() and np.isfinite(file["x"][:]).all())


def fault(code, memory, text, output):
    """What is wrong with how a mutant was handled, or None."""
    if code is None:
        return f"did not end in {SECONDS} s"
    if code not in (0, 1, 2):
        return f"exit code {code}"
    if "Traceback" in text:
        return "a trace back"
    if memory > MOST_MIB:
        return f"{memory:.0f} MiB"
    if code and (not re.search(r"^op2-mesh: .*; ", text, re.MULTILINE) or os.path.exists(output)):
        return "no message, or a file in spite of it"
    if code == 0 and not is_right(output):
        return "a wrong file"
    return None


def run(count, seed):
    random = np.random.default_rng(seed)
    codes, most, faults, crashes, kinds = {0: 0, 1: 0, 2: 0}, 0, 0, 0, {}
    with tempfile.TemporaryDirectory() as folder:
        files = list(originals(folder))
        output, said = os.path.join(folder, "out.h5"), os.path.join(folder, "said.txt")
        for index in range(count):
            ending, data = files[index % len(files)]
            mutation = MUTATIONS[random.integers(len(MUTATIONS))]
            path = os.path.join(folder, ending)
            with open(path, "wb") as file:
                file.write(mutation(data, random))
            code, memory = convert(path, output, said)
            with open(said, encoding="utf-8", errors="replace") as file:
                text = file.read()
            why = fault(code, memory, text, output)
            if why:
                faults += 1
                print(f"mutant {index} of seed {seed}, {ending}, {mutation.__name__}: {why}\n{text[-2000:]}")
            codes[code] = codes.get(code, 0) + 1
            kinds[ending] = kinds.get(ending, 0) + 1
            crashes += "has crashed" in text
            most = max(most, memory)
            if os.path.exists(output):
                os.unlink(output)
    print(f"checked {count} random damaged files of {len(kinds)} formats: {codes[0]} converted, {codes[1]} with errors, "
          f"{codes[2]} refused, of which {crashes} crashed a reader; at most {most:.0f} MiB")
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import meshio  # noqa: F401, once for all mutants
    import netCDF4  # noqa: F401
    return 1 if run(options.count, options.seed) else 0


if __name__ == "__main__":
    sys.exit(main())
