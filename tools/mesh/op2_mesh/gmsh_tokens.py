# SPDX-License-Identifier: BSD-3-Clause
"""How are numbers taken from a Gmsh file, text or binary, without trusting its counts?"""
import numpy as np

from .failure import MeshError
from .text import numbers


class Text:
    """The numbers of a section, one after the other."""

    def __init__(self, text, section, dtype=np.float64):
        self.section, self.numbers, self.at = section, numbers(text, f"section ${section}", dtype), 0

    def take(self, count):
        count, left = int(count), len(self.numbers) - self.at
        if not 0 <= count <= left:
            raise MeshError(f"the section ends too early: ${self.section} needs {count} more numbers and has {left}; "
                            "write the mesh again")
        self.at += count
        return self.numbers[self.at - count:self.at]

    ints = sizes = reals = take


class Binary:
    """The same for values of fixed width."""

    def __init__(self, data, at, section, size_bytes):
        self.data, self.at, self.section = data, at, section
        self.size_type = np.dtype(f"<u{size_bytes}")

    def take(self, dtype, count):
        dtype, count = np.dtype(dtype), int(count)
        left = (len(self.data) - self.at) // dtype.itemsize
        if not 0 <= count <= left:
            raise MeshError(f"the file ends too early: ${self.section} needs {count} values of {dtype.itemsize} bytes "
                            f"and {left} are left; write the mesh again")
        values = np.frombuffer(self.data, dtype, count, self.at)
        self.at += count * dtype.itemsize
        return values

    def ints(self, count):
        return self.take("<i4", count)

    def sizes(self, count):
        values = self.take(self.size_type, count)
        if values.size and values.max() > np.iinfo(np.int64).max:
            raise MeshError(f"a number is too large: ${self.section} has {values.max()}; write the mesh again")
        return values.astype(np.int64)

    def reals(self, count):
        return self.take("<f8", count)
