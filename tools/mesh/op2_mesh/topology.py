# SPDX-License-Identifier: BSD-3-Clause
"""Which faces (edges in 2D) do cells have, and which two cells share one?

All cells list their faces; sorted by their nodes, equal faces are neighbours in the list. Elements of one dimension less
are in the same list and so give their group to the face that they are. Cost: O(n log n) for n faces of all cells.
"""
from dataclasses import dataclass

import numpy as np


@dataclass
class Faces:
    """Faces with `width` nodes each; order: by first cell."""
    nodes: np.ndarray    # [faces x width], seen from the first cell the right-hand rule points outwards
    cells: np.ndarray    # [faces x 2]: first and second cell; -1: the face is on the boundary
    tags: np.ndarray     # [faces], the group of the element that is this face; 0: none
    crowded: np.ndarray  # nodes [n x width] of faces of more than two cells
    folded: np.ndarray   # indices of faces that their cells do not see from opposite sides
    orphans: np.ndarray  # nodes of elements that are not faces of cells
    disputed: int        # faces to which elements give different groups


def _words(nodes, count):
    """Sorted nodes of each face, packed into as few integers of 63 bits as possible; most significant first."""
    nodes = np.sort(nodes, axis=1)
    bits = max(int(count).bit_length(), 1)
    columns = max(63 // bits, 1)
    words = []
    for first in range(0, nodes.shape[1], columns):
        word = np.zeros(len(nodes), np.int64)
        for column in nodes.T[first:first + columns]:
            word <<= bits
            word |= column
        words.append(word)
    return words


def _grouped(words):
    """The order that brings equal faces together, and where each group of equal faces begins in it."""
    order = np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])
    starts = np.zeros(len(order), bool)
    starts[:1] = True
    for word in words:
        ordered = word[order]
        starts[1:] |= ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(starts)


def _neighbours(nodes):
    """The nodes after and before the smallest one of each face."""
    at, rows, width = nodes.argmin(axis=1), np.arange(len(nodes)), nodes.shape[1]
    return nodes[rows, (at + 1) % width], nodes[rows, (at - 1) % width]


def _seen_from_one_side(first, second):
    if first.shape[1] == 2:
        return (first[:, 0] != second[:, 1]) | (first[:, 1] != second[:, 0])
    after, before = _neighbours(first)
    other_after, other_before = _neighbours(second)
    return (after != other_before) | (before != other_after)


def _tags_of_groups(order, starts, sizes, of_cells, element_tags, first_element):
    """The first tag in each group of equal faces, and how many elements differ in their tag from that of their group."""
    is_element = order >= first_element
    found = element_tags[order[is_element] - first_element]
    group = np.repeat(np.arange(len(starts)), sizes - of_cells)
    group, found = group[found != 0], found[found != 0]
    tags = np.zeros(len(starts), np.int64)
    tags[group[::-1]] = found[::-1]
    return tags, int((found != tags[group]).sum())


def match(nodes, cells, elements, element_tags, node_count):
    """Faces from those of all cells.

    @param nodes         [rows x width], the faces of cells, in the order of the cells
    @param cells         [rows], the cell of each
    @param elements      [elements x width], elements of the dimension of faces, with `element_tags`
    """
    everything = np.concatenate([nodes, elements]) if len(elements) else nodes
    order, starts = _grouped(_words(everything, node_count))
    sizes = np.diff(starts, append=len(order))
    is_cell = order < len(nodes)
    of_cells = np.add.reduceat(is_cell, starts, dtype=np.int64) if len(starts) else sizes
    tags, disputed = _tags_of_groups(order, starts, sizes, of_cells, element_tags, len(nodes))

    first_row = order[starts]
    orphans = everything[first_row[of_cells == 0]]
    crowded = everything[first_row[of_cells > 2]]
    kept = np.flatnonzero((of_cells == 1) | (of_cells == 2))
    kept = kept[np.argsort(first_row[kept], kind="stable")]  # rows are in the order of cells
    shared = of_cells[kept] == 2
    first, tags = first_row[kept], tags[kept]
    second = order[starts[kept[shared]] + 1]
    both = np.full((len(kept), 2), -1, np.int64)
    both[:, 0] = cells[first]
    both[shared, 1] = cells[second]
    folded = np.flatnonzero(shared)[_seen_from_one_side(nodes[first[shared]], nodes[second])]
    return Faces(nodes[first], both, tags, crowded, folded, orphans, disputed)


def part_of_each(count, pairs):
    """The connected part of each of `count` things; parts are numbered from 0 by their lowest things.

    @param pairs  [n x 2] of things that are connected
    """
    root = np.arange(count)
    while len(pairs):
        root[pairs.max(axis=1)] = pairs.min(axis=1)  # any of several: roots become lower, so there are no cycles
        while True:
            above = root[root]
            if np.array_equal(above, root):
                break
            root = above
        pairs = root[pairs]
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return np.unique(root, return_inverse=True)[1]
