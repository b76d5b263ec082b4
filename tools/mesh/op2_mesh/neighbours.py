# SPDX-License-Identifier: BSD-3-Clause
"""Which faces and which other cells does a cell have, and which nodes and faces are periodic partners?"""
import numpy as np

from .failure import Damaged, number_of


def _places(mesh):
    """(cell, face, whether it is the second cell of the face) of all faces of all cells; those of a cell are together.

    Faces of the boundary come after those between cells.
    """
    inner, boundary = mesh.inner.cells, mesh.boundary.cells[:, 0]
    cells = np.concatenate([inner[:, 0], inner[:, 1], boundary])
    faces = np.concatenate([np.arange(len(inner)), np.arange(len(inner)), len(inner) + np.arange(len(boundary))])
    is_second = np.repeat([False, True, False], [len(inner), len(inner), len(boundary)])
    order = np.lexsort((faces, cells))
    return cells[order], faces[order], is_second[order]


def _table(mesh, cells):
    """(most faces of a cell, column of each place) for places in the order of cells."""
    count = np.bincount(cells, minlength=len(mesh.cell_tags))
    return int(count.max(initial=1)), np.arange(len(cells)) - np.repeat(np.cumsum(count) - count, count)


def faces_of_cells(mesh):
    """[cells x most faces of a cell]: the faces of each cell by number, of the boundary after the others; and for each 1 if
    the normal looks out of the cell, -1 if it looks into it, 0 if the cell has fewer faces: then its first one is there."""
    cells, faces, is_second = _places(mesh)
    width, column = _table(mesh, cells)
    table = np.zeros((len(mesh.cell_tags), width), np.int64)
    sign = np.zeros_like(table)
    table[cells[column == 0]] = faces[column == 0][:, None]
    table[cells, column] = faces
    sign[cells, column] = np.where(is_second, -1, 1)
    return table, sign


def cells_of_cells(mesh):
    """[cells x most faces of a cell]: the cell behind each face, in the order of faces_of_cells, and for each 1; the cell
    itself and 0 where there is no other: at the boundary, and if the cell has fewer faces."""
    cells, faces, is_second = _places(mesh)
    width, column = _table(mesh, cells)
    table = np.repeat(np.arange(len(mesh.cell_tags))[:, None], width, axis=1)
    is_other = np.zeros_like(table)
    inside = faces < len(mesh.inner.cells)
    other = mesh.inner.cells[faces[inside], np.where(is_second[inside], 0, 1)]
    table[cells[inside], column[inside]] = other
    is_other[cells[inside], column[inside]] = 1
    return table, is_other


def _plain(nodes, width):
    """Sorted nodes of faces, in which a node that is there twice counts once."""
    nodes = np.sort(np.pad(nodes, ((0, 0), (0, width - nodes.shape[1])), mode="edge"), axis=1)
    nodes[:, 1:][nodes[:, 1:] == nodes[:, :-1]] = np.iinfo(nodes.dtype).max
    return np.sort(nodes, axis=1)


def _faces_at(boundary, wanted):
    """For each row of nodes the boundary face with just these, -1: none."""
    width = max(boundary.nodes.shape[1], wanted.shape[1])
    rows = np.concatenate([_plain(nodes.astype(np.int64), width) for nodes in (boundary.nodes, wanted)])
    _, group = np.unique(rows, axis=0, return_inverse=True)
    group, face = group.reshape(-1), np.full(len(rows), -1)
    face[group[:len(boundary.nodes)]] = np.arange(len(boundary.nodes))
    return face[group[len(boundary.nodes):]]


def _once(pairs):
    """The pairs, of which each is there once, whichever comes first."""
    _, first = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)
    return pairs[np.sort(first)]


def _faces_by_nodes(boundary, pairs, count):
    """[n x 2] boundary faces all of whose nodes have partners in `pairs`, and the face of these."""
    partner = np.full(count, -1)
    partner[pairs[:, 0]] = pairs[:, 1]
    faces = np.flatnonzero((partner[boundary.nodes] >= 0).all(axis=1))
    return np.stack([faces, _faces_at(boundary, partner[boundary.nodes[faces]])], axis=1)


def periodic_pairs(source, new, boundary, count):
    """(pairs of nodes, pairs of boundary faces), each [n x 2], of the mesh with so many nodes.

    @param new  the number of each node of the source, -1: no cell has it
    """
    nodes, faces = [np.zeros((0, 2), np.int64)], [np.zeros((0, 2), np.int64)]
    for pairs, are_on_faces in source.paired_nodes:
        mine = new[pairs]
        mine = mine[(mine >= 0).all(axis=1) & (mine[:, 0] != mine[:, 1])]
        nodes.append(mine)
        if are_on_faces:
            found = _faces_by_nodes(boundary, mine, count)
            faces.append(found[(found[:, 1] >= 0) & (found[:, 0] != found[:, 1])])
    for one, other in source.paired_faces:
        found = np.stack([_faces_at(boundary, new[one]), _faces_at(boundary, new[other])], axis=1)
        if (found < 0).any():
            raise Damaged(f"periodic faces are not faces of the boundary: {number_of(int((found < 0).any(axis=1).sum()), 'pair')}")
        faces.append(found[found[:, 0] != found[:, 1]])
    return _once(np.concatenate(nodes)), _once(np.concatenate(faces))
