# SPDX-License-Identifier: BSD-3-Clause
"""How does the content of a file become a mesh? The passes, in their order."""
import numpy as np

from . import cells, geometry, neighbours, topology
from .failure import Damaged, MeshError, number_of
from .mesh import Faces, Faults, Mesh
from .shapes import shape_of

# A corner whose edges span less than this part of the product of their lengths is flat.
FLAT = 1e-13


def _orient(x, parts, faults):
    """Volume and centroid of all cells, whose order of nodes is reversed, in place, where the volume is negative.

    Finds flat, bent and collapsed cells.
    """
    sizes, flat, bent, collapsed = [], [], [], []
    for part in parts:
        size = geometry.cells(x, part.shape, part.nodes)
        negative = np.flatnonzero(size[:, 0] < 0)
        cells.reverse(part, negative)
        size[negative, 0] *= -1
        faults.mirrored += len(negative)
        low, high = geometry.corner_signs(x, part.shape, part.nodes).T
        ordered = np.sort(part.nodes, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        without = ~(size[:, 0] > 0) | (high <= FLAT)
        flat.append(part.first + np.flatnonzero(without & ~twice))
        bent.append(part.first + np.flatnonzero((low <= FLAT) & ~without & ~twice))
        collapsed.append(part.first + np.flatnonzero(twice))
        sizes.append(size)
    faults.flat, faults.bent, faults.collapsed = (np.concatenate(found) for found in (flat, bent, collapsed))
    return np.concatenate(sizes)


def _faces_of_cells(parts, corners):
    """The faces with so many corners of all cells, cell after cell, and the cell of each."""
    nodes, owners = [np.zeros((0, corners), np.int32)], [np.zeros(0, np.int32)]
    for part in parts:
        local = np.array([face for face in part.shape.faces if len(face) == corners], dtype=np.int64)
        if len(local):
            nodes.append(part.nodes[:, local].reshape(-1, corners))
            owners.append(np.repeat(np.arange(part.first, part.first + len(part.nodes), dtype=np.int32), len(local)))
    return np.concatenate(nodes), np.concatenate(owners)


def _match(source, dimension, parts, new, faults):
    """Faces of two, or of three and of four nodes."""
    found = []
    folded, crowded, orphans = [np.zeros((0, 2), np.int64)], [], []
    for corners in (2,) if dimension == 2 else (3, 4):
        nodes, owners = _faces_of_cells(parts, corners)
        elements, tags = cells.elements_of_faces(source, dimension, new, corners)
        outside = (elements < 0).any(axis=1)
        faces = topology.match(nodes, owners, elements[~outside], tags[~outside], new.max(initial=0) + 1)
        found.append(faces)
        folded.append(faces.cells[faces.folded])
        crowded += list(faces.crowded)
        orphans += list(faces.orphans) + list(elements[outside])
        faults.disputed += faces.disputed
    faults.folded, faults.crowded, faults.orphans = np.concatenate(folded), crowded, orphans
    return [faces for faces in found if len(faces.nodes)] or found[:1]


def _joined(x, found):
    """Inner and boundary faces of all widths; triangles beside quadrilaterals have their last node twice."""
    width = max(faces.nodes.shape[1] for faces in found)
    nodes = np.concatenate([np.pad(faces.nodes, ((0, 0), (0, width - faces.nodes.shape[1])), mode="edge")
                            for faces in found])
    owners = np.concatenate([faces.cells for faces in found])
    tags = np.concatenate([faces.tags for faces in found])
    shared = owners[:, 1] >= 0
    inner, outer = np.flatnonzero(shared), np.flatnonzero(~shared)
    if len(found) > 1:
        inner = inner[np.lexsort((owners[inner, 1], owners[inner, 0]))]
    outer = outer[np.lexsort((owners[outer, 0], tags[outer]))]
    return _faces(x, nodes[inner], owners[inner], tags[inner]), _faces(x, nodes[outer], owners[outer, :1], tags[outer])


def _faces(x, nodes, owners, tags):
    table = geometry.faces(x, nodes)
    return Faces(nodes, owners, tags, *np.hsplit(table, 2))


def _name_by_node_sets(source, dimension, new, faces_found, names, faults):
    """Boundary faces without a group, all of whose nodes are in a set of nodes of the file, get its group.

    A set of all nodes says nothing of the boundary. What else names fewer faces than it could is said.
    """
    used = max([int(faces.tags.max(initial=0)) for faces in faces_found]
               + [tag for of, tag in names if of == dimension - 1], default=0)
    for name, nodes in source.node_sets.items():
        if len(nodes) and (nodes.min() < 0 or nodes.max() >= len(new)):
            raise Damaged(f"a set of nodes has others than the file: '{name}'")
        inside = np.zeros(new.max(initial=0) + 2, bool)
        inside[new[nodes]] = True
        inside[-1] = False  # where nodes without cells are
        if inside[:-1].all():
            faults.notes.append(f"a set of all nodes is not a group of the boundary: '{name}', {number_of(len(nodes), 'node')}")
            continue
        used, count, others = used + 1, 0, 0
        for faces in faces_found:
            outer = np.flatnonzero(faces.cells[:, 1] < 0)
            members = outer[inside[faces.nodes[outer]].all(axis=1)]
            free = members[faces.tags[members] == 0]
            faces.tags[free] = used
            count, others = count + len(free), others + len(members) - len(free)
        if count:
            names[dimension - 1, used] = name
        if others:
            faults.losses.append(f"faces are in several groups, of which the first counts: the set of nodes '{name}' names "
                                 f"{count} of {number_of(count + others, 'face')}")
        elif not count and len(nodes):
            faults.losses.append(f"no boundary face has all its nodes in a set: '{name}', {number_of(len(nodes), 'node')}")


def _note_lower_dimensions(source, dimension, faults):
    """Groups of points, and in 3D of curves, are not in the mesh."""
    left_out = {}
    for block in source.blocks:
        of = shape_of(block.kind).dimension
        for tag in np.unique(block.tags) if of < dimension - 1 else ():
            name = source.names.get((of, int(tag)), f"group_{tag}")
            left_out[name] = left_out.get(name, 0) + int((block.tags == tag).sum()) if tag else 0
    for name, count in left_out.items():
        if count:
            faults.notes.append(f"a group of points or curves was left out: '{name}', {number_of(count, 'element')}")


def _check_tags(source):
    """Numbers of groups are ints that are not negative."""
    tags = [int(tag) for block in source.blocks if len(block.tags) for tag in (block.tags.min(), block.tags.max())]
    for tag in tags + [tag for _, tag in source.names]:
        if not 0 <= tag <= np.iinfo(np.int32).max:
            raise MeshError(f"the number of a group is out of range: {tag}; number groups from 1 to 2147483647")


def build(source, merge=None):
    """The Mesh of a Source.

    @param merge  nodes that are not farther from each other become one; None: as in the file
    @raises MeshError  if there is nothing that could be called a mesh; all else is in `faults`
    """
    faults = Faults(notes=list(source.notes), losses=list(source.losses))
    dimension = cells.check_blocks(source)
    _check_tags(source)
    x, new = cells.renumber(source, dimension, merge, faults)
    parts, tags = cells.parts(source, dimension, new, faults)
    sizes = _orient(x, parts, faults)
    found = _match(source, dimension, parts, new, faults)
    names = dict(source.names)
    _name_by_node_sets(source, dimension, new, found, names, faults)
    _note_lower_dimensions(source, dimension, faults)
    inner, boundary = _joined(x, found)
    part_of = topology.part_of_each(len(tags), inner.cells)
    faults.part_sizes = np.sort(np.bincount(part_of))[::-1]
    pairs = neighbours.periodic_pairs(source, new, boundary, len(x))
    return Mesh(dimension, x, parts, tags, sizes[:, 0], sizes[:, 1:], inner, boundary, names, faults, *pairs)
