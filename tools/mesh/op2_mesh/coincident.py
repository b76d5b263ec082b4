# SPDX-License-Identifier: BSD-3-Clause
"""Which nodes are at one place?

A grid of cubes, hashed, whose diagonals are a little shorter than the distance: nodes of one cube are near each other,
and nodes that are near are at most two cubes apart. Time and memory follow the number of nodes, however many of them are at
one place: each cube links its nodes to its first one, and two cubes that are linked already are not compared.
"""
import itertools

import numpy as np

from .failure import MeshError
from .topology import part_of_each

CUBES_IN_DISTANCE = 1.74   # more than the root of 3
MOST_CUBES = 2.0 ** 46     # from 0; farther away coordinates are not accurate enough, and only equal ones are at one place
FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64).view(np.int64)  # of the hash
BLOCK = 1 << 15            # pairs of 2 x 2 x 2 cubes, of which each has at most 64 pairs of cubes
COMPARED = 1 << 20         # pairs of nodes at a time
MOST_COMPARED = 1 << 28    # of two blocks


def _cubes(x, distance):
    """[nodes x dimension]: the cube of each node along each axis."""
    with np.errstate(all="ignore"):
        place = np.floor(x / (distance / CUBES_IN_DISTANCE))
        counted = np.abs(place) < MOST_CUBES  # not for NaN, as for a distance of 0
        return np.where(counted, place, 0).astype(np.int64) + np.where(counted, 0, (x + 0.0).view(np.int64))


class _Lists:
    """Things in lists: those of list k are order[first[k]], ..., `size[k]` of them."""

    def __init__(self, keys, rows):
        self.order = np.argsort(keys, kind="stable")
        ordered = rows[self.order]
        begins = np.ones(len(ordered), bool)
        begins[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
        self.first = np.flatnonzero(begins)
        self.size = np.diff(self.first, append=len(ordered))
        self.list_of = np.cumsum(begins) - 1  # of each place in `order`


def _all_pairs(lists, one, other):
    """Each thing of the lists `one` with each thing of the lists `other`; of a list with itself, each pair once."""
    count = lists.size[one] * lists.size[other]
    row = np.repeat(np.arange(len(count)), count)
    number = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    left = lists.first[one][row] + number // lists.size[other][row]
    right = lists.first[other][row] + number % lists.size[other][row]
    kept = (one != other)[row] | (left < right)
    return np.stack([lists.order[left[kept]], lists.order[right[kept]]], axis=1)


def _neighbours(cubes):
    """For each direction, first with cubes that touch, then with others, blocks of pairs [n x 2] of cubes up to two apart."""
    coarse = cubes >> 1
    factors = FACTORS[:cubes.shape[1]]
    keys = coarse @ factors
    lists = _Lists(keys, keys[:, None])
    keys = keys[lists.order[lists.first]]
    found = []
    for offset in itertools.product((-1, 0, 1), repeat=len(factors)):
        if offset >= (0,) * len(offset):  # not the opposite direction
            wanted = keys + np.array(offset) @ factors
            other = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            one = np.flatnonzero(keys[other] == wanted)
            found.append((one, other[one]))
    for least, most in ((0, 1), (2, 2)):
        for one, other in found:
            yield (pairs[(apart >= least) & (apart <= most)]
                   for pairs, apart in _blocks(cubes, lists, one, other))


def _blocks(cubes, lists, one, other):
    """Pairs of cubes [n x 2] of pairs of lists, and how far they are from each other along any axis."""
    for begin in range(0, len(one), BLOCK):
        pairs = _all_pairs(lists, one[begin:begin + BLOCK], other[begin:begin + BLOCK])
        yield pairs, np.abs(cubes[pairs[:, 0]] - cubes[pairs[:, 1]]).max(axis=1, initial=0)


def _near(x, nodes, pairs, distance):
    """(rows of `pairs`, [n x 2] nodes): for each pair of lists the first two nodes of them that are near each other."""
    rows, found, links, begin = np.arange(len(pairs)), [], [], 0
    while len(rows):
        one, other = pairs[rows].T
        count = nodes.size[one] * nodes.size[other]
        step = max(1, min(COMPARED // len(rows), int(count.max()) - begin))
        number = np.minimum(begin + np.arange(step), count[:, None] - 1)
        left = nodes.order[nodes.first[one][:, None] + number // nodes.size[other][:, None]]
        right = nodes.order[nodes.first[other][:, None] + number % nodes.size[other][:, None]]
        near = ((x[left] - x[right]) ** 2).sum(axis=2) <= distance * distance
        hit, at = near.any(axis=1), near.argmax(axis=1)
        found.append(rows[hit])
        links.append(np.stack([left[hit, at[hit]], right[hit, at[hit]]], axis=1))
        begin += step
        if begin * len(rows) > MOST_COMPARED:
            raise MeshError(f"too many nodes are near each other: {count.max()} pairs of nodes of two cubes, distance "
                            f"{distance:g}; look for coordinates that are far from the mesh, or give --merge a smaller distance")
        rows = rows[~hit & (count > begin)]
    return (np.concatenate(found), np.concatenate(links)) if found else (rows, np.zeros((0, 2), np.int64))


def links(x, distance):
    """[n x 2] of nodes that are not farther from each other than `distance`: not all of these, but enough to link all.

    @param x  [nodes x 2 or 3]
    """
    if not len(x):
        return np.zeros((0, 2), np.int64)
    cubes = _cubes(x, distance)
    nodes = _Lists(cubes @ FACTORS[:x.shape[1]], cubes)
    heads = nodes.order[nodes.first]
    found = [np.stack([heads[nodes.list_of], nodes.order], axis=1)]
    found[0] = found[0][found[0][:, 0] != found[0][:, 1]]
    part, linked = np.arange(len(heads)), np.zeros((0, 2), np.int64)
    for blocks in _neighbours(cubes[heads]):
        fresh = [linked]
        for pairs in blocks:
            pairs = pairs[part[pairs[:, 0]] != part[pairs[:, 1]]]
            rows, near = _near(x, nodes, pairs, distance)
            fresh.append(pairs[rows])
            found.append(near)
        if sum(map(len, fresh)) > len(linked):
            linked = np.concatenate(fresh)
            part = part_of_each(len(heads), linked)
    return np.concatenate(found)
