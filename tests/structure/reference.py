#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Everything public is in the built reference, has a description, and the search finds it: what the headers declare and the
library exports, each overload counted; each switch, word, argument and variable; each code of an error; each option of the
build. Doxygen had nothing to warn about, and there is one version.

    reference.py ROOT REFERENCE LIBRARY      REFERENCE: the folder in which Doxygen has written html/ and xml/
"""
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from declarations import declarations

NOT_ITEMS = {"file", "dir", "page", "namespace"}


class Item(NamedTuple):
    """Something that the reference documents: a macro, a type, a function or a variable of a namespace."""
    file: str
    name: str
    described: bool


def exported(library):
    """Number of functions of each name that the library exports, besides those that only headers call."""
    lines = subprocess.run(["nm", "-DC", "--defined-only", "--without-symbol-versions", library], check=True, capture_output=True, text=True).stdout
    functions = set(re.findall(r" [TW] (?!op2::detail::|__)(.*)", lines))
    return Counter(re.sub(r"\(.*", "", function).split("::")[-1] for function in functions)


def described(element):
    parts = [element.find("briefdescription"), element.find("detaileddescription")]
    return any("".join(part.itertext()).strip() for part in parts if part is not None)


def documented(roots):
    """The items of the reference, each overload one of them."""
    found = {}
    for root in roots:
        for element in [*root.iter("compounddef"), *root.iter("memberdef")]:
            identity, kind = element.get("id"), element.get("kind")
            is_field = kind == "variable" and identity.startswith(("struct", "class"))
            if kind in NOT_ITEMS or is_field:
                continue
            name = element.findtext("name") or element.findtext("compoundname")
            name = re.sub(r"<.*|.*::", "", name).strip()
            found[identity] = Item(element.find("location").get("file"), name, described(element))
    return list(found.values())


def interface_faults(root, items, library):
    in_file, in_all = Counter(item[:2] for item in items), Counter(item.name for item in items)
    for path in sorted((root / "include/op2").rglob("*.h*")):
        file = str(path.relative_to(root))
        for name, number in declarations(path.read_text(encoding="utf-8")).items():
            if in_file[file, name] < number:
                yield f"{file}: {number} declarations of {name}, but {in_file[file, name]} in the reference"
    for name, number in exported(library).items():
        if in_all[name] < number:
            yield f"{library}: {number} functions {name}, but {in_all[name]} in the reference"
    for item in items:
        if not item.described:
            yield f"{item.file}: {item.name} has no description"


def codes(root):
    header = (root / "include/op2/error.hpp").read_text(encoding="utf-8")
    return [f"OP2-E{number} {name}" for name, number in re.findall(r"^  (\w+) =\s+(\d+)", header, re.MULTILINE)]


def switches(root):
    """Switches, words, and arguments and variables that something else than their table reads."""
    table = (root / "src/core/options.cpp").read_text(encoding="utf-8")
    names = re.findall(r'^    \{"(\w+)", (?:one_of|number|text|name_of|list|set|read)', table, re.MULTILINE)
    elsewhere = re.compile(r'getenv\("(OP2?_\w+)"|name == "(OP2_\w+)"|"(--op2-[\w-]+)"')
    for path in [path for folder in ("include", "src", "tools") for path in (root / folder).rglob("*.[ch]*")]:
        names += ["".join(found) for found in elsewhere.findall(path.read_text(encoding="utf-8"))]
    return sorted(set(names))


def options(root):
    """Options of the build."""
    text = (root / "cmake/options.cmake").read_text(encoding="utf-8")
    names = re.findall(r"^(?:option|set)\((OP2_\w+) .*(?:CACHE|\")", text, re.MULTILINE)
    return names + [f"OP2_WITH_{part}" for part in re.search(r"set\(OP2_PARTS ([^)]+)\)", text).group(1).split()]


def entry_faults(root, roots):
    """Each code and switch has a page with what it means and an example."""
    pages = {page.findtext("title"): "".join(page.find("detaileddescription").itertext())
             for tree in roots for page in tree.iter("compounddef") if page.get("kind") == "page"}
    for names, mark in (codes(root), "Remedy: "), (switches(root), "Example: "):
        if len(names) < 40:
            yield f"only {len(names)} entries with '{mark}' are found in the sources"
        for name in names:
            meaning, marked, _ = pages.get(name, "").partition(mark)
            if not (meaning.strip() and marked):
                yield f"{name} has no page with its meaning and '{mark}'"


def search_faults(root, reference, items):
    search = "".join(path.read_text(encoding="utf-8") for path in (reference / "html/search").glob("*.js"))
    for name in sorted({*(item.name for item in items), *codes(root), *switches(root), *options(root)}):
        if f"['{name}'," not in search:
            yield f"{name} is not found by the search"


def version_faults(root):
    header = (root / "include/op2/version.hpp").read_text(encoding="utf-8")
    version = re.search(r'OP2_VERSION_STRING "([^"]+)"', header).group(1)
    parts = re.findall(r"OP2_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
    if version != ".".join(parts):
        yield f"version.hpp has version {version}, but parts {parts}"
    changes = re.search(r"^## (\S+)", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE).group(1)
    if changes != version:
        yield f"CHANGELOG.md has version {changes}, version.hpp {version}"
    interface = ".".join(parts[:2] if parts[0] == "0" else parts[:1])
    for page in [root / "README.md", root / "include/op2/version.hpp", *sorted((root / "docs").glob("*.md"))]:
        for place, found in re.findall(r"((?:op2-|libop2\.so\.|find_package\(op2 )(\d+(?:\.\d+)?))", page.read_text(encoding="utf-8")):
            if found != interface:
                yield f"{page.name} has '{place}', but the interface of version.hpp is {interface}"


def main():
    root, reference, library = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    roots = [xml.parse(path).getroot() for path in (reference / "xml").glob("*.xml")]
    items = documented(roots)
    faults = [*interface_faults(root, items, library), *entry_faults(root, roots), *search_faults(root, reference, items),
              *version_faults(root)]
    faults += [line for line in (reference / "warnings.txt").read_text(encoding="utf-8").splitlines() if line.strip()]
    for fault in faults:
        print(fault)
    print(f"checked the reference: {len(items)} declarations, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
