# SPDX-License-Identifier: BSD-3-Clause
"""What readers of several formats need: text whatever ends its lines, the rows that numbers stand for, runs of elements of
one type, and sets of elements that overlap."""
import re
import warnings

import numpy as np

from .failure import Damaged, MeshError, number_of, rows
from .shapes import shape_of

IN_TEXT = re.compile(rb"[\0-\x08\x0e-\x1a]")  # bytes that no text has


def is_text(data):
    return not IN_TEXT.search(data)


def with_line_feeds(data):
    """The same text, in which every line ends with a line feed, also the last one."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data if data.endswith(b"\n") else data + b"\n"


def read_text(path):
    """The bytes of a text file, whose lines end with line feeds."""
    with open(path, "rb") as file:
        return with_line_feeds(file.read())


def string(data):
    return data.decode("utf-8", "replace").strip()


def numbers(data, what, dtype=np.float64):
    """All numbers of a text, which spaces separate; `what` it is, for the message."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(data, dtype=dtype, sep=" ")
        except (DeprecationWarning, ValueError):
            raise Damaged(f"a value is not a number: {what} of {len(data)} bytes") from None


def count(data, what):
    """The first number of a line, which is not negative."""
    match = re.match(rb"\s*(\d{1,18})(?:\s|$)", data)
    if not match:
        raise Damaged(f"a number is not readable: {what}, {string(data[:40])!r}")
    return int(match.group(1))


class Numbering:
    """From the numbers of nodes or elements of a file, which may have gaps and any order, to their rows."""

    def __init__(self, numbers, what):
        self.numbers, self.what, self.order = numbers, what, None
        if len(numbers) and numbers[0] == 1 and np.array_equal(numbers, np.arange(1, len(numbers) + 1)):
            return
        self.order = np.argsort(numbers, kind="stable")
        self.ordered = numbers[self.order]
        twice = self.ordered[1:][self.ordered[1:] == self.ordered[:-1]]
        if len(twice):
            raise Damaged(f"{number_of(len(twice), 'number')} of {what}s are used twice: {rows(twice)}")

    def rows_of(self, wanted, user="elements have"):
        """@param user  whose numbers they are, for the message"""
        if self.order is None:
            place, known = wanted - 1, (wanted >= 1) & (wanted <= len(self.numbers))
        else:
            place = np.minimum(np.searchsorted(self.ordered, wanted), max(len(self.ordered) - 1, 0))
            known = self.ordered[place] == wanted if len(self.ordered) else np.zeros(np.shape(wanted), bool)
        if not known.all():
            raise Damaged(f"{user} {self.what}s that the file does not have: {rows(np.unique(wanted[~known]))} of "
                          f"{len(self.numbers)}")
        return place if self.order is None else self.order[place]


def run_length(values, at, length, columns):
    """How many records of `length` values from `at` on have the same values in these columns as the first one."""
    run, window = 1, 64
    count = (len(values) - at) // length
    while run < count:
        most = min(run + window, count)
        table = values[at + run * length:at + most * length].reshape(-1, length)[:, columns]
        other = np.flatnonzero((table != values[at:at + length][columns]).any(axis=1))
        if len(other):
            return run + int(other[0])
        run, window = most, 2 * window
    return run


def of_equal_elements(values, kinds, after, section):
    """(type, table) of each run of elements of one type in numbers that are type, nodes, and `after` others, again and again.

    @param kinds  type -> (name, number of nodes)
    """
    at = 0
    while at < len(values):
        kind = int(values[at])
        if kind not in kinds:
            raise MeshError(f"an element type is not known: type {kind} in section '{section}'; export without it")
        length = 1 + kinds[kind][1] + after
        if at + length > len(values):
            raise Damaged(f"section '{section}' ends within an element")
        run = run_length(values, at, length, [0])
        yield kind, values[at:at + run * length].reshape(run, length)[:, 1:1 + kinds[kind][1]]
        at += run * length


class NamedSets:
    """Gives the elements of a Source groups with new numbers, set after set: of several sets, the first counts."""

    def __init__(self, source):
        self.source = source
        self.tags = {}

    def _new_tag(self):
        used = [int(block.tags.max(initial=0)) for block in self.source.blocks]
        return max([*used, *(tag for _, tag in self.source.names), *self.tags.values()], default=0) + 1

    def add(self, name, members):
        """@param members  [(block, rows)]; elements that are in another group already stay there, which is said"""
        if name not in self.tags:
            self.tags[name] = self._new_tag()
        tag, all_of_them, mine = self.tags[name], 0, 0
        for block, chosen in members:
            chosen = np.unique(chosen)
            free = chosen[(block.tags[chosen] == 0) | (block.tags[chosen] == tag)]
            block.tags[free] = tag
            all_of_them, mine = all_of_them + len(chosen), mine + len(free)
            if len(free):
                self.source.names[shape_of(block.kind).dimension, tag] = name
        if mine < all_of_them:
            self.source.losses.append(
                f"elements are in several groups, of which the first counts: '{name}' keeps {mine} of "
                f"{number_of(all_of_them, 'element')}; give each element one group")
