# SPDX-License-Identifier: BSD-3-Clause
"""How is text read, whatever ends its lines, and how are numbers taken from it?"""
import re
import warnings

import numpy as np

from .failure import MeshError

IN_TEXT = re.compile(rb"[\0-\x08\x0e-\x1a]")  # bytes that no text has


def is_text(data):
    return not IN_TEXT.search(data)


def with_line_feeds(data):
    """The same text, in which every line ends with a line feed, also the last one."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data if data.endswith(b"\n") else data + b"\n"


def read(path):
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
            raise MeshError(f"a value is not a number: {what} of {len(data)} bytes; write the mesh again") from None


def count(data, what):
    """The first number of a line, which is not negative."""
    match = re.match(rb"\s*(\d{1,18})(?:\s|$)", data)
    if not match:
        raise MeshError(f"a number is not readable: {what}, {string(data[:40])!r}; write the mesh again")
    return int(match.group(1))
