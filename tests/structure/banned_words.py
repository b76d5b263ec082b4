# SPDX-License-Identifier: BSD-3-Clause
"""Finds the words of banned_words.json, one row per word, in the parts of a file where they are banned.

A row has these members; what is not given is everywhere:

    pattern   regular expression over lower-case words. A space in it is any joint between two words: a
              space, an underscore, the start of a CamelCase word, or the end of a line of a comment,
              string or page
    use       what is written instead
    where     the parts: identifiers (file names too), comments, messages (string literals), docs (pages)
    in        the files and folders that the row is about
    examples  what the row finds
    allowed   what looks like it and is right
"""

import json
import re
from pathlib import Path

PARTS = ("identifiers", "comments", "messages", "docs")
OWN_FILE = ("tests", "structure", "banned_words.json")

C_LIKE = re.compile(r"""(?P<comments>//[^\n]*|/\*.*?\*/)"""
                    r"""|(?P<messages>R"(\w*)\(.*?\)\3"|"(?:\\.|[^"\\\n])*")""", re.DOTALL)
HASH_LIKE = re.compile(r'''(?P<comments>\#[^\n]*|""".*?""")'''
                       r'''|(?P<messages>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')''', re.DOTALL)
C_SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".inc"}
CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
JOINT = r'(?:[ _]|\s*"?\s*\n\s*(?:///?<?|#|\*|")?\s*)'
NO_WORD = "\0"


class Row:
    def __init__(self, members):
        self.use = members["use"]
        self.parts = members.get("where", PARTS)
        self.folders = members.get("in", [""])
        self.examples = members["examples"]
        self.allowed = members.get("allowed", [])
        joined = members["pattern"].replace(" ", JOINT)
        self.pattern = re.compile(rf"(?<![a-z])(?:{joined})(?![a-z])")

    def is_about(self, name):
        return any(name.startswith(folder) for folder in self.folders)


def read_rows(path=Path(__file__).with_suffix(".json")):
    return [Row(members) for members in json.loads(path.read_text(encoding="utf-8"))]


def only(text, spans):
    """`text` with everything but white space outside `spans` replaced, so that lines stay where they are."""
    kept, end = [], 0
    for first, last in spans + [(len(text), len(text))]:
        kept += [re.sub(r"\S", NO_WORD, text[end:first]), text[first:last]]
        end = last
    return "".join(kept)


def as_words(text):
    return CAMEL_CASE.sub("_", text).lower()


def parts_of(path, text):
    """The text of each part of a file, in lower-case words, with the lines of the file."""
    if path.suffix == ".md":
        return {"docs": as_words(text)}
    if path.suffix == ".json" or path.name == "LICENSE":
        return {}
    spans = {part: [] for part in PARTS}
    end = 0
    for token in (C_LIKE if path.suffix in C_SUFFIXES else HASH_LIKE).finditer(text):
        spans["identifiers"].append((end, token.start()))
        spans[token.lastgroup].append(token.span())
        end = token.end()
    spans["identifiers"].append((end, len(text)))
    return {part: as_words(only(text, found)) for part, found in spans.items() if found}


def faults(rows, path, text):
    """Line number and message of every banned word.

    @param path  of the file, relative to the root of the tree
    """
    name = as_words(path.as_posix())
    whole = name + "\n" + as_words(text)
    rows = [row for row in rows if row.is_about(path.as_posix()) and row.pattern.search(whole)]
    if not rows or path.parts == OWN_FILE:
        return
    parts = parts_of(path, text)
    for row in rows:
        places = [(part, parts[part]) for part in row.parts if part in parts]
        if "identifiers" in row.parts:
            places.append(("file name", name))
        for part, words in places:
            for found in row.pattern.finditer(words):
                line = words.count("\n", 0, found.start()) + 1
                word = " ".join(re.sub(r'[\s"#/*]+', " ", found.group()).split())
                yield line, f"'{word}' ({part}) is written {row.use}"
