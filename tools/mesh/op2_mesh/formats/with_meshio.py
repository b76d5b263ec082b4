# SPDX-License-Identifier: BSD-3-Clause
"""What does a file say that meshio reads?"""
import contextlib
import os
import tempfile

import numpy as np

from ..failure import Damaged, MeshError, needed, number_of
from ..reading import NamedSets, is_text, with_line_feeds
from ..shapes import shape_of
from ..source import Block, Format, Source

# Cell data that number groups, as the readers of meshio name them.
TAG_DATA = ("gmsh:physical", "medit:ref", "nastran:ref", "su2:tag", "avsucd:material", "tetgen:ref", "flac3d:group",
            "netgen:index", "obj:group_ids", "cell_tags", "CellEntityIds")
XML = (".xdmf", ".xmf", ".xml", ".svg")  # of which line ends are not part, and which name other files
TETGEN = (".node", ".ele")
LAST_WORDS = {".mesh": b"End", ".stl": b"endsolid"}  # of formats that have them in text


def chosen_tags(data, tag_data):
    """The groups of cells from their data, as a list of arrays for each block; None if no data number groups.

    @param data      name -> a list of arrays
    @param tag_data  the name to use; None: the first one that is known
    """
    if tag_data and tag_data not in data:
        raise MeshError(f"there are no cell data '{tag_data}'; the file has: {', '.join(data) or 'none'}")
    name = tag_data or next((name for name in TAG_DATA if name in data), None)
    if name is None:
        return None
    columns = [np.asarray(column) for column in data[name]]
    columns = [column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column for column in columns]
    if any(column.ndim != 1 or (column != np.floor(column)).any() for column in columns):
        raise MeshError(f"cell data '{name}' are not one whole number for each cell; "
                        "name other data with --groups")
    return [np.abs(column.astype(np.int64)) for column in columns]


def _check_end(path, data):
    """Refuses a text that is cut off, where meshio would look for more for ever, or be content with what there is."""
    ending = os.path.splitext(path)[1]
    if ending in TETGEN and not any(line.strip() and not line.lstrip().startswith(b"#") for line in data.split(b"\n")):
        raise Damaged(f"the file ends too early: '{os.path.basename(path)}' has no line with numbers")
    mark = LAST_WORDS.get(ending)
    if mark and mark.lower() not in data[-400:].lower():
        raise Damaged(f"the file ends too early: the last line must have '{mark.decode()}'")


@contextlib.contextmanager
def _all_or_error():
    """Makes numpy.fromfile an error if a file has fewer values than are wanted; some readers of meshio take what there is."""
    from_file = np.fromfile

    def complete(file, dtype=float, count=-1, *others, **named):
        values = from_file(file, dtype, count, *others, **named)
        if values.size < count and not (count == 1 and values.size == 0):  # by which some look for the end
            raise Damaged(f"the file ends too early: {count} values are needed and {values.size} left")
        return values

    np.fromfile = complete
    try:
        yield
    finally:
        np.fromfile = from_file


@contextlib.contextmanager
def _with_line_feeds(path):
    """The path of the same file, or of a copy of it whose lines end as meshio expects, which counts bytes of lines."""
    stem, ending = os.path.splitext(path)
    contents = {}
    for other in TETGEN if ending in TETGEN else (ending,):
        with open(stem + other, "rb") as file:
            data = file.read()
        plain = with_line_feeds(data) if ending not in XML and is_text(data) else data
        if is_text(data):
            _check_end(stem + other, plain)
        contents[other] = None if plain == data else plain
    if not any(contents.values()):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        for other, data in contents.items():
            copy = os.path.join(folder, "mesh" + other)
            if data is None:
                os.symlink(os.path.realpath(stem + other), copy)
            else:
                with open(copy, "wb") as file:
                    file.write(data)
        yield os.path.join(folder, "mesh" + ending)


def _names_of_families(mesh, blocks):
    """The names of the groups of MED: an element has the number of a family, which is in all of its groups."""
    families = {abs(int(number)): "+".join(names) for number, names in getattr(mesh, "cell_tags", {}).items() if names}
    return {(shape_of(block.kind).dimension, int(tag)): families[int(tag)]
            for block in blocks for tag in np.unique(block.tags) if int(tag) in families}


def _add_cell_sets(mesh, source):
    """Named sets of elements become groups with new numbers."""
    groups = NamedSets(source)
    for name, members in mesh.cell_sets.items():
        if name.startswith("gmsh:"):
            continue
        found = [(block, np.asarray([] if indices is None else indices, np.int64))
                 for block, indices in zip(source.blocks, members)]
        if any(rows.size and (rows.min() < 0 or rows.max() >= len(block.tags)) for block, rows in found):
            raise Damaged(f"the set '{name}' has elements that are not in the file")
        groups.add(name, found)


def read(path, tag_data):
    meshio = needed("meshio", "reads this format")
    try:
        with _with_line_feeds(path) as plain, _all_or_error():
            mesh = meshio.read(plain)
    except meshio.ReadError as error:
        if "Could not deduce file format" not in str(error):
            raise
        raise MeshError("no format of meshes has this ending; give the file of a mesh, or write it as Gmsh's .msh") from None
    blocks = []
    without = [np.zeros(len(block.data), np.int64) for block in mesh.cells]
    for block, tags in zip(mesh.cells, chosen_tags(mesh.cell_data, tag_data) or without):
        if shape_of(block.type) is None:
            raise MeshError(f"an element type is not supported: '{block.type}', {number_of(len(block.data), 'element')}; "
                            "supported are triangles, quadrilaterals, tetrahedra, pyramids, wedges and hexahedra")
        blocks.append(Block(block.type, np.ma.getdata(block.data).astype(np.int64), np.array(tags)))
    names = {(int(value[1]), int(value[0])): name for name, value in mesh.field_data.items()
             if np.size(value) == 2 and np.asarray(value).dtype.kind in "iu"}
    names |= _names_of_families(mesh, blocks)
    sets = {name: np.asarray(nodes, np.int64) for name, nodes in mesh.point_sets.items()}
    source = Source(np.ma.getdata(mesh.points).astype(np.float64), blocks, names, sets)
    _add_cell_sets(mesh, source)
    return source


FORMAT = Format("", (), read, tagged=True)  # whatever no other format reads
