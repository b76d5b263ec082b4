# SPDX-License-Identifier: BSD-3-Clause
"""Spans of a trace as rows of coloured pieces, of which there are few however long the run was."""

from collections import Counter, defaultdict

import numpy

PIECES = 1000  # of the whole time
MOST_ROWS = 32
MOST_NAMES = 9
ROUNDING = 1e-6  # of a piece: less is nothing


def names_of(trace):
    """The names with most time, at most MOST_NAMES, the longest first; reductions are always among them."""
    seconds = Counter()
    for span in trace.spans:
        seconds[span.name] += span.seconds
    order = [name for name, _ in seconds.most_common()]
    reductions = {span.name for span in trace.spans if span.lane == "reduction"}
    others = [name for name in order if name not in reductions][:max(0, MOST_NAMES - len(reductions))]
    return [name for name in order if name in reductions or name in others][:MOST_NAMES]


def rows_of(trace):
    """(rank, lane) of each row, and how many rows there are in all. Of many ranks some at equal distances."""
    all_rows = sorted({(span.rank, span.lane) for span in trace.spans})
    kinds = max(1, len({lane for _, lane in all_rows}))
    ranks = trace.ranks
    most = max(1, MOST_ROWS // kinds)
    if len(ranks) > most:
        chosen = {ranks[i * (len(ranks) - 1) // max(1, most - 1)] for i in range(most)}
        return [row for row in all_rows if row[0] in chosen], len(all_rows)
    return all_rows, len(all_rows)


def add(busy, begin, end, width):
    """Adds to each piece of time how much of it lies between `begin` and `end`."""
    first, last = begin / width, min(end / width, len(busy))
    low, high = int(first), min(int(last), len(busy) - 1)
    if low >= len(busy):
        return
    if low == high:
        busy[low] += last - first
        return
    busy[low] += low + 1 - first
    busy[low + 1:high] += 1
    busy[high] += last - high


def pieces_of(trace, rows, names):
    """By row: (begin, seconds, name, level) of pieces, one after the other; the name None stands for all others. Each
    piece of time has the name that takes most of it, and the part of it that is busy with anything, as quarters."""
    width = trace.end / PIECES if trace.end > 0 else 1.0
    busy = {row: defaultdict(lambda: numpy.zeros(PIECES)) for row in rows}
    for span in trace.spans:
        row = (span.rank, span.lane)
        begin, end = max(0.0, span.begin), span.begin + span.seconds  # what began before time zero is cut
        if row in busy and end >= begin:
            add(busy[row][span.name if span.name in names else None], begin, end, width)
    return {row: merged(by_name, width) for row, by_name in busy.items()}


def merged(by_name, width):
    keys = list(by_name)
    if not keys:
        return []
    parts = numpy.stack([by_name[key] for key in keys])
    quarters = numpy.ceil(4 * numpy.minimum(parts.sum(axis=0) - ROUNDING, 1)).clip(0).astype(int)
    kind = quarters + 5 * parts.argmax(axis=0)
    starts = numpy.flatnonzero(numpy.diff(kind, prepend=-1))
    ends = numpy.append(starts[1:], len(kind))
    return [(float(start * width), float((end - start) * width), keys[kind[start] // 5], quarters[start] / 4)
            for start, end in zip(starts, ends) if quarters[start] > 0]


def lane_seconds(trace):
    """By lane: seconds of each rank, those without any included. Spans of a lane may overlap (several threads)."""
    seconds = defaultdict(Counter)
    for span in trace.spans:
        seconds[span.lane][span.rank] += span.seconds
    return {lane: [by_rank[rank] for rank in trace.ranks] for lane, by_rank in sorted(seconds.items())}
