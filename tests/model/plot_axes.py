#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-3-Clause
"""plot_axes.py OP2_PLOT_PREDICTION: its axes have plain numbers of ranks and times, and name the unit."""
import importlib.machinery
import importlib.util
import re
import sys
import tempfile
from pathlib import Path

LOADER = importlib.machinery.SourceFileLoader("plot_prediction", sys.argv[1])
PROGRAM = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(PROGRAM)


def texts(factor):
    """What is written on a picture of times that are `factor` times as long."""
    off = {64: 0.08 * factor, 1024: 0.013 * factor, 4096: 0.0125 * factor}
    start = {64: 0.25 * factor, 1024: 0.06 * factor, 4096: 0.03 * factor}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prediction.svg"
        plt = PROGRAM.plotting()
        plt.rcParams["svg.fonttype"] = "none"
        PROGRAM.draw(plt, {"off": off, "on": off, "auto": off}, start, str(path))
        return re.findall(r"<text[^>]*>([^<]*)<", path.read_text())


def main():
    written = texts(1)
    assert {"64", "1024", "4096", "5", "10", "20", "50", "100", "200"} <= set(written), written
    assert "predicted time of the run, ms" in written and "number of ranks" in written, written
    assert "predicted time of the run, s" in texts(100)
    assert "predicted time of the run, us" in texts(1e-3)


if __name__ == "__main__":
    main()
