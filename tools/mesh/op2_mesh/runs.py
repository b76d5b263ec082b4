# SPDX-License-Identifier: BSD-3-Clause
"""Where does a list of elements of several types go over to another type?"""
import numpy as np

from .failure import MeshError


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
        count = (len(values) - at) // length
        if count < 1:
            raise MeshError(f"section '{section}' ends within an element; write the mesh again")
        window = 64
        run = 1
        while run < count:
            most = min(run + window, count)
            other = np.flatnonzero(values[at + run * length:at + most * length:length] != kind)
            if len(other):
                run += int(other[0])
                break
            run, window = most, 2 * window
        yield kind, values[at:at + run * length].reshape(run, length)[:, 1:1 + kinds[kind][1]]
        at += run * length
