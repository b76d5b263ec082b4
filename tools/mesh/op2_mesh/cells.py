# SPDX-License-Identifier: BSD-3-Clause
"""Which elements of a file are the cells of the mesh, which their boundary, and which nodes do they have?"""
import numpy as np

from . import coincident, topology
from .failure import Damaged, MeshError, number_of, rows
from .mesh import Part
from .shapes import CELLS, has_known_nodes, mirrored, shape_of

# Nodes nearer to each other than this part of the diagonal of the mesh are reported as coincident.
SAME_PLACE = 1e-10
# Volumes times lengths of coordinates up to this are finite.
LARGEST = 1e70


def check_blocks(source):
    """The dimension of the mesh. Every element has a known shape and nodes of the file."""
    for block in source.blocks:
        shape = shape_of(block.kind)
        if shape is None or block.nodes.ndim != 2 or block.nodes.shape[1] < shape.corners:
            raise MeshError(f"an element type is not supported: '{block.kind}', "
                            f"{number_of(len(block.nodes), 'element')}; supported are triangles, quadrilaterals, "
                            "tetrahedra, pyramids, wedges and hexahedra")
        if len(block.nodes) and (block.nodes.min() < 0 or block.nodes.max() >= len(source.points)):
            bad = np.flatnonzero(((block.nodes < 0) | (block.nodes >= len(source.points))).any(axis=1))
            raise Damaged(f"elements have nodes that the file does not have: {block.kind} {rows(bad)} (from 0), "
                          f"{number_of(len(source.points), 'node')}")
    dimension = max((shape_of(block.kind).dimension for block in source.blocks if len(block.nodes)), default=0)
    if dimension < 2:
        raise MeshError(f"there are no cells: {number_of(sum(len(b.nodes) for b in source.blocks), 'element')} of "
                        f"dimension {dimension} or less; generate a mesh of a surface or a volume, and give it a "
                        "physical group if there are others")
    return dimension


def _coordinates(points, dimension):
    """The coordinates that count: in 2D without z, which must be the same everywhere."""
    if points.ndim != 2 or points.shape[1] < dimension:
        raise Damaged(f"nodes have too few coordinates: {points.shape[1:]} for cells of dimension {dimension}")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise Damaged(f"coordinates are not finite: {number_of(len(bad), 'node')}, {rows(bad)} (from 0)")
    if np.abs(points).max(initial=0) > LARGEST:
        raise MeshError(f"a coordinate is too large: {np.abs(points).max():.3g}, more than {LARGEST:g}; scale the mesh")
    if dimension == 3:
        return np.ascontiguousarray(points[:, :3])
    if points.shape[1] > 2 and np.ptp(points[:, 2]) > 1e-9 * max(np.ptp(points, axis=0).max(), 1e-300):
        raise MeshError(f"the cells are of a surface in space: z is between {points[:, 2].min():.6g} and "
                        f"{points[:, 2].max():.6g}; a mesh in 2D has one z, a mesh in 3D has cells with a volume")
    return np.ascontiguousarray(points[:, :2])


def diagonal(x):
    return float(np.sqrt((np.ptp(x, axis=0) ** 2).sum())) if len(x) else 0.0


def renumber(source, dimension, merge, faults):
    """Coordinates of the nodes that cells have, and the new number of each old node (-1: no cell has it).

    @param merge  makes nodes that are not farther from each other one; None: none
    """
    used = np.zeros(len(source.points), bool)
    for block in source.blocks:
        if shape_of(block.kind).dimension == dimension:
            used[block.nodes.reshape(-1)] = True
    old = np.flatnonzero(used)
    faults.unused = len(source.points) - len(old)
    x = _coordinates(source.points[old], dimension)
    new = np.full(len(source.points), -1, np.int32)
    if merge is not None:
        place = topology.part_of_each(len(x), coincident.links(x, merge))
        kept = np.unique(place, return_index=True)[1]  # of each part the lowest node
        faults.merged = len(x) - len(kept)
        new[old] = place
        x = x[kept]
    else:
        new[old] = np.arange(len(old))
    faults.coincident = coincident.links(x, SAME_PLACE * diagonal(x))
    return x, new


def _blocks_of(source, shape_name):
    found = [block for block in source.blocks if len(block.nodes) and shape_of(block.kind).name == shape_name]
    widths = sorted({block.nodes.shape[1] for block in found})
    if len(widths) > 1:
        raise MeshError(f"cells of one shape have different orders: {shape_name} with {rows(widths)} nodes; "
                        "generate all cells with one order")
    return found


def parts(source, dimension, new, faults):
    """The cells by shape, and the tag of each."""
    result, tags, first = [], [np.zeros(0, np.int64)], 0
    for name in CELLS[dimension]:
        found = _blocks_of(source, name)
        if not found:
            continue
        nodes = new[np.concatenate([block.nodes for block in found])]
        shape, kind = shape_of(name), found[0].kind
        corners, all_nodes = np.ascontiguousarray(nodes[:, :shape.corners]), None
        if nodes.shape[1] > shape.corners and has_known_nodes(kind, nodes.shape[1]):
            all_nodes = nodes
        elif nodes.shape[1] > shape.corners:
            faults.notes.append(f"of the {nodes.shape[1]} nodes of each '{kind}' only the {shape.corners} corners are kept")
        result.append(Part(shape, kind, first, corners, all_nodes))
        tags += [block.tags for block in found]
        first += len(nodes)
    return result, np.concatenate(tags)


def reverse(part, which):
    """Gives the cells at the rows `which` the opposite order of nodes, which makes negative volumes positive."""
    part.nodes[which] = part.nodes[which][:, mirrored(part.shape, part.shape.corners)]
    if part.all_nodes is not None:
        part.all_nodes[which] = part.all_nodes[which][:, mirrored(part.shape, part.all_nodes.shape[1])]


def elements_of_faces(source, dimension, new, corners):
    """Nodes [elements x corners] and tags of the elements of one dimension less with so many corners."""
    nodes, tags = [np.zeros((0, corners), np.int32)], [np.zeros(0, np.int64)]
    for block in source.blocks:
        shape = shape_of(block.kind)
        if shape.dimension == dimension - 1 and shape.corners == corners and len(block.nodes):
            nodes.append(new[block.nodes[:, :corners]])
            tags.append(block.tags)
    return np.concatenate(nodes), np.concatenate(tags)
