# SPDX-License-Identifier: BSD-3-Clause
"""What OP2_CHAIN=auto expects of its choices, from the records of bench_explained.py in auto.jsonl."""

import re
import statistics

TEXT = """**What the model expects** (`tests/bench/bench_explained.py`, {date}, {repeats} repeats at each of {points} points; costs are wrong by up to 1.5 in the first choice,
and known for what has run in later ones). At {stood} points the first choice stood. At {compared} the last line names a measured time beside the predicted one, both over `off`:
predictions are off by {median:.1f} % (median), at most {worst:.1f} %.

"""
REPLACED = "The first choice was replaced at:\n\n"
HEADER = ["program", "ranks", "cells per rank", "nchains", "latency, us", "first choice", "predicted, of off", "last choice", "predicted", "measured"]


def choice(line):
    """Of the chains that a line names, how many there are."""
    if " chained: " not in line:
        return "off"
    chains, less = len(chained_loops(line)), re.search("saves (-?[0-9]+ exchanges?)", line).group(1)
    return f"{chains} chain{'s' if chains > 1 else ''}, {less} less"


def chained_loops(line):
    return re.findall(r"\d+\.\.\d+", line.split(" chained: ")[0]) if " chained: " in line else []


def number(name, line):
    """"predicted" or "measured", over the time of off; None: the line does not have it."""
    found = re.search(rf"{name} ([0-9.]+)", line)
    return float(found.group(1)) if found else None


def row(record):
    point, first, last = record["explained"], record["lines"][0], record["lines"][-1]
    measured = number("measured", last)
    return [point["program"], str(point["ranks"]), str(point["cells"]), str(point.get("nchains") or "-"), str(point["latency"]),
            choice(first), f"{number('predicted', first):.2f}", choice(last), f"{number('predicted', last):.2f}",
            "-" if measured is None else f"{measured:.2f}"]  # fmt: skip


def section(records, table):
    """Empty if nothing was recorded."""
    if not records:
        return ""
    replaced = [record for record in records if chained_loops(record["lines"][0]) != chained_loops(record["lines"][-1])]
    last = [record["lines"][-1] for record in records]
    errors = sorted(abs(number("predicted", line) / number("measured", line) - 1) for line in last if number("measured", line))
    text = TEXT.format(date=max(record["date"] for record in records), repeats=records[0]["repeats"], points=len(records),
                       stood=len(records) - len(replaced), compared=len(errors),
                       median=100 * statistics.median(errors or [0]), worst=100 * max(errors, default=0))  # fmt: skip
    return text + REPLACED + table(HEADER, [row(record) for record in replaced]) if replaced else text
