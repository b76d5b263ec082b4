# SPDX-License-Identifier: BSD-3-Clause
"""Which nodes are at one place?

Along a direction that no mesh is aligned with, coincident nodes are near each other, and few others are.
"""
import numpy as np

from .topology import part_of_each

DIRECTION = np.array([0.6180339887, 0.7320508076, 0.2360679775])
MOST_IN_A_ROW = 64  # nodes at one place are linked to so many others, which suffices to link all


def pairs(x, distance):
    """[n x 2] of nodes that are not farther from each other than `distance`."""
    along = x @ DIRECTION[:x.shape[1]]
    order = np.argsort(along, kind="stable")
    along = along[order]
    found = [np.empty((0, 2), np.int64)]
    near = np.arange(len(order))
    for step in range(1, MOST_IN_A_ROW + 1):
        near = near[near + step < len(order)]
        near = near[along[near + step] - along[near] <= 2 * distance]
        if not len(near):
            break
        one, other = order[near], order[near + step]
        same = ((x[one] - x[other]) ** 2).sum(axis=1) <= distance * distance
        found.append(np.stack([one[same], other[same]], axis=1))
    return np.concatenate(found)


def lowest(count, linked):
    """For each of `count` nodes the lowest one that it is linked with, directly or through others."""
    part = part_of_each(count, linked)
    first = np.zeros(part.max(initial=-1) + 1, np.int64)
    first[part[::-1]] = np.arange(count)[::-1]
    return first[part]
