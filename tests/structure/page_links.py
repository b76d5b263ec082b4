#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds links of a page (Markdown) to files or headings that do not exist.

    page_links.py FOLDER      checks all pages of a folder that is complete in itself, such as what is installed
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(text):
    """The anchors of a page's headings: lower case, hyphens for spaces, no punctuation."""
    headings = HEADING.findall(CODE_BLOCK.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def link_fault(path, target):
    """Why the link `target` of the page at `path` leads nowhere, or None."""
    name, _, anchor = target.partition("#")
    page = (path.parent / name).resolve() if name else path
    if not page.exists():
        return f"links to '{target}', but there is no such file"
    if anchor and anchor not in anchors(page.read_text(encoding="utf-8")):
        return f"links to '{target}', but {page.name} has no such heading"
    return None


def faults(path, lines):
    """Line number and message of every broken link of the page at `path`."""
    if path.suffix != ".md":
        return
    for number, line in enumerate(lines, 1):
        for target in LINK.findall(line):
            fault = None if re.match(r"https?:", target) else link_fault(path, target)
            if fault:
                yield number, fault


def main():
    pages = sorted(Path(sys.argv[1]).rglob("*.md"))
    found = [f"{page}:{number} {what}" for page in pages
             for number, what in faults(page, page.read_text(encoding="utf-8").splitlines())]
    for fault in found:
        print(fault)
    print(f"checked the links of {len(pages)} pages")
    return 1 if found or len(pages) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
