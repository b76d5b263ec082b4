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


# (level, attribute of Faults, name of the finding, what it lists or counts, text with {n} of these, {rows} of the list and {one} of its rows).
OF_FAULTS = (
    (ERROR, "collapsed", "collapsed_cells", "cell", "cells have a node twice: {n}, {rows}; remove them, or merge nodes over a "
     "smaller distance"),
    (ERROR, "flat", "flat_cells", "cell", "cells have no volume: {n}, {rows}; mesh again with other sizes, or optimise the mesh"),
    (NOTE, "mirrored", "mirrored_cells", "cell", "cells had a negative volume: {n}; the order of their nodes was reversed"),
    (WARNING, "bent", "bent_cells", "cell", "cells are not convex: {n}, {rows}; finite elements need positive Jacobians at all "
     "corners"),
    (ERROR, "crowded", "crowded_faces", "face", "faces have more than two cells: {n}, one with the nodes {one}; remove cells that "
     "are there twice"),
    (ERROR, "folded", "overlapping_cells", "pair", "cells overlap, because they are on one side of their face: {n}, one of cells "
     "{one}; mesh again"),
    (ERROR, "orphans", "elements_without_cell", "element", "boundary elements are not faces of cells: {n}; mesh boundary and "
     "interior together, or save only the boundary of the cells"),
    (WARNING, "disputed", "faces_in_two_groups", "face", "faces are in two groups: {n}; the first group counts"),
    (NOTE, "merged", "merged_nodes", "node", "nodes were merged with others: {n}"),
    (NOTE, "unused", "unused_nodes", "node", "nodes of no cell were left out: {n}"),
    (WARNING, "coincident", "duplicate_nodes", "pair", "nodes are at one place: {n}, one of nodes {one}; join them with --merge, "
     "unless cells shall be apart there"))


def _of_faults(faults):
    for level, attribute, name, thing, text in OF_FAULTS:
        found = getattr(faults, attribute)
        count = found if isinstance(found, int) else len(found)
        if count:
            listed = [0] if isinstance(found, int) else found
            one = rows([int(index) for index in np.ravel(listed[0])])
            yield Finding(level, name, count, text.format(n=number_of(count, thing), rows=rows(listed), one=one))
    if len(faults.part_sizes) > 1:
        yield Finding(WARNING, "disconnected_parts", len(faults.part_sizes),
                      f"parts of the mesh share no face: {len(faults.part_sizes)} parts of {rows(faults.part_sizes)} "
                      "cells; join them with --merge, unless that is meant")


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


def findings(mesh):
    """All that is to be said, errors first."""
    found = [*_of_faults(mesh.faults), *_boundary(mesh)]
    found += [Finding(WARNING, "changed_groups", 1, text) for text in mesh.faults.losses]
    found += [Finding(NOTE, "left_out", 1, text) for text in mesh.faults.notes]
    return sorted(found, key=lambda finding: (ERROR, WARNING, NOTE).index(finding.level))


def has_errors(found):
    return any(finding.level == ERROR for finding in found)
