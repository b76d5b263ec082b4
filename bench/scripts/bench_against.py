#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the release build of this tree against that of another commit, alternately.

    bench_against.py COMMIT [--rounds 15] [--quick] [--jobs 2] [--only airfoil_bench ...]

COMMIT is built in a git worktree, build/against/base. Every round runs each benchmark three times, in an order that
changes: base, this tree, and base once more. Printed is of every figure the median of the ratios of this tree to base
(above 1: this tree takes more) with its 80 % interval, the same of base to base, and which figures are slower; everything
that was measured is in build/against/figures.jsonl.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import paired_figures
from programs import environment

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "against"
TIMEOUT_S = 900


def json_lines(output, _):
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def whole_process(_, seconds):
    return [{"figure": "the whole process", "seconds": seconds}]


def iterations(output, _):
    """What the example says about the time of its last iterations."""
    times = re.findall(r"^ *\d+ of \d+ .* ([0-9.]+) s$", output, re.MULTILINE)
    return [{"figure": "iterations", "seconds": float(times[-1])}]


@dataclass(frozen=True)
class Benchmark:
    """A program and how it is run; `words` of the quick form replace those of the full one."""

    name: str
    program: str
    words: str
    quick_words: str
    ranks: int = 1
    variables: str = ""
    with_empty_cache: bool = False
    read: object = json_lines

    def target(self):
        return Path(self.program).name

    def command(self, build, quick):
        program = build / self.program
        if not program.exists():  # commits before there was bench/
            program = build / "tests" / self.program
        words = [str(program), *(self.quick_words if quick else self.words).split()]
        return words if self.ranks == 1 else ["mpirun", "-np", str(self.ranks), *words]


AIRFOIL = "examples/airfoil/airfoil"
LARGE, SMALL = "--size 300 400 --iterations 100 --no-check", "--size 100 150 --iterations 100 --no-check"
BENCHMARKS = (
    Benchmark("airfoil_bench", "bench/airfoil_bench", "--rounds 5", "--size 100 150 --iterations 10 --rounds 5"),
    Benchmark("overhead_bench", "bench/overhead_bench", "", ""),
    Benchmark("cg_bench", "bench/cg_bench", "", "--width 300 --rounds 4"),
    Benchmark("stream_bench", "bench/stream_bench", "--chain-only", "--chain-only --size 2000000 --rounds 5"),
    Benchmark("ranks_bench", "bench/ranks_bench", "", "--size 100 150", ranks=2, variables="OP2_THREADS=1"),
    Benchmark("airfoil on 1 rank with 2 threads", AIRFOIL, LARGE, SMALL, variables="OP2_THREADS=2", read=iterations),
    Benchmark("airfoil on 1 rank with 2 threads, --raw", AIRFOIL, LARGE + " --raw", SMALL + " --raw",
              variables="OP2_THREADS=2", read=iterations),
    Benchmark("airfoil on 2 ranks, OP2_CHAIN=off", AIRFOIL, LARGE, SMALL, ranks=2,
              variables="OP2_THREADS=1 OP2_CHAIN=off", read=iterations),
    Benchmark("airfoil on 2 ranks, OP2_CHAIN=on", AIRFOIL, LARGE, SMALL, ranks=2,
              variables="OP2_THREADS=1 OP2_CHAIN=on", read=iterations),
    Benchmark("cold start of airfoil", AIRFOIL, "--size 40 60 --iterations 2 --no-check",
              "--size 40 60 --iterations 2 --no-check", with_empty_cache=True, read=whole_process),
)  # fmt: skip


def run(command, folder, **options):
    return subprocess.run([str(word) for word in command], cwd=folder, check=True, text=True, **options)


def commit_of(name):
    result = subprocess.run(["git", "rev-parse", "--verify", f"{name}^{{commit}}"], cwd=ROOT, capture_output=True,
                            text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"bench_against: '{name}' is not a commit of this repository; give one, e.g. BASE=HEAD~1")
    return result.stdout.strip()


def check_out(commit):
    """The worktree of the base, with this commit in it; its build folder stays from run to run."""
    folder = FOLDER / "base"
    run(["git", "worktree", "prune"], ROOT)
    if not (folder / ".git").exists():
        run(["git", "worktree", "add", "--quiet", "--force", "--detach", folder, commit], ROOT)
    run(["git", "checkout", "--quiet", "--detach", commit], folder)
    return folder


def build(tree, wanted, jobs):
    """Builds those of the wanted targets that the tree has.

    Returns the build folder and their names.
    """
    folder = tree / "build" / "release"
    if not (folder / "build.ninja").exists():
        run(["cmake", "--preset", "release"], tree, stdout=subprocess.DEVNULL)
    listing = run(["cmake", "--build", folder, "--target", "help"], tree, capture_output=True).stdout
    known = set(re.findall(r"^(\S+): phony", listing, re.MULTILINE))
    targets = sorted(wanted & known)
    print(f"building {' '.join(targets)} in {folder}", flush=True)
    result = subprocess.run(["cmake", "--build", folder, "-j", str(jobs), "--target", *targets], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if result.returncode != 0:
        sys.exit(f"{result.stdout[-4000:]}bench_against: {folder} cannot be built")
    return folder, set(targets)


class Side:
    """One of the two builds."""

    def __init__(self, name, folder, targets, caches):
        self.name, self.folder, self.targets, self.cache = name, folder, targets, caches / name

    def has(self, benchmark):
        return benchmark.target() in self.targets

    def measure(self, benchmark, quick):
        """The figures of one run; raises RuntimeError if the program fails."""
        with tempfile.TemporaryDirectory(dir=self.cache.parent) as empty:
            cache = empty if benchmark.with_empty_cache else self.cache
            variables = dict(word.split("=") for word in benchmark.variables.split())
            start = time.perf_counter()
            result = subprocess.run(benchmark.command(self.folder, quick), capture_output=True, text=True, check=False,
                                    timeout=TIMEOUT_S, env={**environment(self.folder, cache), **variables})
            seconds = time.perf_counter() - start
        if result.returncode != 0:
            raise RuntimeError((result.stderr.strip() or f"exit code {result.returncode}").splitlines()[-1])
        return benchmark.read(result.stdout, seconds)


def benchmarks_of(sides, chosen):
    for benchmark in BENCHMARKS:
        lacking = [side.name for side in sides if not side.has(benchmark)]
        if chosen and benchmark.target() not in chosen:
            continue
        if lacking:
            print(f"skipped: {benchmark.name}; {' and '.join(lacking)} cannot build it")
        else:
            yield benchmark


def measure_round(runs, number, benchmark, quick):
    """The figures of the runs, by their number; another of them comes first in every round.

    Raises RuntimeError that names the side which fails.
    """
    figures = {}
    for turn in range(len(runs)):
        which = (turn + number) % len(runs)
        try:
            figures[which] = runs[which].measure(benchmark, quick)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            raise RuntimeError(f"{runs[which].name} failed: {error}") from error
    return [figures[which] for which in range(len(runs))]


def measure_rounds(sides, arguments, log):
    """(benchmark, figures of base, of present, of base once more) of all rounds; what fails once is left out then."""
    runs = [*sides, sides[0]]
    left = list(benchmarks_of(sides, arguments.only))
    for number in range(arguments.rounds):
        print(f"round {number + 1} of {arguments.rounds}, load {os.getloadavg()[0]:.1f}", flush=True)
        for benchmark in list(left):
            try:
                results = measure_round(runs, number, benchmark, arguments.quick)
            except RuntimeError as error:
                print(f"left out: {benchmark.name}; {error}", flush=True)
                left.remove(benchmark)
                continue
            for name, figures in zip(("base", "present", "base again"), results):
                for figure in figures:
                    record = {"benchmark": benchmark.name, "round": number, "run": name, **figure}
                    print(json.dumps(record), file=log, flush=True)
            yield benchmark.name, *results


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit", help="what is measured against")
    parser.add_argument("--rounds", type=int, default=15, help="runs of each benchmark of this tree")
    parser.add_argument("--quick", action="store_true", help="small meshes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilations at a time")
    parser.add_argument("--only", nargs="+", metavar="PROGRAM", help="of these programs alone")
    arguments = parser.parse_args()
    if arguments.rounds < 4:
        parser.error("the range of fewer than 4 rounds holds the median with less than 80 %")
    return arguments


def main():
    arguments = parse()
    commit = commit_of(arguments.commit)
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = {b.target() for b in BENCHMARKS if not arguments.only or b.target() in arguments.only}
    trees = {"base": check_out(commit), "present": ROOT}
    with tempfile.TemporaryDirectory(dir=FOLDER) as caches, open(FOLDER / "figures.jsonl", "w", encoding="ascii") as log:
        sides = [Side(name, *build(tree, wanted, arguments.jobs), Path(caches)) for name, tree in trees.items()]
        present = run(["git", "describe", "--always", "--dirty", "--abbrev=40"], ROOT, capture_output=True).stdout.strip()
        print(json.dumps({"base": commit, "present": present, "quick": arguments.quick}), file=log)
        comparisons = paired_figures.compare(measure_rounds(sides, arguments, log))
        for comparison in comparisons:
            print(json.dumps(comparison.as_record()), file=log)
    print(paired_figures.table(comparisons))
    print(paired_figures.summary(comparisons))
    print(f"all figures are in {FOLDER.relative_to(ROOT)}/figures.jsonl")


if __name__ == "__main__":
    main()
