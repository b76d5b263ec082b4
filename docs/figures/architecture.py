#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The path of a loop through the library, as a picture: architecture.py architecture.svg"""

import sys
from html import escape

WIDTH, HEIGHT = 860, 430
# Name: left, top, width, height, colour, title, lines.
BOXES = {
    "program": (20, 20, 240, 70, "#ffffff", "program", ["op_decl_set, _map, _dat", "op_par_loop, op_fetch_data"]),
    "api": (310, 20, 240, 70, "#dbe9f6", "src/api", ["checks calls and arguments", "owns the session"]),
    "core": (
        600,
        20,
        240,
        70,
        "#dbe9f6",
        "src/core",
        ["mesh, arrays, options, errors", "Queue: loops not yet executed"],
    ),
    "sched": (
        310,
        150,
        240,
        110,
        "#c6dbef",
        "src/sched",
        [
            "Engine: a plan for each sequence",
            "cut, analyse, fuse, ...",
            "policy: which loops share a halo",
            "ChainRunner: executes plans",
        ],
    ),
    "jit": (
        20,
        150,
        240,
        110,
        "#dbe9f6",
        "src/jit",
        ["loop nest to machine code", "cache on disk and in memory", "LLVM in its own process", "NVRTC for GPUs"],
    ),
    "comm": (
        600,
        150,
        240,
        110,
        "#dbe9f6",
        "src/comm",
        ["partitions and owners", "halo layers, messages", "reductions over ranks", "files: HDF5, VTU, checkpoints"],
    ),
    "cpu": (20, 330, 240, 70, "#e5f5e0", "sched/executor/cpu", ["compiled code on threads", "in tiles"]),
    "cuda": (
        310,
        330,
        240,
        70,
        "#e5f5e0",
        "sched/executor/gpu",
        ["kernels and graphs on a GPU", "(src/gpu loads the driver)"],
    ),
    "reference": (
        600,
        330,
        240,
        70,
        "#e5f5e0",
        "sched/executor/reference",
        ["host functions, in order:", "what tests compare with"],
    ),
}
# From, to, label.
ARROWS = [
    ("program", "api", ""),
    ("api", "core", ""),
    ("core", "sched", "a result is needed"),
    ("sched", "jit", "code?"),
    ("sched", "comm", "rows?"),
    ("sched", "cpu", ""),
    ("sched", "cuda", ""),
    ("sched", "reference", ""),
]


def edge_point(box, other):
    """Where the line from the centre of a box to that of another leaves it."""
    left, top, width, height = BOXES[box][:4]
    x, y = left + width / 2, top + height / 2
    dx, dy = (BOXES[other][0] + BOXES[other][2] / 2 - x, BOXES[other][1] + BOXES[other][3] / 2 - y)
    scale = min(width / 2 / abs(dx) if dx else 1e9, height / 2 / abs(dy) if dy else 1e9)
    return x + scale * dx, y + scale * dy


def box_lines(left, top, width, height, colour, title, lines):
    yield (f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="6" fill="{colour}" stroke="#44546a"/>')
    yield f'<text x="{left + 12}" y="{top + 22}" font-weight="bold">{escape(title)}</text>'
    for k, line in enumerate(lines):
        yield f'<text x="{left + 12}" y="{top + 42 + 18 * k}" font-size="12.5">{escape(line)}</text>'


def arrow_lines(source, target, label):
    (x1, y1), (x2, y2) = edge_point(source, target), edge_point(target, source)
    yield f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="#44546a" stroke-width="1.5" marker-end="url(#head)"/>'
    if label:  # above a level arrow, to the left of others
        is_level = y1 == y2
        x, y, anchor = (x1 + x2) / 2 - (0 if is_level else 18), (y1 + y2) / 2 - 6, "middle" if is_level else "end"
        text = f'<text x="{x:.0f}" y="{y:.0f}" font-size="12" font-style="italic" text-anchor="{anchor}">'
        yield f"{text}{escape(label)}</text>"


def main():
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="14">',
        '<defs><marker id="head" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto">'
        '<path d="M0,0 L9,4 L0,8 z" fill="#44546a"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for arrow in ARROWS:
        lines += arrow_lines(*arrow)
    for box in BOXES.values():
        lines += box_lines(*box)
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("\n".join(lines + ["</svg>"]) + "\n")


if __name__ == "__main__":
    main()
