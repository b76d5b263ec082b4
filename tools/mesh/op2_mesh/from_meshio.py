# SPDX-License-Identifier: BSD-3-Clause
"""What does a file say that meshio reads?"""
import numpy as np

from .failure import MeshError, number_of
from .shapes import shape_of
from .source import Block, Source

# Cell data that number groups, as the readers of meshio name them.
TAG_DATA = ("gmsh:physical", "medit:ref", "nastran:ref", "su2:tag", "avsucd:material", "tetgen:ref", "flac3d:group",
            "cell_tags", "CellEntityIds")


def _tags(mesh, tag_data):
    """The tags of each block: those of the cell data, or none."""
    if tag_data and tag_data not in mesh.cell_data:
        known = ", ".join(mesh.cell_data) or "none"
        raise MeshError(f"there are no cell data '{tag_data}'; the file has: {known}")
    name = tag_data or next((name for name in TAG_DATA if name in mesh.cell_data), None)
    if name is None:
        return [np.zeros(len(block.data), np.int64) for block in mesh.cells]
    columns = [np.asarray(column) for column in mesh.cell_data[name]]
    columns = [column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column for column in columns]
    if any(column.ndim != 1 or (column != np.floor(column)).any() for column in columns):
        raise MeshError(f"cell data '{name}' are not one whole number for each cell; "
                        "name other data with --groups")
    return [np.abs(column.astype(np.int64)) for column in columns]


def _add_cell_sets(mesh, blocks, names):
    """Named sets of elements become groups with new tags; the first set of an element counts."""
    used = max((int(block.tags.max(initial=0)) for block in blocks), default=0)
    for name, members in mesh.cell_sets.items():
        if name.startswith("gmsh:"):
            continue
        used += 1
        for block, indices in zip(blocks, members):
            indices = np.asarray([] if indices is None else indices, np.int64)
            if indices.size and (indices.min() < 0 or indices.max() >= len(block.tags)):
                raise MeshError(f"the set '{name}' has elements that are not in the file; write the mesh again")
            indices = indices[block.tags[indices] == 0]
            block.tags[indices] = used
            if indices.size:
                names[shape_of(block.kind).dimension, used] = name


def read(meshio, path, tag_data):
    try:
        mesh = meshio.read(path)
    except meshio.ReadError as error:
        if "Could not deduce file format" not in str(error):
            raise
        raise MeshError("no format of meshes has this ending; give the file of a mesh, or write it as Gmsh's .msh") from None
    blocks = []
    for block, tags in zip(mesh.cells, _tags(mesh, tag_data)):
        if shape_of(block.type) is None:
            raise MeshError(f"an element type is not supported: '{block.type}', {number_of(len(block.data), 'element')}; "
                            "supported are triangles, quadrilaterals, tetrahedra, pyramids, wedges and hexahedra")
        blocks.append(Block(block.type, np.ma.getdata(block.data).astype(np.int64), np.array(tags)))
    names = {(int(value[1]), int(value[0])): name for name, value in mesh.field_data.items() if np.size(value) == 2}
    _add_cell_sets(mesh, blocks, names)
    sets = {name: np.asarray(nodes, np.int64) for name, nodes in mesh.point_sets.items()}
    return Source(np.ma.getdata(mesh.points).astype(np.float64), blocks, names, sets)
