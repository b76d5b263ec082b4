#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints beside `dd conv=fdatasync` of the same bytes into the same folder.

    bench_checkpoint.py build/release [--folder FOLDER] [--megabytes 512] [--rounds 5] [--ranks 1 2]

Each round writes one checkpoint and one copy by dd, in an order that changes, first where no file is, then over the
files of the last round. What dd reads is in memory. All figures are printed, then a table of medians.
"""
import argparse
import json
import re
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from programs import environment

TIMEOUT_S = 300


def checkpoint(command, variables, file):
    done = subprocess.run([*command, str(file)], env=variables, capture_output=True, text=True, timeout=TIMEOUT_S,
                          check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def dd(source, target):
    """Seconds from its start to its end, and as it prints them, without emptying an old file. The source is read before."""
    with source.open("rb") as file:
        while file.read(1 << 24):
            pass
    begin = time.monotonic()
    done = subprocess.run(["dd", f"if={source}", f"of={target}", "bs=1M", "conv=fdatasync"], capture_output=True,
                          text=True, timeout=TIMEOUT_S, check=True, env={"LC_ALL": "C"})
    seconds = time.monotonic() - begin
    return {"dd_s": round(seconds, 4), "dd_prints_s": float(re.search(r"copied, ([0-9.e-]+) s", done.stderr).group(1))}


class Case:
    def __init__(self, build, folder, ranks, megabytes):
        self.ranks = ranks
        program = [str(build / "bench/checkpoint_bench"), "--megabytes", str(megabytes)]
        self.command = program if ranks == 1 else ["mpirun", "-np", str(ranks), *program]
        self.variables = {**environment(build, folder / "cache"), "OP2_THREADS": "1"}
        self.file, self.copy, self.source = (folder / name for name in ("a.ckpt", "a.dd", "source"))

    def prepare(self):
        """Compiles the kernel, and makes what dd reads."""
        checkpoint(self.command, self.variables, self.source)

    def one(self, is_new, dd_first):
        if is_new:
            self.file.unlink(missing_ok=True)
            self.copy.unlink(missing_ok=True)
        found = {}
        for step in ("dd", "checkpoint") if dd_first else ("checkpoint", "dd"):
            if step == "dd":
                found.update(dd(self.source, self.copy))
            else:
                found.update(checkpoint(self.command, self.variables, self.file))
        return {"ranks": self.ranks, "file": "new" if is_new else "replaced", **found,
                "of_dd": round(found["dd_s"] / found["write_s"], 3)}


def table(figures):
    lines = ["| ranks | file | checkpoint, s | dd, s | dd prints, s | of the speed of dd | each round |",
             "|---|---|---|---|---|---|---|"]
    for ranks, file in dict.fromkeys((f["ranks"], f["file"]) for f in figures):
        rows = [f for f in figures if (f["ranks"], f["file"]) == (ranks, file)]
        ours, theirs, printed = (median(f[name] for f in rows) for name in ("write_s", "dd_s", "dd_prints_s"))
        each = " ".join(f"{f['of_dd']:.2f}" for f in rows)
        speed = median(f["of_dd"] for f in rows)
        lines.append(f"| {ranks} | {file} | {ours:.3f} | {theirs:.3f} | {printed:.3f} | {speed:.2f} | {each} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--folder", help="on the disk to be measured")
    parser.add_argument("--megabytes", type=float, default=512)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    figures = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for ranks in options.ranks:
            case = Case(options.build.resolve(), Path(folder), ranks, options.megabytes)
            case.prepare()
            for number in range(options.rounds):
                for is_new in (True, False):
                    figures.append(case.one(is_new, number % 2 == 1))
                    print(json.dumps(figures[-1]), flush=True)
    print(table(figures))


if __name__ == "__main__":
    main()
