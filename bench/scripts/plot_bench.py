#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what `make bench` has measured: how many times as fast as hand-written code.

    plot_bench.py build/bench.jsonl build/bench.png
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def bars_of(figures):
    """Name, threads and ratio of every case that is compared with hand-written code."""
    for figure in figures:
        if "times_as_fast" not in figure or figure["case"] == "hand scalar":
            continue
        unit = "cells" if "cells" in figure else "elements"
        yield f'{figure["case"]}, {figure[unit] / 1e6:.2g} M {unit}', figure["threads"], figure["times_as_fast"]


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="ascii") as lines:
        figures = [json.loads(line) for line in lines if line.startswith("{")]
    bars = list(bars_of(figures))
    names = list(dict.fromkeys(name for name, _, _ in bars))
    threads = sorted({count for _, count, _ in bars})
    height = 0.8 / len(threads)
    _, axes = plt.subplots(figsize=(8, 0.5 * len(names) + 1.2))
    for k, count in enumerate(threads):
        here = [(names.index(name) + (k - (len(threads) - 1) / 2) * height, ratio)
                for name, threads_of_bar, ratio in bars if threads_of_bar == count]
        axes.barh([y for y, _ in here], [ratio for _, ratio in here], height, label=f"{count} threads")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("times as fast as hand-written code (scalar, as many threads)")
    axes.legend()
    plt.tight_layout()
    plt.savefig(target, dpi=120)


if __name__ == "__main__":
    main()
