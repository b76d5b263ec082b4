# SPDX-License-Identifier: BSD-3-Clause
"""Can a program compute on this mesh? From faults to findings."""
from dataclasses import dataclass

import numpy as np

from .failure import number_of, rows

ERROR, WARNING, NOTE = "error", "warning", "note"


@dataclass
class Finding:
    level: str
    name: str   # for programs that read the report
    count: int
    text: str


def _cells(faults):
    if len(faults.collapsed):
        yield Finding(ERROR, "collapsed_cells", len(faults.collapsed),
                      f"cells have a node twice: {number_of(len(faults.collapsed), 'cell')}, {rows(faults.collapsed)}; "
                      "remove them, or merge nodes over a smaller distance")
    if len(faults.flat):
        yield Finding(ERROR, "flat_cells", len(faults.flat),
                      f"cells have no volume: {number_of(len(faults.flat), 'cell')}, {rows(faults.flat)}; "
                      "mesh again with other sizes, or optimise the mesh")
    if faults.mirrored:
        yield Finding(NOTE, "mirrored_cells", faults.mirrored,
                      f"cells had a negative volume: {number_of(faults.mirrored, 'cell')}; "
                      "the order of their nodes was reversed")
    if len(faults.bent):
        yield Finding(WARNING, "bent_cells", len(faults.bent),
                      f"cells are not convex: {number_of(len(faults.bent), 'cell')}, {rows(faults.bent)}; "
                      "finite elements need positive Jacobians at all corners")


def _faces(faults):
    if len(faults.crowded):
        yield Finding(ERROR, "crowded_faces", len(faults.crowded),
                      f"faces have more than two cells: {number_of(len(faults.crowded), 'face')}, one with the nodes "
                      f"{rows([int(node) for node in faults.crowded[0]])}; remove cells that are there twice")
    if len(faults.folded):
        yield Finding(ERROR, "overlapping_cells", len(faults.folded),
                      f"cells overlap, because they are on one side of their face: {number_of(len(faults.folded), 'pair')}, "
                      f"one of cells {rows(faults.folded[0])}; mesh again")
    if len(faults.orphans):
        yield Finding(ERROR, "elements_without_cell", len(faults.orphans),
                      f"boundary elements are not faces of cells: {number_of(len(faults.orphans), 'element')}; "
                      "mesh boundary and interior together, or save only the boundary of the cells")
    if faults.disputed:
        yield Finding(WARNING, "faces_in_two_groups", faults.disputed,
                      f"faces are in two groups: {number_of(faults.disputed, 'face')}; the first group counts")


def _open_boundary(mesh):
    without = np.flatnonzero(mesh.boundary.tags == 0)
    if not len(without):
        return
    where = ", ".join(f"{value:.6g}" for value in mesh.boundary.centre[without[0]])
    some = len(without) < len(mesh.boundary.tags)
    what = "add them to a group, or merge nodes if they are inside" if some else "their group is 0, as that of all"
    yield Finding(WARNING if some else NOTE, "open_boundary", len(without),
                  f"boundary faces are in no group: {len(without)} of {number_of(len(mesh.boundary.tags), 'face')}, "
                  f"one at ({where}); {what}")


def _boundary(mesh):
    yield from _open_boundary(mesh)
    if not len(mesh.boundary.tags):
        yield Finding(WARNING, "no_boundary", 0, "the mesh has no boundary: 0 faces; check that this is meant")
    left = np.abs(mesh.boundary.normal.sum(axis=0)).max(initial=0)
    area = np.abs(mesh.boundary.normal).sum()
    if left > 1e-9 * area:
        yield Finding(ERROR, "boundary_not_closed", 1,
                      f"the boundary is not closed: its normals add up to {left:.3g} of {area:.3g}; "
                      "look for overlapping cells")


def _nodes(faults):
    if faults.merged:
        yield Finding(NOTE, "merged_nodes", faults.merged, f"nodes were merged with others: {number_of(faults.merged, 'node')}")
    if faults.unused:
        yield Finding(NOTE, "unused_nodes", faults.unused,
                      f"nodes of no cell were left out: {number_of(faults.unused, 'node')}")
    if len(faults.coincident):
        yield Finding(WARNING, "duplicate_nodes", len(faults.coincident),
                      f"nodes are at one place: {number_of(len(faults.coincident), 'pair')}, one of nodes "
                      f"{rows(faults.coincident[0])}; join them with --merge, unless cells shall be apart there")
    if len(faults.part_sizes) > 1:
        yield Finding(WARNING, "disconnected_parts", len(faults.part_sizes),
                      f"parts of the mesh share no face: {len(faults.part_sizes)} parts of {rows(faults.part_sizes)} "
                      "cells; join them with --merge, unless that is meant")


def findings(mesh):
    """All that is to be said, errors first."""
    found = [*_cells(mesh.faults), *_faces(mesh.faults), *_boundary(mesh), *_nodes(mesh.faults)]
    found += [Finding(WARNING, "changed_groups", 1, text) for text in mesh.faults.losses]
    found += [Finding(NOTE, "left_out", 1, text) for text in mesh.faults.notes]
    return sorted(found, key=lambda finding: (ERROR, WARNING, NOTE).index(finding.level))


def has_errors(found):
    return any(finding.level == ERROR for finding in found)
