#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Keeps docs/errors.md complete: its tables equal the comments of include/op2/error.hpp, and every code has a section with
a cause, an example of a message that some source can make, and a remedy.

    error_table.py ROOT [--write]      checks, or writes the tables anew
"""

import re
import sys
from pathlib import Path

HEAD = """# Error codes

The tables are generated from `include/op2/error.hpp`. The library reports a failure as an exception of type
`op2::Error`; where one of several ranks fails while others wait, and in programs for OP2's headers, it logs the message
and ends the job ([ranks](ranks.md#errors)). The message begins with the code, for instance `OP2-E207`; a code never
changes its meaning. [Below](#causes-and-remedies) is a section for each code.
"""
KINDS = {1: "Source of a kernel", 2: "Declarations, arguments and order of calls",
         4: "Several ranks", 5: "Environment", 9: "Internal errors"}
SECTIONS = "\n## Causes and remedies\n"
ENTRY = re.compile(r"^  (\w+) = (\d+),?(?:\s*///<\s*(.*))?$", re.MULTILINE)
SECTION = re.compile(r"^### OP2-E(\d+) (\w+)\n\nCause: (?:\S.*\n)+\n((?:    .*\n)+)\nRemedy: \S.*\n", re.MULTILINE)
LITERALS = re.compile(r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*')
LEAST_FIXED = 24  # characters of a text besides names and numbers, so that it is recognised


def entries(header):
    header = re.sub(r"\n\s+///< *", " ", re.sub(r"=\n\s+", "= ", header))  # what the formatter broke
    return ENTRY.findall(header)


def tables(header):
    lines, kind = [HEAD], None
    for name, number, meaning in entries(header):
        if int(number) // 100 != kind:
            kind = int(number) // 100
            lines.append(f"\n## {KINDS[kind]}\n\n| code | `ErrorCode` | meaning |\n|---|---|---|\n")
        lines.append(f"| OP2-E{number} | `{name}` | {meaning or name.replace('_', ' ')} |\n")
    return "".join(lines)


def texts(root):
    """Patterns of the texts in src that may be part of a message."""
    patterns = set()
    for path in sorted((root / "src").rglob("*.[ch]pp")):
        for literal in LITERALS.findall(path.read_text(encoding="utf-8")):
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literal)).replace('\\"', '"')
            parts = re.split(r"\{[^{}]*\}", text)
            if " " in text and sum(len(part.strip()) for part in parts) >= LEAST_FIXED:
                patterns.add(".*?".join(re.escape(part) for part in parts))
    return [re.compile(pattern) for pattern in patterns]


def section_faults(root, header, sections):
    wanted = [(number, name) for name, number, _ in entries(header)]
    found = SECTION.findall(sections)
    if [entry[:2] for entry in found] != wanted:
        missing = [f"OP2-E{number}" for number, name in wanted if (number, name) not in {entry[:2] for entry in found}]
        yield f"sections differ from the codes or lack a cause, an example or a remedy: {', '.join(missing) or 'order'}"
    if len(found) != sections.count("\n### "):
        yield "a section has another form than cause, example, remedy, or no code"
    patterns = texts(root)
    for number, _, example in found:
        text = re.sub(r"^    ", "", example, flags=re.MULTILINE).strip()
        if not text.startswith(f"OP2-E{number} "):
            yield f"OP2-E{number}: the example does not begin with the code"
        if not any(pattern.search(text) for pattern in patterns):
            yield f"OP2-E{number}: no text of src makes the example: {text}"


def main():
    root = Path(sys.argv[1])
    header = (root / "include/op2/error.hpp").read_text()
    page = root / "docs/errors.md"
    present, _, sections = page.read_text().partition(SECTIONS)
    if "--write" in sys.argv:
        present = tables(header)
        page.write_text(present + SECTIONS + sections)
    faults = list(section_faults(root, header, sections))
    if present != tables(header):
        faults.append(f"the tables differ from error.hpp; run {Path(__file__).name} ROOT --write")
    for fault in faults:
        print(f"{page}: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
