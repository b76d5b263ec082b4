# SPDX-License-Identifier: BSD-3-Clause
"""How far op2-model is from the clock, from the records of bench_model.py in model.jsonl.

A record is one size of a program with one setting of OP2_CHAIN in one series: seconds of an iteration, all measured `runs`, their mean
`measured` (up to the nineteenth series their median), and `predicted`; `uncertain` where op2-model warns that costs are a guess; `cores` as core_distance.py calls their distance.
"""
import itertools
import json

from auto_report import percent, spaced
from core_distance import FAR, WORDS

LIMITS = ((10_000, 0.10), (0, 0.15))  # of the error, from so many cells per rank
BEGIN, END = "<!-- table of bench_model.py -->\n", "<!-- end of the table -->\n"
HEADER = ["program", "cells per rank", "series", "off: measured", "predicted", "error", "on: measured", "predicted", "error", "auto: measured",
          "chosen by the model"]  # fmt: skip

SERIES = "Errors of the series on record, of off and on, in per cent (cells per rank; a star: not judged):\n\n"


def read(path):
    """Records, in their order; none if the file does not exist."""
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()] if path.exists() else []


def next_series(records):
    return 1 + max((record["series"] for record in records), default=0)


def error(record):
    return record["predicted"] / record["measured"] - 1


def limit(record):
    return next(most for cells, most in LIMITS if record["cells_per_rank"] >= cells)


def is_judged(record):
    """What auto will choose is a decision, not a time."""
    return record["chain"] != "auto" and not record["uncertain"]


def is_kept(record):
    """Whether the error is within its limit, if it is judged."""
    return not is_judged(record) or abs(error(record)) <= limit(record)


def figure(seconds):
    return f"{1e6 * seconds:.1f}" if seconds < 1e-4 else f"{1e6 * seconds:.0f}"


def measured(record):
    return f"{figure(record['measured'])} ({figure(min(record['runs']))} to {figure(max(record['runs']))})"


def verdict(record):
    """The error; a star: not judged; two: above its limit."""
    return percent(error(record)) + ("\\*" if not is_judged(record) else "" if is_kept(record) else "\\*\\*")


def choice(of):
    """What is predicted for auto, and whether the faster one of off and on was chosen. @param of  records by OP2_CHAIN"""
    same = [chain for chain in ("off", "on") if abs(of["auto"]["predicted"] / of[chain]["predicted"] - 1) < 1e-6]
    faster = min(("off", "on"), key=lambda chain: of[chain]["measured"])
    if not same:
        return "chains between off and on"
    return f"{same[0]} ({'right' if faster in same else 'wrong'})"


def last_cases(records):
    """[{OP2_CHAIN: record}]: each size, and distance of the cores, in the last series that has its program."""
    last = {record["program"]: record["series"] for record in records}
    cases = {}
    for record in records:
        if record["series"] == last[record["program"]]:
            cases.setdefault((record["program"], record["cells_per_rank"], record["cores"]), {})[record["chain"]] = record
    return list(cases.values())


def row(of):
    """@param of  records by OP2_CHAIN"""
    off = of["off"]
    texts = [text for chain in ("off", "on") for text in (measured(of[chain]), figure(of[chain]["predicted"]), verdict(of[chain]))]
    where = f", {WORDS[FAR]}" if off["cores"] == FAR else ""
    return [off["program"] + where, spaced(off["cells_per_rank"]), str(off["series"]), *texts,
            figure(of["auto"]["measured"]), choice(of)]  # fmt: skip


def short(record):
    """Its error without a unit; a star: not judged."""
    return f"{100 * error(record):+.1f}" + ("" if is_judged(record) else "\\*")


def series_table(records, table):
    """One row for each series: how many errors of off and on were within their limits, and all of them, in per cent, by program and size."""
    times = [record for record in records if record["chain"] != "auto"]
    cases = sorted({(record["program"], record["cells_per_rank"]) for record in times})
    rows = []
    for series in sorted({record["series"] for record in times}):
        some = [record for record in times if record["series"] == series]
        judged = [record for record in some if is_judged(record)]
        inside = [record for record in some if abs(error(record)) <= limit(record)]
        errors = [", ".join(short(record) for record in some if (record["program"], record["cells_per_rank"]) == case) or "-" for case in cases]
        rows.append([f"{series}, {some[0]['date']}", some[0]["cpu"], f"{sum(map(is_kept, judged))} of {len(judged)}", f"{len(inside)} of {len(some)}", *errors])
    return table(["series", "CPU", "judged and within", "all and within", *(f"{program}, {spaced(cells)}" for program, cells in cases)], rows)


def with_table(page, records, table):
    """The page with other tables, of the last series and of all, between its marks. ValueError: it has no such marks."""
    before, marked = page.split(BEGIN)
    _, after = marked.split(END)
    rows = [row(case) for case in last_cases(records)]
    return before + BEGIN + table(HEADER, rows) + SERIES + series_table(records, table) + END + after


def plot(records, path):
    """Predicted over measured at all judged and unjudged cases, by the size of a part."""
    import matplotlib.pyplot as plt  # not everywhere; tests do without

    picture, axis = plt.subplots(figsize=(7.5, 4.2))
    times = [record for record in records if record["chain"] != "auto"]
    styles = {"Airfoil": "tab:blue", "conjugate gradients": "tab:orange"}
    all_series = sorted({record["series"] for record in times})
    for series, (program, colour), judged in itertools.product(all_series, styles.items(), (False, True)):
        some = [record for record in times if (record["program"], record["series"], is_judged(record)) == (program, series, judged)]
        axis.scatter([record["cells_per_rank"] for record in some], [1 + error(record) for record in some],
                     marker="osD^v<>"[all_series.index(series) % 7], facecolors=colour if judged else "none", edgecolors=colour, s=30,
                     label=f"{program}, series {series}" if judged and some else None)  # fmt: skip
    least, most = min(record["cells_per_rank"] for record in times) / 1.3, max(record["cells_per_rank"] for record in times) * 1.3
    for sign in (-1, 1):
        axis.step([least, LIMITS[0][0], most], [1 + sign * LIMITS[1][1], 1 + sign * LIMITS[0][1], 1 + sign * LIMITS[0][1]],
                  where="post", color="gray", linewidth=0.8)
    axis.axhline(1, color="black", linewidth=0.8)
    axis.set_xscale("log")
    axis.set_xlim(least, most)
    axis.set_xlabel("cells per rank")
    axis.set_ylabel("predicted / measured, 2 ranks")
    axis.legend(fontsize=7)
    picture.tight_layout()
    picture.savefig(path, dpi=110)
    plt.close(picture)
