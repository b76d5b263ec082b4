#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prepares a file for Doxygen, on standard output.

A header: the comment on its first lines describes the file, declarations without a blank line between them share a
description, functions that are deleted or only refuse arguments are left out, and pages and codes of errors that comments
name become links. A page: links within and between pages lead to their headings, links to files that are not in the
reference become their text. Each switch, code of an error and option of the build gets a page below that of its table, so
that the search finds it; it has the row of the table and the section about it.

    filter.py FILE
"""
import re
import sys
from pathlib import Path

ERRORS = Path(__file__).resolve().parents[2] / "include" / "op2" / "error.hpp"
PAGES = Path(__file__).resolve().parents[2] / "docs"
CODES = dict(re.findall(r"^  (\w+) =\s+(\d+)", ERRORS.read_text(encoding="utf-8"), re.MULTILINE))
MAKE_VARIABLE = re.compile(r"`([^`]*\$\([^`]*)`")  # which Doxygen takes for one of the environment
ENTRIES = {"switches", "errors", "installing"}  # pages whose tables and headings of the third level are of entries
DESCRIBED = re.compile(r"(?:^///.*\n)+(?:^(?!///).+\n)+|^/\*\*.*\n(?:^(?!/\*\*).+\n)+", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def identifier(page, heading):
    return f"{page.replace('-', '_')}_{heading}"


def described_file(text):
    """The comment on the first lines describes the file."""
    lines = text.split("\n")
    first = 1 if "SPDX" in lines[0] else 0
    last = first
    while last < len(lines) and lines[last].startswith("//"):
        lines[last] = "///" + lines[last][2:]
        last += 1
    if last > first:
        lines[0] = "/// @file"
    return "\n".join(lines)


def grouped(match):
    """A description holds for all declarations that follow it without a blank line."""
    forms = re.findall(r"^(?:template <|inline |typedef |#define |OP2_\w*API )", match[0], re.MULTILINE)
    return f"/// @{{\n{match[0]}/// @}}\n" if len(forms) > 1 else match[0]


def header(text):
    text = re.sub(r"^template <.*op2::No\w+<?.*\n(?:.*\n)*?}\n|^.* = delete;\n", "", described_file(text), flags=re.MULTILINE)
    text = DESCRIBED.sub(grouped, text)
    text = re.sub(r"docs/([\w-]+)\.md", lambda name: f"[{name[1]}](#{identifier(name[1], 'top')})", text)
    return re.sub(r"^///.*", lambda line: re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", code, line[0]), text, flags=re.MULTILINE)


def code(match):
    """A link to the page of a code of an error."""
    name = match[0]
    return f"[{name}](#errors_op2-e{CODES[name]}-{name})" if name in CODES else name


def link(match, path):
    text, target = match.groups()
    if re.match(r"https?:", target):
        return match.group()
    name, _, heading = target.partition("#")
    page = path.parent / name if name else path
    if page.suffix == ".png" or page.suffix == ".svg":
        return f"[{text}]({page.name})"
    if page.suffix != ".md" or PAGES not in page.resolve().parents or not page.exists():
        return text
    anchor = identifier(page.stem, heading or "top")
    return f"[{text}](#{anchor})"


def row_of(name, text):
    """What the table says about a switch or an option: its values and their meaning."""
    row = re.search(rf"^\| `{re.escape(name)}` \| *([^|]*?) *\| *([^|]*?) *\|", text, re.MULTILINE)
    if row is None:
        return ""
    default, *others = row[1].split(", ")
    values = f"Values: {', '.join([f'**{default}** (default)', *others])}\n\n" if default else ""
    return f"\n{values}{row[2][:1].upper()}{row[2][1:]}.\n"


def section_of(name, text):
    return re.search(rf"^### ({re.escape(name)}(?: \w+)?)$", text, re.MULTILINE)


def to_entry(row, path, text):
    """A row of a table about something that has a page leads there."""
    name = re.match(r"\| `?([\w-]+)`? \|", row)
    section = name and section_of(name[1], text)
    if path.stem not in ENTRIES or not (section or row.startswith("| `OP2_")):
        return row
    title = section[1] if section else name[1]
    return f'| @subpage {identifier(path.stem, slug(title))} "{plain(name[1])}" |{row[name.end():]}'


def plain(title):
    """A title in which two hyphens are not a dash."""
    return title.replace("--", r"\--")


def entry(title, path, text):
    """The beginning of the page of an entry."""
    row = LINK.sub(lambda match: link(match, path), row_of(title, text))
    return f"@page {identifier(path.stem, slug(title))} {plain(title)}\n{row}"


def heading(match, path, text, titled):
    """A heading with an anchor, or the beginning of a page."""
    level, words = match.groups()
    if level == "###" and path.stem in ENTRIES:
        begin = entry(words, path, text)
        return f"{begin}\nExample:" if row_of(words, text) else begin
    return f"{level} {words} {{#{identifier(path.stem, slug(words) if titled else 'top')}}}"


def page(path, text):
    lines, in_code, titled = [], False, False
    for line in text.split("\n"):
        if line.startswith("```"):
            in_code = not in_code
        begin = re.match(r"(#+) +(.*)$", line)
        if in_code or line.startswith("    "):
            lines.append(line)
        elif begin:
            lines.append(heading(begin, path, text, titled))
            titled = True
        else:
            line = MAKE_VARIABLE.sub(lambda match: f"<code>{match[1]}</code>".replace("$(", "\\$("), line)
            lines.append(to_entry(LINK.sub(lambda match: link(match, path), line), path, text))
    names = re.findall(r"^\| `(OP2_\w+)` \|", text, re.MULTILINE) if path.stem in ENTRIES else []
    return "\n".join(lines + [entry(name, path, text) for name in names if not section_of(name, text)])


def main():
    path = Path(sys.argv[1]).resolve()
    text = path.read_text(encoding="utf-8")
    print(page(path, text) if path.suffix == ".md" else header(text), end="")


if __name__ == "__main__":
    main()
