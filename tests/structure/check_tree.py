#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks what every file of the source tree must obey: the direction of includes between the modules
of src/ (docs/architecture.md), where third-party headers may be included, rules of form, and links
between pages.

    check_tree.py ROOT      prints one line per fault; the exit code says whether there is any
"""

import re
import sys
from pathlib import Path

import page_links

# What each module may include, besides itself, the public headers and libraries.
MAY_INCLUDE = {
    "core": set(),
    "gpu": {"core"},
    "comm": {"core"},
    "jit": {"core", "gpu"},
    "sched": {"core", "gpu", "comm", "jit"},
    "api": {"core", "gpu", "comm", "jit", "sched"},
    "compat": {"core", "comm", "jit", "sched", "api"},
}
# Headers that are kept to a few files, so that the rest of the tree builds without the library.
RATIONED = [
    ("MPI", re.compile(r"mpi\.h$"), 5),
    ("HDF5", re.compile(r"H5\w+\.h$|hdf5(_hl)?\.h$"), 3),
    ("CUDA", re.compile(r"(cuda|nvrtc|cuda_runtime|cuda_runtime_api)\.h$"), 0),
]
# Compiled apart from the library, in the two halves of the plug-in and in the tool that reads programs:
# not a number of files but folders.
LLVM = re.compile(r"(llvm|clang|llvm-c|clang-c|lld)/")
LLVM_FOLDERS = [("src", "jit", "llvm"), ("tools", "embed_kernels")]
# The tool that runs passes of the library for ranks that there are not.
MODEL, MODEL_MAY_SEE = ("tools", "model"), {"comm", "sched"}
# Headers with the names and the transitive includes of OP2's own; -I of this folder alone suffices.
COMPAT = ("include", "op2", "compat")
COMPAT_MAY_INCLUDE = re.compile(r"(\w+\.h|sys/queue\.h)$")
# Planning asks a GPU's target through jit/target/target.hpp; its headers are for the executor that launches
# its kernels, and for what opens the device.
GPU_TARGET = re.compile(r"jit/target/cuda/|sched/executor/gpu/")
GPU_TARGET_PLACES = re.compile(r"src/(jit/target/|sched/executor/gpu/|sched/executor/make_executor\.|api/code_makers\.)")
INCLUDE = re.compile(r'^\s*#\s*include\s*(<|")([^>"]+)[>"]')
# The program that compiles kernels may end itself.
PROGRAM = ("src", "jit", "remote", "program")
PRINTS = re.compile(r"(?<![\w.>])(?:std::)?(?:printf|fprintf|puts|fputs|putchar|exit|_exit|quick_exit"
                    r"|abort|terminate)\s*\(|\bstd::(?:cout|cerr|clog)\b|\bfmt::print\b")
# Bytes of dats, maps and globals by address. Everybody else says what it needs: host_read(), host_write(), ...
# of core/array. The headers for OP2's programs hand out the pointer that programs know, `dat->data`.
RAW_BYTES = re.compile(r"\bhost_address\(|\brows\.get\(\)|\bdat(?:\.|->)data\b(?!\()")
RAW_BYTES_PLACES = re.compile(r"src/core/(?:array|mesh)\.|src/sched/executor/")
PUBLIC_POINTER = re.compile(r"\bdat->data\b")
# On one rank a mesh has a halo plan without neighbours, and collectives return at once: outside src/comm few
# places may ask for the number of ranks.
RANK_BRANCH = re.compile(r"\balone\(\)(?! const)|\branks(?:\(\))? (?:[<>]|[=!]=) 1\b"
                         r"|\b(?:comm|communicator|ranks)_?(?:\(\))?(?:\.|->)size\(\) (?:[<>]|[=!]=) 1\b")
MAX_RANK_BRANCHES = 9
LEFTOVERS = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b|(?<![\w.])/(?:home|root|work)/\w")

# Of what a page names in code; a pair of files may be named without its ending.
NAMED_PATH = re.compile(r"`((?:src|include|tests|tools|bench|examples|docs|cmake|packaging)/[\w./-]*)`")

CODE = {".cpp", ".hpp", ".h", ".cmake", ".py", ".sh"}
TEXT = CODE | {".md", ".txt", ".in", ".json", ".yml", ".expected"}
NAMES = {"Makefile", "LICENSE", ".clang-format", ".clang-tidy", ".editorconfig", ".gitignore"}
SKIPPED = {".git", ".gpu", "build", ".cache", "__pycache__"}
MAX_LINES = 800


def text_files(root):
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_file() and not SKIPPED.intersection(parts):
            if path.suffix in TEXT or path.name in NAMES or parts[0] == ".ci":
                yield path


def includes(lines):
    """Yields line number, whether it is in quotes, and name."""
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def module_of(name):
    first, _, rest = name.partition("/")
    return first if rest and first in MAY_INCLUDE else None


def compat_include_fault(parts, name, quoted):
    siblings = name == "../handles.h" or "/" not in name
    if quoted and not siblings:
        return f'writes "{name}"; these headers include each other and "../handles.h" in quotes'
    if not quoted and ("/" in name or "." in name) and not COMPAT_MAY_INCLUDE.match(name):
        return f"stands for a header of OP2 and includes <{name}>; only what OP2's includes"
    return None


def include_fault(parts, name, quoted):
    """Why the file at `parts` (of its path) may not include `name`, or None."""
    top, target = parts[0], module_of(name)
    if parts[:3] == COMPAT:
        return compat_include_fault(parts, name, quoted)
    if quoted and top in ("src", "include"):
        return f'writes "{name}" in quotes; own headers are <module/file.hpp>'
    if top == "include" and ("/" in name or "." in name) and not name.startswith("op2/"):
        return f"is a public header and includes <{name}>; only op2/ and the standard library"
    inside = any(parts[:len(folder)] == folder for folder in LLVM_FOLDERS)
    if LLVM.match(name) and not inside and top in ("src", "include", "tools"):
        kept = " and ".join("/".join(folder) for folder in LLVM_FOLDERS)
        return f"includes <{name}>; headers of LLVM and Clang are kept to {kept}"
    if target is None:
        return None
    if top == "src" and parts[1] != target and target not in MAY_INCLUDE.get(parts[1], ()):
        return f"is in {parts[1]} and includes <{name}>; {parts[1]} may not see {target}"
    if top == "src" and GPU_TARGET.match(name) and not GPU_TARGET_PLACES.match("/".join(parts)):
        return f"includes <{name}> of a GPU's target; ask jit/target/target.hpp"
    compiling = name.startswith(("jit/llvm/", "jit/kernel_library/")) or name in ("jit/kernel_facts.hpp", "jit/math_names.hpp")
    seen = "cache" in name or (inside and compiling)  # how kernels are compiled and what they prove
    if parts[:2] == MODEL and target in MODEL_MAY_SEE:
        return None
    if top == "tools" and target != "core" and not (target == "jit" and seen):
        return f"is a tool and includes <{name}>; tools see core and the cache of jit"
    if top == "examples" or parts[:2] in (("tests", "install"), ("bench", "netmodel")):
        return f"is a program of a user and includes <{name}>; only the public headers"
    return None


def without_comments_and_strings(lines):
    """The same lines with what is no code taken out; raw strings may span lines."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda raw: "\n" * raw.group().count("\n"),
                  "\n".join(lines), flags=re.DOTALL)
    return [re.sub(r'//.*|"(?:\\.|[^"\\])*"', '""', line) for line in text.split("\n")]


def raw_bytes_faults(parts, lines):
    if parts[0] != "src" or RAW_BYTES_PLACES.match("/".join(parts)):
        return
    for number, code in enumerate(without_comments_and_strings(lines), 1):
        if parts[1] == "compat":
            code = PUBLIC_POINTER.sub("", code)
        if RAW_BYTES.search(code):
            yield number, f"takes bytes by address; use host_read() or host_write(): {code.strip()}"


def rank_branches(parts, lines):
    """The numbers of lines that ask for the number of ranks; the function that they call does not count."""
    if parts[0] != "src" or parts[1] == "comm":
        return []
    return [number for number, code in enumerate(without_comments_and_strings(lines), 1)
            if RANK_BRANCH.search(code) and "alone() const" not in code]


def form_faults(path, parts, lines):
    is_code = path.suffix in CODE or path.name in ("CMakeLists.txt", "Makefile") or parts[0] == ".ci"
    if is_code:
        first = lines[1:2] if lines[:1] and lines[0].startswith("#!") else lines[:1]
        if not first or "SPDX-License-Identifier: BSD-3-Clause" not in first[0]:
            yield 1, "does not begin with the SPDX line"
        if len(lines) > MAX_LINES:
            yield len(lines), f"has more than {MAX_LINES} lines"
    for number, line in enumerate(lines, 1):
        if not line.isascii():
            yield number, "has a character outside ASCII"
        if LEFTOVERS.search(line) and path.name != Path(__file__).name:
            yield number, f"has a leftover: {line.strip()}"
    in_library = parts[0] == "src" and parts[1:2] not in (("api",), ("compat",)) and parts[:4] != PROGRAM
    if in_library and path.suffix in (".cpp", ".hpp"):
        for number, code in enumerate(without_comments_and_strings(lines), 1):
            if PRINTS.search(code):
                yield number, f"prints or ends the program: {code.strip()}"


def named_path_faults(root, path, lines):
    """Files and folders of the tree that a page names, but that do not exist."""
    if path.suffix != ".md" or "results" in path.parts:  # results may name what was there then
        return
    for number, line in enumerate(lines, 1):
        for name in NAMED_PATH.findall(line):
            if not any((root / (name + suffix)).exists() for suffix in ("", ".hpp", ".cpp")):
                yield number, f"names `{name}`, but there is no such file or folder"


def check(root):
    """All faults below `root`, as lines of text."""
    faults, users, branches = [], {what: [] for what, _, _ in RATIONED}, []
    for path in text_files(root):
        where = path.relative_to(root)
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            faults.append(f"{where}:1 is not UTF-8")
            continue
        faults += [f"{where}:{number} {what}" for number, what in form_faults(path, where.parts, lines)]
        faults += [f"{where}:{number} {what}" for number, what in page_links.faults(path, lines)]
        faults += [f"{where}:{number} {what}" for number, what in named_path_faults(root, path, lines)]
        if path.suffix not in (".cpp", ".hpp", ".h"):
            continue
        faults += [f"{where}:{number} {what}" for number, what in raw_bytes_faults(where.parts, lines)]
        branches += [f"{where}:{number}" for number in rank_branches(where.parts, lines)]
        for number, quoted, name in includes(lines):
            fault = include_fault(where.parts, name, quoted)
            if fault:
                faults.append(f"{where}:{number} {fault}")
            for what, pattern, _ in RATIONED:
                if pattern.match(name) and where.parts[0] in ("src", "include", "tools"):
                    users[what].append(str(where))
    for what, _, limit in RATIONED:
        files = sorted(set(users[what]))
        if len(files) > limit:
            faults.append(f"{what} headers are included in {len(files)} files, "
                          f"more than {limit}: {', '.join(files)}")
    if len(branches) > MAX_RANK_BRANCHES:
        faults.append(f"{len(branches)} lines outside src/comm ask for the number of ranks, "
                      f"more than {MAX_RANK_BRANCHES}: {', '.join(branches)}")
    return faults


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    faults = check(Path(sys.argv[1]).resolve())
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
