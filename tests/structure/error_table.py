#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Keeps docs/errors.md equal to the comments of include/op2/error.hpp.

    error_table.py ROOT [--write]      compares, or writes the file anew
"""

import re
import sys
from pathlib import Path

HEAD = """# Error codes

Generated from `include/op2/error.hpp`. The library reports every failure as an exception of type `op2::Error`. Its message
begins with the code, for instance `OP2-E207`; a code never changes its meaning.
"""
KINDS = {1: "Source of a kernel", 2: "Declarations, arguments and order of calls",
         4: "Several ranks", 5: "Environment", 9: "Internal errors"}
ENTRY = re.compile(r"^  (\w+) = (\d+),?(?:\s*///<\s*(.*))?$", re.MULTILINE)


def table(header):
    header = re.sub(r"\n\s+///< *", " ", re.sub(r"=\n\s+", "= ", header))  # what the formatter broke
    lines, kind = [HEAD], None
    for name, number, meaning in ENTRY.findall(header):
        if int(number) // 100 != kind:
            kind = int(number) // 100
            lines.append(f"\n## {KINDS[kind]}\n\n| code | `ErrorCode` | meaning |\n|---|---|---|\n")
        lines.append(f"| OP2-E{number} | `{name}` | {meaning or name.replace('_', ' ')} |\n")
    return "".join(lines)


def main():
    root = Path(sys.argv[1])
    wanted = table((root / "include/op2/error.hpp").read_text())
    page = root / "docs/errors.md"
    if "--write" in sys.argv:
        page.write_text(wanted)
    if page.read_text() != wanted:
        print(f"{page} differs from error.hpp; run {Path(__file__).name} ROOT --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
