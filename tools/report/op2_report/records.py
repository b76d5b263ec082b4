# SPDX-License-Identifier: BSD-3-Clause
"""What a run has written, read and checked: the per-loop table of OP2_TIMING and the spans of OP2_TRACE."""

import dataclasses
import functools
import json
import math
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path


class Problem(Exception):
    """What the user has to know and can change."""


@dataclass
class Loop:
    name: str
    code: str
    calls: int
    skipped: int
    fused: int          # calls as part of the loops fused_in, which have their time
    fused_in: str
    elements: int
    seconds: float      # of the slowest rank
    bytes: float        # useful traffic of all ranks
    flops: float | None
    least: float | None  # seconds of the fastest rank; None: one rank, or not recorded
    mean: float | None
    keys: list

    @property
    def gb_per_s(self):
        return self.bytes / self.seconds * 1e-9 if self.seconds > 0 else 0.0

    @property
    def imbalance(self):
        """What the slowest rank takes longer than the mean, as a part of the mean; None if unknown."""
        return self.seconds / self.mean - 1 if self.mean else None


@dataclass
class Spread:
    """Over the ranks."""
    most: float
    mean: float
    least: float

    def times(self, factor):
        return Spread(factor * self.most, factor * self.mean, factor * self.least)


@dataclass
class Part:
    name: str
    entries: int
    seconds: Spread


@dataclass
class Region:
    path: str
    calls: int
    loops: int          # called in it
    seconds: Spread     # from its begins to its ends
    executing: Spread   # of them, in executing loops, whoever called them
    loop_seconds: Spread


@dataclass
class Memory:
    name: str
    bytes: Spread


@dataclass
class Table:
    path: str
    program: str | None
    ranks: int | None
    loops: list         # that have time, the longest first
    fused: list         # those that only ran as part of others
    notes: dict
    wall: Spread | None = None
    parts: list = field(default_factory=list)    # of the wall time
    regions: list = field(default_factory=list)
    memory: list = field(default_factory=list)

    @property
    def seconds(self):
        return sum(loop.seconds for loop in self.loops)

    @property
    def has_flops(self):
        return any(loop.flops for loop in self.loops)


@dataclass
class Span:
    rank: int
    lane: str
    name: str
    begin: float        # seconds
    seconds: float


@dataclass
class Trace:
    path: str
    spans: list
    dropped: int

    @functools.cached_property
    def ranks(self):
        return sorted({span.rank for span in self.spans})

    @functools.cached_property
    def end(self):
        return max((span.begin + span.seconds for span in self.spans), default=0.0)


@dataclass
class Run:
    table: Table | None = None
    trace: Trace | None = None

    @property
    def title(self):
        """The program, or else a file, and the ranks."""
        ranks = self.table.ranks if self.table is not None else len(self.trace.ranks)
        name = (self.table.program if self.table is not None else None) or Path((self.table or self.trace).path).name
        return name + (f" on {ranks} rank{'s' if ranks != 1 else ''}" if ranks else "")


@dataclass
class Limits:
    """Of all ranks together; None: unknown."""
    gb_per_s: float | None = None
    gflop_per_s: float | None = None


@dataclass
class Item:
    """An object of a file, whose fields are checked when they are taken."""
    where: str
    fields: dict = field(default_factory=dict)

    def fail(self, name, expected):
        found = json.dumps(self.fields[name])[:40] if name in self.fields else "missing"
        raise Problem(f"{self.where}: '{name}' is {found} instead of {expected}; write the file anew")

    def number(self, name, least=0.0):
        value = self.fields.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fail(name, "a number")
        try:
            value = float(value)
        except OverflowError:
            value = math.inf
        if not least <= value < math.inf:
            self.fail(name, "a number" if least == -math.inf else f"a number from {least:g}")
        return value

    def count(self, name):
        value = self.number(name)
        if value != int(value):
            self.fail(name, "a whole number")
        return int(value)

    def text(self, name):
        value = self.fields.get(name)
        if not isinstance(value, str):
            self.fail(name, "a text")
        return value

    def texts(self, name):
        value = self.fields.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.fail(name, "a list of texts")
        return value

    def spread(self, name):
        return Spread(self.number(name), self.number(f"{name}_mean"), self.number(f"{name}_min"))

    def optional(self, name, take):
        return take(name) if name in self.fields else None

    def taken(self, kind, **names):
        """An object of the class `kind` of fields here, by their types.

        @param names  of fields that have another name here
        """
        take = {str: self.text, int: self.count, float: self.number, list: self.texts, Spread: self.spread,
                float | None: lambda name: self.optional(name, self.number)}
        return kind(*(take[each.type](names.get(each.name, each.name)) for each in dataclasses.fields(kind)))


def document_of(path):
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Problem(f"'{path}' is not a regular file; name a file of OP2_TIMING or OP2_TRACE")
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as problem:
        raise Problem(f"cannot read '{path}': {problem.strerror}; name a file of OP2_TIMING or OP2_TRACE") from problem
    except json.JSONDecodeError as problem:
        raise Problem(f"'{path}' is not JSON: {problem.msg}, line {problem.lineno} column {problem.colno}; OP2_TIMING "
                      "writes JSON to a file whose name ends in .json, and files are whole only after op_exit") from problem
    except (ValueError, RecursionError) as problem:
        raise Problem(f"'{path}' is not JSON: {str(problem)[:80]}; name a file of OP2_TIMING or OP2_TRACE") from problem


def items_of(path, what, values):
    if not isinstance(values, list):
        raise Problem(f"'{path}': '{what}' is not a list; write the file anew")
    for number, value in enumerate(values, 1):
        if not isinstance(value, dict):
            raise Problem(f"'{path}', item {number} of '{what}' is not an object; write the file anew")
        yield Item(f"'{path}', item {number} of '{what}'", value)


def table_of(path, document):
    def taken(what, kind, **names):
        return [item.taken(kind, **names) for item in items_of(path, what, document.get(what, []))]

    loops = taken("loops", Loop, name="loop", least="seconds_min", mean="seconds_mean")
    whole = Item(f"'{path}'", document)
    notes = document.get("notes", {})
    if not isinstance(notes, dict) or not all(isinstance(note, str) for note in notes.values()):
        whole.fail("notes", "an object of texts")
    ran = [loop for loop in loops if loop.calls > 0 or loop.seconds > 0]
    return Table(path, whole.optional("program", whole.text), whole.optional("ranks", whole.count), sorted(ran, key=lambda loop: -loop.seconds),
                 [loop for loop in loops if loop.calls == 0 and loop.seconds == 0], notes,
                 whole.optional("wall_seconds", whole.spread),
                 taken("parts", Part, name="part"), taken("regions", Region, path="region"),
                 taken("memory", Memory, name="memory"))


def trace_of(path, document):
    spans = []
    for item in items_of(path, "traceEvents", document["traceEvents"]):
        if item.fields.get("ph") != "X":
            continue
        spans.append(Span(item.count("pid"), item.text("cat"), item.text("name"),
                          1e-6 * item.number("ts", -math.inf), 1e-6 * item.number("dur")))
    other = document.get("otherData", {})
    return Trace(path, spans, Item(f"'{path}'", other).count("dropped") if isinstance(other, dict) and other else 0)


def read(paths):
    """The run of these files, which may come in any order. @throws Problem"""
    run = Run()
    for path in paths:
        document = document_of(path)
        kind = "table" if isinstance(document, dict) and "loops" in document else "trace"
        if not isinstance(document, dict) or (kind == "trace" and "traceEvents" not in document):
            raise Problem(f"'{path}' has neither 'loops' nor 'traceEvents'; name a file of OP2_TIMING (.json) or OP2_TRACE")
        if getattr(run, kind) is not None:
            raise Problem(f"'{getattr(run, kind).path}' and '{path}' are both a {kind}; give one of each kind")
        setattr(run, kind, table_of(path, document) if kind == "table" else trace_of(path, document))
    return run
