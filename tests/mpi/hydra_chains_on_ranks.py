#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""examples/hydra_chains on ranks: its counts are exactly those of hydra_chains_expected.jsonl, made by
hydra_chains_spec.py from definitions, and its results those of one rank: to 1e-12, with
OP2_REPRODUCIBLE=on to the bit.

usage: hydra_chains_on_ranks.py counts|results|large mpiexec hydra_chains
"""
import json
import os
import subprocess
import sys
from pathlib import Path

import hydra_chains_spec

TOLERANCE = 1e-12
EXPECTED = Path(__file__).with_name("hydra_chains_expected.jsonl")
SUMS = ("messages", "bytes", "packed_rows")


def run(mpiexec, program, ranks, *arguments, **switches):
    """What the program prints as JSON."""
    command = ["timeout", "-k", "5", "240", mpiexec, "-n", ranks, program, "--json", *arguments]
    environment = {**os.environ, "OP2_THREADS": "1", **switches}
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command} {switches}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))


def counted(chain):
    """The counts of one chain, in the form of the table."""
    dats = {name: count for name, count in chain["dats"].items() if count[1] > 0}
    return {"exchanges": chain["most"]["exchanges"], **{name: chain["sum"][name] for name in SUMS},
            "loops": chain["sum"]["loops"], "dats": dats}


def differences(expected, found):
    """Sentences."""
    for name, wanted in expected.items():
        for what in wanted:
            if wanted[what] != found[name][what]:
                yield f"{name}: {what} {found[name][what]}, not {wanted[what]}"


def check_local_maps(mpiexec, program):
    """Values of a halo row that jacob exchanges: the published ones if no map is local, fewer if those of boundaries are."""
    for maps, chain, values in ([], "off", 26), ([], "on", 26), (["--two-maps"], "off", 51), (["--two-maps"], "on", 26):
        result = run(mpiexec, program, 3, "--size", 9, "--starts", 3, "--iterations", 3, *maps, OP2_CHAIN=chain, OP2_DEBUG="slice=off")
        jacob = next(counted(each) for each in result["chains"] if each["chain"] == "jacob")
        found = sum(dim * exchanges for dim, exchanges, _ in jacob["dats"].values())
        if found != values:
            yield f"jacob exchanges {found} values with {maps} and chain {chain}, not {values}"


def check_counts(mpiexec, program):
    lines = [json.loads(line) for line in EXPECTED.read_text().splitlines()]
    failures = [] if lines == hydra_chains_spec.table() else [f"{EXPECTED.name} is not what the definitions give"]
    for line in lines:
        arguments = ["--size", line["width"], "--starts", 3, "--iterations", 3]
        if line["numbering"] == "random":
            arguments.append("--random")
        result = run(mpiexec, program, line["ranks"], *arguments, OP2_CHAIN=line["chain"], OP2_DEBUG="slice=off")
        found = {chain["chain"]: counted(chain) for chain in result["chains"]}
        where = f"{line['width']}^3 nodes {line['numbering']}, np {line['ranks']}, chain {line['chain']}"
        failures += [f"{where}: {text}" for text in differences(line["chains"], found)]
        if line["chain"] == "on":
            failures += [f"{where}: {name} has {of['exchanges']} exchanges"
                         for name, of in found.items() if of["exchanges"] != 1]
    failures += check_local_maps(mpiexec, program)
    print(f"checked the counts of {len(lines) + 4} runs, {len(failures)} differ")
    return failures


def deviation(result, expected):
    """The largest relative difference of a norm or a sum of squares."""
    values = [(result["norm"], expected["norm"])]
    values += [(result["squares"][dat], value) for dat, value in expected["squares"].items()]
    return max(abs(found / wanted - 1) for found, wanted in values)


def check_results(mpiexec, program):
    failures, runs = [], 0
    arguments = ["--size", 9, "--random", "--starts", 2, "--iterations", 5]
    for variant in [], ["--as-published"]:
        for bits in "off", "on":
            # Without the reproducible mode one rank runs edges with OP_RW in another order.
            sequential = bits == "off" and not variant
            reference = run(mpiexec, program, 1 if sequential or bits == "on" else 2, *arguments, *variant,
                            OP2_REPRODUCIBLE=bits)
            for ranks, chain, partitioner, rows in ((2, "on", "RCB", "off"), (3, "off", "boxes", "off"), (3, "on", "boxes", "always"),
                                                    (8, "off", "RANDOM", "off"), (8, "on", "RCB", "off"), (8, "on", "RCB", "always")):
                result = run(mpiexec, program, ranks, *arguments, *variant, "--partitioner", partitioner, "-",
                             OP2_REPRODUCIBLE=bits, OP2_CHAIN=chain, OP2_DEBUG=f"slice={rows}")
                runs += 1
                where = f"{result['variant']}, np {ranks}, chain {chain}, slices {rows}, {partitioner}, reproducible {bits}"
                if bits == "on" and result["fingerprint"] != reference["fingerprint"]:
                    failures.append(f"{where}: other bits")
                if not deviation(result, reference) <= TOLERANCE:
                    failures.append(f"{where}: deviation {deviation(result, reference):.1e}")
    print(f"checked the results of {runs} runs, {len(failures)} differ")
    return failures


def check_large(mpiexec, program):
    """At 16 000 nodes per rank, two layers add less than half of the edges again: of the definitions at 64
    ranks, of a run at 8."""
    owned, _, (_, two, _) = hydra_chains_spec.family(100, 64)
    failures = [] if two <= 0.45 * owned else [f"64 ranks: {two} of {owned} edges"]
    result = run(mpiexec, program, 8, "--size", 50, "--starts", 2, "--iterations", 2, OP2_CHAIN="on", OP2_DEBUG="slice=off")
    gradl = next(chain for chain in result["chains"] if chain["chain"] == "gradl")
    beyond = gradl["most"]["loops"]["edgecon"][1]
    mean = 3 * 50 * 50 * 49 / 8
    if not 0 < beyond <= 0.45 * mean:
        failures.append(f"8 ranks: {beyond} of {mean} edges")
    print(f"edges beyond the core over owned ones: {two / owned:.3f} at 64 ranks, {beyond / mean:.3f} at 8")
    return failures


def main(what, mpiexec, program):
    check = {"counts": check_counts, "results": check_results, "large": check_large}[what]
    failures = check(mpiexec, program)
    for failure in failures[:20]:
        print(failure)
    sys.exit(len(failures) > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
