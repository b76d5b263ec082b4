#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs with OP2_REPRODUCIBLE=on in many configurations, and compares what they print and the files
that they write, byte by byte.

    same_bits.py [--count N] [--seed N] [--jobs N] [--emulator FILE] PROGRAM MPIEXEC

Every program and numbering of its mesh has one right hash, on all processors: that in hashes.txt, which
UPDATE_HASHES=1 replaces by what is found. Without --count all configurations are run: the full product
of ranks, threads, chains and tiles for each program and each numbering, and for each of them random values of the other
switches. With it that many of each program, shared out among the numberings; `--count 0` is each program and numbering
on one rank and on two. Two runs are without the mode, and must
differ.
With an emulated GPU (tests/support/gpu) some runs of each program are also made there.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import os
import pathlib
import random
import subprocess
import sys
import tempfile

PROBLEMS = ("airfoil", "conjugate_gradients", "relaxation", "tetrahedra")
NUMBERINGS = ("given", "reversed", "shuffled")
PRODUCT = {
    "ranks": (1, 2, 3, 4, 7, 8),
    "OP2_THREADS": (1, 2, 3),
    "OP2_CHAIN": ("off", "on"),
    "OP2_TILE": ("off", "auto", "40", "shuffled"),
}
OTHERS = {
    "OP2_PARTITIONER": ("ptscotch", "rcb", "block", "random"),
    "OP2_SIMD": ("auto", "on"),
    "OP2_RENUMBER": ("auto", "on", "off"),
    "OP2_REDUCE": ("auto", "flat", "node"),
    "OP2_JIT_CPU": ("x86-64-v2", "x86-64-v3", "x86-64-v4"),
    "OP2_CHECK": ("", "", "bits"),
    "OP2_DEBUG": ("", "queue_max=1", "no_fuse,queue_max=5", "keep_dead,node_size=2,queue_max=1000", "no_simd,node_size=3"),
}
CONTRACTION = {"given": "auto", "reversed": "off", "shuffled": "on"}  # changes bits, like the numbering
FLAGS = {"x86-64-v2": "sse4_2", "x86-64-v3": "avx2", "x86-64-v4": "avx512vl", "": ""}
HASHES = pathlib.Path(__file__).parent / "hashes.txt"
SECONDS = 120  # of one run
LEAST = 2  # runs of each program and numbering: one is compared with nothing

# On GPUs, whose compilers contract by other rules.
ORDERS = ("lazy", "eager", "others", "reversed", "random:1", "random:2")
ON_GPU = {"some": 1, "all": 12}  # runs of each program

Run = collections.namedtuple("Run", "problem numbering configuration")


def has_level(level):
    """Whether this processor can execute code for a level of x86-64."""
    try:
        return FLAGS[level] in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False


def full_product(generator):
    """For each program and each numbering every entry of the product, with random values of the others."""
    runs = []
    for problem, numbering in itertools.product(PROBLEMS, NUMBERINGS):
        for entry in itertools.product(*PRODUCT.values()):
            configuration = dict(zip(PRODUCT, entry))
            configuration |= {name: generator.choice(values) for name, values in OTHERS.items()}
            runs.append(Run(problem, numbering, configuration))
    return runs


def pairs_of(runs):
    return {(problem, pair) for problem, _, configuration in runs
            for pair in itertools.combinations(sorted(configuration.items()), 2)}


def missing_pairs(runs):
    """Pairs of values of two switches that no run of a program has."""
    axes = sorted((PRODUCT | OTHERS).items())
    wanted = {(problem, ((a, x), (b, y))) for problem in PROBLEMS
              for (a, xs), (b, ys) in itertools.combinations(axes, 2) for x in xs for y in ys}
    return wanted - pairs_of(runs)


def sample(runs, count, generator):
    """`count` runs of each program, as many of each numbering, on up to three ranks and with code that this processor
    executes; neighbours in the list share a numbering."""
    few = [run for run in runs if run.configuration["ranks"] <= 3 and has_level(run.configuration["OP2_JIT_CPU"])]
    chosen = []
    for problem, (place, numbering) in itertools.product(PROBLEMS, enumerate(NUMBERINGS)):
        fit = [run for run in few if (run.problem, run.numbering) == (problem, numbering)]
        share = (count + len(NUMBERINGS) - 1 - place) // len(NUMBERINGS)
        chosen += generator.sample(fit, min(share, len(fit)))
    return chosen


def on_one_and_two_ranks():
    """With code for this processor, whichever it is."""
    plain = {name: values[0] for name, values in (PRODUCT | OTHERS).items()} | {"OP2_JIT_CPU": ""}
    return [Run(problem, numbering, plain | {"ranks": ranks})
            for problem, numbering, ranks in itertools.product(PROBLEMS, NUMBERINGS, (1, 2))]


def on_gpu(runs, arguments, generator):
    """Some of the runs of each program again, with an emulated GPU for each rank."""
    emulated = {"OP2_TARGET": "cuda", "OP2_CUDA_DRIVER": arguments.emulator, "OP2_NVRTC": arguments.emulator}
    count = ON_GPU["all" if arguments.count is None else "some"]
    again = []
    for problem in PROBLEMS:
        fit = [run for run in runs if run.problem == problem and run.configuration["ranks"] <= 3
               and CONTRACTION[run.numbering] != "on"]
        for run in generator.sample(fit, min(count, len(fit))):
            order = {"OP2_EMU_ORDER": generator.choice(ORDERS)}
            again.append(run._replace(configuration=run.configuration | emulated | order))
    return again


def bytes_of(run, arguments, reproducible="on"):
    """What a run prints and writes."""
    with tempfile.TemporaryDirectory() as folder:
        variables = {name: str(value) for name, value in run.configuration.items() if name.startswith("OP2_") and value}
        command = [arguments.mpiexec, "-n", str(run.configuration["ranks"]), arguments.program, run.problem,
                   run.numbering, folder + "/out"]
        done = subprocess.run(["timeout", "-k", "5", str(SECONDS), *command], capture_output=True, check=False,
                              env={**os.environ, "OP2_LOG": "error", "OP2_JIT": "require",
                                   "OP2_HASH": folder + "/values", "OP2_FP_CONTRACT": CONTRACTION[run.numbering],
                                   **variables, "OP2_REPRODUCIBLE": reproducible})
        if done.returncode != 0:
            last = done.stderr.decode(errors="replace").splitlines()[-12:]
            raise RuntimeError("\n    ".join([f"{run}: exit code {done.returncode}", *last]))
        files = sorted(pathlib.Path(folder).iterdir())
        if not done.stdout or not files:
            raise RuntimeError(f"{run}: nothing is written")
        return done.stdout + b"".join(file.read_bytes() for file in files)


def hash_of(run, arguments):
    if not has_level(run.configuration["OP2_JIT_CPU"]):
        return None
    return hashlib.sha256(bytes_of(run, arguments)).hexdigest()[:16]


def known_hashes():
    """By program and numbering, with the file that has them."""
    if os.environ.get("UPDATE_HASHES") or not HASHES.exists():
        return {}
    lines = [line.split() for line in HASHES.read_text(encoding="utf-8").splitlines()]
    return {(problem, numbering): (found, HASHES.name) for problem, numbering, found in lines}


def compare(runs, arguments):
    """Number of runs that differ from what is known, or from the first one of their program and numbering, or fail, and
    of programs and numberings with too few runs."""
    first, counts, wrong = known_hashes(), collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for run, future in [(run, pool.submit(hash_of, run, arguments)) for run in runs]:
            try:
                found = future.result()
            except RuntimeError as failure:
                print(failure)
                wrong += 1
                continue
            key = run.problem, run.numbering
            counts[key + ("skipped" if found is None else "run",)] += 1
            if found is not None and first.setdefault(key, (found, run))[0] != found:
                print(f"{found} instead of {first[key][0]}: {run}\n    the first was {first[key][1]}")
                wrong += 1
    for key, (found, _) in sorted(first.items()):
        print(f"{key[0]:<20} {key[1]:<9} {found}  {counts[key + ('run',)]} configurations, "
              f"{counts[key + ('skipped',)]} skipped")
    if os.environ.get("UPDATE_HASHES") and wrong == 0:
        HASHES.write_text("".join(f"{' '.join(key)} {found}\n" for key, (found, _) in sorted(first.items())),
                          encoding="utf-8")
    for key in itertools.product(PROBLEMS, NUMBERINGS):
        if counts[key + ("run",)] < LEAST:
            print(f"{key[0]:<20} {key[1]:<9} {counts[key + ('run',)]} hashes, {counts[key + ('skipped',)]} runs "
                  f"skipped: at least {LEAST} are needed to compare")
            wrong += 1
    return wrong


def differ_without_the_mode(arguments):
    """Otherwise equal hashes prove nothing."""
    plain = {name: values[0] for name, values in (PRODUCT | OTHERS).items()}
    runs = [Run("tetrahedra", "shuffled", plain | {"ranks": ranks, "OP2_THREADS": ranks, "OP2_JIT_CPU": ""})
            for ranks in (1, 3)]
    try:
        return bytes_of(runs[0], arguments, "off") != bytes_of(runs[1], arguments, "off")
    except RuntimeError as failure:
        print(failure)
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int,
                        help=f"of each program, at least {LEAST * len(NUMBERINGS)}, or 0; without it: all")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TEST_SEED", "1")), help="or TEST_SEED")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--emulator", help="the library that emulates a GPU's driver and compiler")
    parser.add_argument("program")
    parser.add_argument("mpiexec")
    arguments = parser.parse_args()
    if arguments.count and arguments.count < LEAST * len(NUMBERINGS):
        parser.error(f"--count {arguments.count} leaves fewer than {LEAST} runs for some numbering")
    generator = random.Random(arguments.seed)
    runs = full_product(generator)
    missing = missing_pairs(runs)
    if arguments.count == 0:
        runs = on_one_and_two_ranks()
    elif arguments.count:
        runs = sample(runs, arguments.count, generator)
    if arguments.emulator:
        devices = on_gpu(runs, arguments, generator)
        print(f"{len(devices)} of the runs are on an emulated GPU")
        runs += devices
    wrong = compare(runs, arguments)
    differ = differ_without_the_mode(arguments)
    print(f"seed {arguments.seed}: {len(runs)} runs, {wrong} wrong; without OP2_REPRODUCIBLE bits "
          f"{'differ' if differ else 'DO NOT DIFFER'}; {len(missing)} pairs of values in no configuration")
    return 0 if wrong == 0 and differ and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
