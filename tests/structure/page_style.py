#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds lines of more than 120 columns and sentences of more than 35 words in pages (Markdown), outside tables and code.

    page_style.py FILE|FOLDER ...      prints one line per fault; the exit code says whether there is any

A piece of code and a link's text count as written; the target of a link is no word. A sentence ends with a full stop,
a question or exclamation mark before white space, with the list item, the heading or the paragraph.
"""

import re
import sys
from pathlib import Path

MAX_COLUMNS = 120
MAX_WORDS = 35
FENCE = re.compile(r"^ *```")
TABLE = re.compile(r"^ *\|")
ITEM = re.compile(r"^ *(?:[*+-]|\d+\.) +")
LINK_TARGET = re.compile(r"\]\([^)]*\)")
CODE = re.compile(r"`[^`]*`")
END_OF_SENTENCE = re.compile(r"(?<=[.!?])[)\"*_]*\s+")


def prose(lines):
    """Yields the number and the text of each line; None instead of the text in tables and code."""
    in_fence = in_code = False
    after_blank, indent_of_code = True, 4
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            in_fence = not in_fence
            yield number, None
            continue
        if line.strip():
            indent = len(line) - len(line.lstrip())
            in_code = indent >= indent_of_code and (in_code or after_blank)
            if not in_code and (ITEM.match(line) or indent == 0):
                indent_of_code = 6 if ITEM.match(line) else 4
        after_blank = not line.strip()
        yield number, None if in_fence or in_code or TABLE.match(line) else line


def paragraphs(lines):
    """Yields the number of the first line and the text of each paragraph, list item and heading."""
    first, words = 0, []
    for number, line in [*prose(lines), (0, None)]:
        begins = line is None or not line.strip() or ITEM.match(line) or line.startswith("#")
        if begins and words:
            yield first, " ".join(words)
            words = []
        if line is not None and line.strip():
            first = first if words else number
            words.append(ITEM.sub("", line).strip())
            if line.startswith("#"):
                yield first, " ".join(words)
                words = []


def words_of(sentence):
    """The number of words; a piece of code is one."""
    return sum(any(c.isalnum() for c in word) for word in CODE.sub("code", LINK_TARGET.sub("]", sentence)).split())


def faults(lines):
    """Line number and message of every fault of a page."""
    for number, line in prose(lines):
        if line is not None and len(line) > MAX_COLUMNS:
            yield number, f"has {len(line)} columns, more than {MAX_COLUMNS}"
    for number, text in paragraphs(lines):
        hidden = CODE.sub(lambda code: re.sub(r"\s", "_", code.group()), text)  # full stops in code end nothing
        for sentence in END_OF_SENTENCE.split(hidden):
            count = words_of(sentence)
            if count > MAX_WORDS:
                yield number, f"has a sentence of {count} words in the paragraph, more than {MAX_WORDS}: {sentence[:60]}..."


def main():
    pages = [page for name in map(Path, sys.argv[1:]) for page in ([name] if name.is_file() else sorted(name.rglob("*.md")))]
    found = [f"{page}:{number} {what}" for page in pages
             for number, what in faults(page.read_text(encoding="utf-8").splitlines())]
    for fault in found:
        print(fault)
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
