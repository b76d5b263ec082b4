#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Everything public is in the built reference: each function that the library exports or a header defines, with a
description, each switch, each code of an error; Doxygen had nothing to warn about; and there is one version.

    reference.py ROOT REFERENCE LIBRARY      REFERENCE: the folder in which Doxygen has written html/ and xml/
"""
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

NAME = re.compile(r"^(?:\w[\w:<>*& ]* )?(op2?_\w+)\(", re.MULTILINE)


def exported(library):
    """Names of the functions of the C++ interface and of that for OP2's programs."""
    lines = subprocess.run(["nm", "-DC", "--defined-only", "--without-symbol-versions", library], check=True, capture_output=True, text=True).stdout
    texts = [line.split(maxsplit=2)[2] for line in lines.splitlines() if line.split(maxsplit=2)[1] in "TW"]
    return {match.group(1) for match in map(re.compile(r"(op2?_\w+)(?:\(|$)").match, texts) if match}


def defined(header):
    """Names of functions that a header declares or defines at the beginning of a line."""
    code = re.sub(r"//.*", "", header.read_text(encoding="utf-8"))
    return {name for name in NAME.findall(code) if not name.endswith("_core")}


def documented(folder):
    """The functions in the reference, and whether one of their overloads has a description."""
    functions = {}
    for path in folder.glob("*.xml"):
        for member in xml.parse(path).getroot().iter("memberdef"):
            if member.get("kind") not in ("function", "define"):
                continue
            text = "".join("".join(member.find(part).itertext()) for part in ("briefdescription", "detaileddescription")
                           if member.find(part) is not None)
            name, place = member.findtext("name"), member.find("location").get("file")
            known = functions.setdefault(name, {"described": False, "files": set()})
            known["described"] |= bool(text.strip())
            known["files"].add(place)
    return functions


def function_faults(root, reference, library):
    functions = documented(reference / "xml")
    search = "".join(path.read_text(encoding="utf-8") for path in (reference / "html/search").glob("*.js"))
    headers = sorted((root / "include/op2").glob("*.hpp"))
    public = set().union(*map(defined, headers))
    if len(public) < 50:
        yield f"only {len(public)} functions are found in the headers"
    for name in sorted(public | exported(library)):
        if name not in functions:
            yield f"function {name} is not in the reference"
        elif not functions[name]["described"] and name in public:
            yield f"function {name} has no description"
        elif f"'{name}'" not in search:
            yield f"function {name} is not found by the search"


def entry_faults(root, reference):
    pages = "".join(path.read_text(encoding="utf-8") for path in (reference / "html").glob("*.html"))
    header = (root / "include/op2/error.hpp").read_text(encoding="utf-8")
    for name, number in re.findall(r"^  (\w+) =\s+(\d+)", header, re.MULTILINE):
        if f'id="errors_op2_e{number}-{name}"' not in pages.lower().replace("op2-e", "op2_e"):
            yield f"code OP2-E{number} has no section"
    table = (root / "src/core/options.cpp").read_text(encoding="utf-8")
    switches = re.findall(r'^    \{"(\w+)", (?:one_of|number|text|name_of|list|set|read)', table, re.MULTILINE)
    if len(switches) < 40:
        yield f"only {len(switches)} switches are found in options.cpp"
    for name in switches:
        if f'id="switches_{name.lower()}"' not in pages.lower():
            yield f"switch {name} has no section"
        elif not re.search(rf"^{name}</h2>\n(?:<p >.*</p>\n)+<p >Example:", pages, re.MULTILINE):
            yield f"the section of switch {name} does not begin with its values and their meaning"


def option_faults(root):
    """Each option of the build is in the table of docs/installing.md."""
    text = (root / "cmake/options.cmake").read_text(encoding="utf-8")
    options = re.findall(r"^(?:option|set)\((OP2_\w+) .*(?:CACHE|\")", text, re.MULTILINE)
    options += [f"OP2_WITH_{part}" for part in re.search(r"set\(OP2_PARTS ([^)]+)\)", text).group(1).split()]
    page = (root / "docs/installing.md").read_text(encoding="utf-8")
    for name in options:
        if f"| `{name}` |" not in page:
            yield f"option {name} is not in docs/installing.md"


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
    faults = [*function_faults(root, reference, library), *entry_faults(root, reference), *option_faults(root), *version_faults(root)]
    faults += [line for line in (reference / "warnings.txt").read_text(encoding="utf-8").splitlines() if line.strip()]
    for fault in faults:
        print(fault)
    print(f"checked the reference: {len(documented(reference / 'xml'))} functions, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
