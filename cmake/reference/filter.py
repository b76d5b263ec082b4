#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prepares a file for Doxygen, on standard output.

A header: the comment on its first lines describes the file. A page: links within and between pages lead to their headings,
links to files that are not in the reference become their text.

    filter.py FILE
"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def identifier(page, heading):
    return f"{page.replace('-', '_')}_{heading}"


def header(text):
    lines = text.split("\n")
    first = 1 if "SPDX" in lines[0] else 0
    last = first
    while last < len(lines) and lines[last].startswith("//"):
        lines[last] = "///" + lines[last][2:]
        last += 1
    if last > first:
        lines[0] = "/// @file"
    return "\n".join(lines)


def link(match, path):
    text, target = match.groups()
    if re.match(r"https?:", target):
        return match.group()
    name, _, heading = target.partition("#")
    page = path.parent / name if name else path
    if page.suffix == ".png" or page.suffix == ".svg":
        return f"[{text}]({page.name})"
    if page.suffix != ".md" or page.resolve().parent != path.parent or not page.exists():
        return text
    anchor = identifier(page.stem, heading or "top")
    return f"[{text}](#{anchor})"


def page(path, text):
    lines, in_code, titled = [], False, False
    for line in text.split("\n"):
        if line.startswith("```"):
            in_code = not in_code
        heading = re.match(r"(#+) +(.*)$", line)
        if in_code or line.startswith("    "):
            lines.append(line)
        elif heading:
            words = heading.group(2)
            anchor = identifier(path.stem, slug(words) if titled else "top")
            titled = True
            lines.append(f"{heading.group(1)} {words} {{#{anchor}}}")
        else:
            lines.append(LINK.sub(lambda match: link(match, path), line))
    return "\n".join(lines)


def main():
    path = Path(sys.argv[1]).resolve()
    text = path.read_text(encoding="utf-8")
    print(page(path, text) if path.suffix == ".md" else header(text), end="")


if __name__ == "__main__":
    main()
