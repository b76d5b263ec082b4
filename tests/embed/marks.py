#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the messages of op2-embed-kernels about a sample with those that the sample expects.

    marks.py TOOL INCLUDE SAMPLE     a comment `// warns: MESSAGE` or `// fails: MESSAGE` expects one
                                     warning or error with this message on its line; no other line
                                     may have any
"""

import re
import subprocess
import sys

KINDS = {"warns": "warning", "fails": "error"}


def expected(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            for kind, message in re.findall(r"// (warns|fails): (.*)$", line):
                yield number, KINDS[kind], message.strip()


def main():
    tool, include, sample = sys.argv[1:]
    result = subprocess.run([tool, sample, "--", f"-I{include}"], capture_output=True, text=True, check=False)
    printed = [(int(line), kind, text) for line, kind, text in
            re.findall(r"^[^:\n]*:(\d+):\d+: (warning|error): (.*)$", result.stderr, re.MULTILINE)]
    faults = []
    for number, kind, message in expected(sample):
        match = [each for each in printed if each[0] == number and each[1] == kind and message in each[2]]
        if len(match) != 1:
            faults.append(f"{sample}:{number}: {len(match)} times, not once: {kind}: {message}")
        printed = [each for each in printed if each not in match]
    faults += [f"{sample}:{number}: not expected: {kind}: {text}" for number, kind, text in printed]
    wants_failure = any(kind == "error" for _, kind, _ in expected(sample))
    if result.returncode != (1 if wants_failure else 0):
        faults.append(f"exit code {result.returncode}")
    print("\n".join(faults) if faults else f"{sample}: as expected")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
