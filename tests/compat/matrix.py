#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every feature of OP2's developer headers in every configuration: kernels without embedded sources, with
them, and with sources that nothing can compile ("lost"), on some numbers of ranks, with OP2_CHAIN=off and on.

    matrix.py MPIEXEC FEATURES FEATURES_TEXT RANKS ...    prints a table; the exit code says whether all is well
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile

MESHES = ("none", "PTSCOTCH", "EXTERNAL")
LINE = re.compile(r"feature (\w+) (\w+): (ok|FAILED.*)")
SECONDS = 300  # of one job
MAX_DEATHS = 3  # in one configuration


def environment(kind, chain, empty_folder):
    added = {"OP2_CHAIN": chain, "OP2_LOG": "error"}
    if kind == "text":
        added["OP2_JIT"] = "require"  # kernels with a source must run as compiled code
    if kind == "lost":
        added |= {"OP2_PLUGIN_DIR": empty_folder, "OP2_CACHE": "off"}
    return {**os.environ, **added}


def run(command, env):
    """Exit code and what the job said; the code is None if it did not end."""
    try:
        done = subprocess.run(["timeout", "-k", "5", str(SECONDS), *command], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS + 10)
    except subprocess.TimeoutExpired as hung:
        return None, (hung.stdout or b"").decode()
    return (None if done.returncode in (124, 137) else done.returncode), done.stdout


def outcomes(said):
    """Of each feature on each mesh; of several lines the one that failed."""
    found = {}
    for name, mesh, outcome in LINE.findall(said):
        if outcome != "ok" or (name, mesh) not in found:
            found[name, mesh] = outcome
    return found


def last_words(said):
    """Errors of the library, or the end of what a job said."""
    lines = said.strip().splitlines()
    return next((line for line in lines if "OP2-E" in line), " / ".join(lines[-3:]))


def of_configuration(command, env, names):
    """A word for each feature and the reasons. A feature that ends the program is left out then."""
    words, reasons, without = {}, [], []
    while True:
        code, said = run(command + (["without", *without] if without else []), env)
        found = outcomes(said)
        wanted = [name for name in names if name not in without]
        missing = [(name, mesh) for mesh in MESHES for name in wanted if (name, mesh) not in found]
        if not missing or len(without) == MAX_DEATHS:
            break
        name, mesh = missing[0]
        words[name] = "hangs" if code is None else "ends"
        reasons.append(f"{name} {mesh}: code {code}: " + last_words(said))
        without.append(name)
    for name in wanted:
        of_meshes = [found.get((name, mesh), "missing") for mesh in MESHES]
        words[name] = next((word.split(":")[0] for word in of_meshes if word != "ok"), "ok")
        reasons += [f"{name} {mesh}: {word}" for mesh, word in zip(MESHES, of_meshes) if word != "ok"]
    if not reasons and code != 0:
        reasons.append(f"exit code {code}")
    return words, reasons


def main():
    with tempfile.TemporaryDirectory() as empty_folder:
        return run_all(*sys.argv[1:], empty_folder=empty_folder)


def run_all(mpiexec, plain, text, *numbers_of_ranks, empty_folder):
    names = subprocess.run([plain, "list"], text=True, check=True, stdout=subprocess.PIPE).stdout.split()
    columns, faults = {}, []
    for kind, ranks, chain in itertools.product(("plain", "text", "lost"), numbers_of_ranks, ("off", "on")):
        command = [mpiexec, "-np", ranks, plain if kind == "plain" else text]
        title = f"{kind}/{ranks}/{chain}"
        columns[title], reasons = of_configuration(command, environment(kind, chain, empty_folder), names)
        faults += [f"{title}: {reason}" for reason in reasons]
    print(f"{'kernels/ranks/OP2_CHAIN':<28}" + "".join(f"{title:>13}" for title in columns))
    for name in names:
        print(f"{name:<28}" + "".join(f"{words.get(name, 'missing'):>13}" for words in columns.values()))
    print(*faults, sep="\n")
    bad = sum(words.get(name) != "ok" for words in columns.values() for name in names)
    print(f"{len(names)} features, {len(columns)} configurations, {bad} entries not ok")
    return 1 if faults or bad else 0


if __name__ == "__main__":
    sys.exit(main())
