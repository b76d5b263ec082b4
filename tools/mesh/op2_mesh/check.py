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
                      f"{number_of(len(faults.collapsed), 'cell')} have a node twice: {rows(faults.collapsed)}; "
                      "remove them, or merge nodes over a smaller distance")
    if len(faults.flat):
        yield Finding(ERROR, "flat_cells", len(faults.flat),
                      f"{number_of(len(faults.flat), 'cell')} have no volume: {rows(faults.flat)}; "
                      "mesh again with other sizes, or optimise the mesh")
    if faults.mirrored:
        yield Finding(NOTE, "mirrored_cells", faults.mirrored,
                      f"{number_of(faults.mirrored, 'cell')} had a negative volume: "
                      "the order of their nodes was reversed")
    if len(faults.bent):
        yield Finding(WARNING, "bent_cells", len(faults.bent),
                      f"{number_of(len(faults.bent), 'cell')} are not convex: {rows(faults.bent)}; "
                      "finite elements need positive Jacobians at all corners")


def _faces(faults):
    if len(faults.crowded):
        yield Finding(ERROR, "crowded_faces", len(faults.crowded),
                      f"{number_of(len(faults.crowded), 'face')} have more than two cells: nodes "
                      f"{[int(node) for node in faults.crowded[0]]}, ...; remove cells that are there twice")
    if len(faults.folded):
        yield Finding(ERROR, "overlapping_cells", len(faults.folded),
                      f"{number_of(len(faults.folded), 'pair')} of cells overlap: they are on one side of their face, cells "
                      f"{' and '.join(str(cell) for cell in faults.folded[0])}, ...; mesh again")
    if len(faults.orphans):
        yield Finding(ERROR, "elements_without_cell", len(faults.orphans),
                      f"{number_of(len(faults.orphans), 'boundary element')} are not faces of cells; "
                      "mesh boundary and interior together, or save only the boundary of the cells")
    if faults.disputed:
        yield Finding(WARNING, "faces_in_two_groups", faults.disputed,
                      f"{number_of(faults.disputed, 'face')} are in two groups; the first one counts")


def _boundary(mesh):
    without = np.flatnonzero(mesh.boundary.tags == 0)
    if len(without):
        where = ", ".join(f"{value:.6g}" for value in mesh.boundary.centre[without[0]])
        grouped = len(without) < len(mesh.boundary.tags)
        yield Finding(WARNING if grouped else NOTE, "open_boundary", len(without),
                      f"{number_of(len(without), 'boundary face')} of {len(mesh.boundary.tags)} are in no group: "
                      f"one is at ({where}); " + ("add them to a physical group, or merge nodes if they are inside"
                                                  if grouped else "all have group 0"))
    if not len(mesh.boundary.tags):
        yield Finding(WARNING, "no_boundary", 0, "the mesh has no boundary")
    loose = np.abs(mesh.boundary.normal.sum(axis=0)).max(initial=0)
    area = np.abs(mesh.boundary.normal).sum()
    if loose > 1e-9 * area:
        yield Finding(ERROR, "boundary_not_closed", 1,
                      f"the boundary is not closed: its normals add up to {loose:.3g} of {area:.3g}; "
                      "look for overlapping cells")


def _nodes(faults):
    if faults.merged:
        yield Finding(NOTE, "merged_nodes", faults.merged, f"{number_of(faults.merged, 'node')} were merged with others")
    if faults.unused:
        yield Finding(NOTE, "unused_nodes", faults.unused, f"{number_of(faults.unused, 'node')} of no cell were left out")
    if len(faults.coincident):
        one, other = faults.coincident[0]
        yield Finding(WARNING, "duplicate_nodes", len(faults.coincident),
                      f"{number_of(len(faults.coincident), 'pair')} of nodes are at one place: {one} and {other}, ...; "
                      "join them with --merge, unless cells shall be apart there")
    if len(faults.part_sizes) > 1:
        yield Finding(WARNING, "disconnected_parts", len(faults.part_sizes),
                      f"the mesh has {len(faults.part_sizes)} parts that share no face, with {rows(faults.part_sizes)} "
                      "cells; join them with --merge, unless that is meant")


def findings(mesh):
    """All that is to be said, errors first."""
    found = [*_cells(mesh.faults), *_faces(mesh.faults), *_boundary(mesh), *_nodes(mesh.faults)]
    found += [Finding(NOTE, "left_out", 1, text) for text in mesh.faults.notes]
    return sorted(found, key=lambda finding: (ERROR, WARNING, NOTE).index(finding.level))


def has_errors(found):
    return any(finding.level == ERROR for finding in found)
