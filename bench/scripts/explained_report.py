# SPDX-License-Identifier: BSD-3-Clause
"""What OP2_CHAIN=auto expects of its choices, from the records of bench_explained.py in auto.jsonl."""

import re
import statistics

TEXT = """**What the model expects** (`bench/scripts/bench_explained.py`, {date}, {repeats} repeats at each of {points} points). At {nothing} points there was nothing to choose; at {stood} of the
others the first choice stood. When it is made, costs are wrong by up to 1.5, and halo layers that no loop has needed yet are taken to be as large as those before: *weight*
then has four to six times as many redundant iterations. At {compared} points the first choice was measured: its prediction, over `off`, is off by {median:.1f} % (median), at most {worst:.1f} %.
Later predictions follow from what was measured, so their errors say nothing.

"""
REPLACED = "The first choice was replaced at:\n\n"
HEADER = ["program", "ranks", "cells per rank", "nchains", "latency, us", "first choice", "predicted, of off", "last choice", "predicted", "measured"]


NOTHING = ("vflux", "iflux", "jacob")  # chains of the solver with one exchange: there is nothing but single rows of halos
ROWS = "single rows"


def choice(line):
    """The chains that a line names, in loops, and whether they have single rows of halos."""
    saved = re.search("saves (-?[0-9]+ exchanges?)", line)
    return ", ".join(differs(line)) + (f": {saved.group(1)} less" if saved else "") or "off"


def differs(line):
    """By what a choice differs from off."""
    chains = re.findall(r"\d+\.\.\d+", line.split(" chained: ")[0]) if " chained: " in line else []
    return chains + [ROWS] * (f"{ROWS} of halos" in line)


def number(name, line):
    """"predicted" or "measured", over the time of off; None: the line does not have it."""
    found = re.search(rf"{name} ([0-9.]+)", line)
    return float(found.group(1)) if found else None


def figure(number_or_none):
    return "-" if number_or_none is None else f"{number_or_none:.2f}"


def first_error(record):
    """Of the first prediction against the first measurement of the same chains; None: there is none."""
    first = record["lines"][0]
    measured = (number("measured", line) for line in record["lines"] if differs(line) == differs(first))
    found, predicted = next(filter(None, measured), None), number("predicted", first)
    return abs(predicted / found - 1) if found and predicted and differs(first) else None


def row(record):
    point, first, last = record["explained"], record["lines"][0], record["lines"][-1]
    measured = number("measured", last)
    return [point["program"], str(point["ranks"]), str(point["cells"]), str(point.get("nchains") or "-"), str(point["latency"]),
            choice(first), figure(number("predicted", first)), choice(last), figure(number("predicted", last)), figure(measured)]


def section(records, table):
    """Empty if nothing was recorded."""
    if not records:
        return ""
    chosen = [record for record in records if record["explained"]["program"] not in NOTHING or any(map(differs, record["lines"]))]
    replaced = [record for record in chosen if differs(record["lines"][0]) != differs(record["lines"][-1])]
    errors = [error for error in map(first_error, chosen) if error is not None]
    text = TEXT.format(date=max(record["date"] for record in records), repeats=records[0]["repeats"], points=len(records),
                       nothing=len(records) - len(chosen), stood=len(chosen) - len(replaced), compared=len(errors),
                       median=100 * statistics.median(errors or [0]), worst=100 * max(errors, default=0))  # fmt: skip
    return text + REPLACED + table(HEADER, [row(record) for record in replaced]) if replaced else text
