# SPDX-License-Identifier: BSD-3-Clause
"""Which sets, maps and dats does the HDF5 file have, and how does it appear?

The layout is that of op_decl_set_hdf5, op_decl_map_hdf5, op_decl_dat_hdf5 and op_get_const_hdf5
(share/doc/op2/docs/meshes.md lists the names). The file appears when it is complete; equal meshes give equal files.
"""
import re
from dataclasses import dataclass

import numpy as np
import op2_new_file

from . import neighbours
from .failure import MeshError, needed
from .shapes import AS_LARGEST, CELLS, SHAPES


@dataclass
class Entry:
    """A set (one value), map, dat or constant."""
    role: str           # "set", "map", "dat" or "const"
    name: str
    values: np.ndarray  # [rows x dim]
    on: str = ""        # set of the rows
    to: str = ""        # set of the entries of a map


def _set(name, size):
    return Entry("set", name, np.array([size], np.int32))


def _map(name, on, to, values):
    return Entry("map", name, np.ascontiguousarray(values, np.int32), on, to)


def _dat(name, on, values):
    kind = np.int32 if values.dtype.kind in "iu" else np.float64
    return Entry("dat", name, np.ascontiguousarray(values if values.ndim == 2 else values[:, None], kind), on)


def _const(name, value):
    return Entry("const", name, np.array([value], np.int32))


def cell_nodes(mesh):
    """[cells x nodes of the largest shape]; in a mixed mesh smaller shapes are degenerate ones of the largest kind."""
    if len(mesh.parts) == 1:
        return mesh.parts[0].nodes
    return np.concatenate([part.nodes[:, AS_LARGEST[part.shape.name]] for part in mesh.parts])


def _of_shapes(mesh):
    """Every shape of the dimension, so that one program reads any mesh."""
    parts = {part.shape.name: part for part in mesh.parts}
    for name in CELLS[mesh.dimension]:
        part, corners = parts.get(name), SHAPES[name].corners
        nodes = part.nodes if part else np.zeros((0, corners), np.int32)
        first = part.first if part else 0
        yield _set(name, len(nodes))
        yield _map(f"{name}_nodes", name, "nodes", nodes)
        yield _map(f"{name}_cell", name, "cells", np.arange(first, first + len(nodes)).reshape(-1, 1))
        if part and part.all_nodes is not None:
            yield _map(f"{name}_all_nodes", name, "nodes", part.all_nodes)


def _of_boundary_groups(mesh):
    faces = mesh.boundary
    for tag, name in _groups(mesh, mesh.dimension - 1, faces.tags):
        begin, end = np.searchsorted(faces.tags, [tag, tag + 1])
        here, group = slice(begin, end), f"boundary/{name}"
        yield _const(f"{group}/tag", tag)
        yield _set(f"{group}/faces", end - begin)
        yield _map(f"{group}/cell", f"{group}/faces", "cells", faces.cells[here])
        yield _map(f"{group}/nodes", f"{group}/faces", "nodes", faces.nodes[here])
        yield _map(f"{group}/face", f"{group}/faces", "boundary_faces", np.arange(begin, end).reshape(-1, 1))
        yield _dat(f"{group}/normal", f"{group}/faces", faces.normal[here])
        yield _dat(f"{group}/centre", f"{group}/faces", faces.centre[here])


def _of_regions(mesh):
    for tag, name in _groups(mesh, mesh.dimension, mesh.cell_tags):
        yield _const(f"region/{name}/tag", tag)


def _groups(mesh, dimension, tags):
    """(tag, name) of each group that has a tag of these or a name, which has letters that a dataset may have; two groups of
    one name differ by their tags."""
    taken = set()
    for tag in sorted({int(tag) for tag in np.unique(tags)} | {tag for of, tag in mesh.names if of == dimension}):
        plain = re.sub(r"[^A-Za-z0-9_.+-]", "_", mesh.name_of(dimension, tag)).strip(".") or f"group_{tag}"
        name = f"{plain}_{tag}" if plain in taken else plain
        taken.add(name)
        yield tag, name


def entries(mesh, maps=()):
    """All that the file has.

    @param maps  of `op2-mesh convert --maps`
    """
    inner, boundary = mesh.inner, mesh.boundary
    yield _const("dimension", mesh.dimension)
    yield _set("nodes", len(mesh.x))
    yield _set("cells", len(mesh.cell_tags))
    yield _set("faces", len(inner.tags))
    yield _set("boundary_faces", len(boundary.tags))
    yield _map("cell_nodes", "cells", "nodes", cell_nodes(mesh))
    yield _map("face_nodes", "faces", "nodes", inner.nodes)
    yield _map("face_cells", "faces", "cells", inner.cells)
    yield _map("boundary_nodes", "boundary_faces", "nodes", boundary.nodes)
    yield _map("boundary_cell", "boundary_faces", "cells", boundary.cells)
    yield _dat("x", "nodes", mesh.x)
    yield _dat("cell_volume", "cells", mesh.volume)
    yield _dat("cell_centre", "cells", mesh.centre)
    yield _dat("cell_group", "cells", mesh.cell_tags)
    yield _dat("face_normal", "faces", inner.normal)
    yield _dat("face_centre", "faces", inner.centre)
    yield _dat("face_group", "faces", inner.tags)
    yield _dat("boundary_normal", "boundary_faces", boundary.normal)
    yield _dat("boundary_centre", "boundary_faces", boundary.centre)
    yield _dat("boundary_group", "boundary_faces", boundary.tags)
    yield from _of_shapes(mesh)
    yield from _of_boundary_groups(mesh)
    yield from _of_regions(mesh)
    if "cell_faces" in maps:
        yield from _of_all_faces(mesh)
    if "cell_cells" in maps:
        cells, is_other = neighbours.cells_of_cells(mesh)
        yield _map("cell_cells", "cells", "cells", cells)
        yield _dat("cell_has_neighbour", "cells", is_other)
    if "periodic" in maps:
        yield from _of_periodic_pairs(mesh)


def _of_all_faces(mesh):
    """Faces between cells, then those of the boundary, as one set to which a map from cells can lead."""
    inner, boundary = mesh.inner, mesh.boundary
    faces, sign = neighbours.faces_of_cells(mesh)
    yield _set("all_faces", len(inner.tags) + len(boundary.tags))
    yield _map("cell_faces", "cells", "all_faces", faces)
    yield _dat("cell_face_sign", "cells", sign)
    yield _map("all_face_cells", "all_faces", "cells", np.concatenate([inner.cells, np.repeat(boundary.cells, 2, axis=1)]))
    yield _dat("all_face_is_boundary", "all_faces", np.repeat([0, 1], [len(inner.tags), len(boundary.tags)]))
    for name in ("normal", "centre"):
        yield _dat(f"all_face_{name}", "all_faces", np.concatenate([getattr(inner, name), getattr(boundary, name)]))
    yield _dat("all_face_group", "all_faces", np.concatenate([inner.tags, boundary.tags]))


def _of_periodic_pairs(mesh):
    nodes, faces = mesh.paired_nodes, mesh.paired_faces
    if not len(nodes) and not len(faces):
        raise MeshError("the file has no periodic pairs: 0 nodes and 0 faces; write the mesh with them (Gmsh's $Periodic, or "
                        "periodic connections of CGNS), or convert it without --maps periodic")
    yield _set("periodic/nodes", len(nodes))
    yield _map("periodic/node_pair", "periodic/nodes", "nodes", nodes)
    yield _set("periodic/faces", len(faces))
    yield _map("periodic/face_pair", "periodic/faces", "boundary_faces", faces)
    yield _map("periodic/face_cells", "periodic/faces", "cells", mesh.boundary.cells[faces, 0])


def _write_entry(h5py, file, entry):
    """One dataset with the attributes of op_dump_to_hdf5, and what it is, for `op2-mesh declare`."""
    dataset = file.create_dataset(entry.name, data=entry.values, track_times=False)
    rows, dim = entry.values.shape if entry.values.ndim == 2 else (1, len(entry.values))
    dataset.attrs.create("size", rows, dtype=np.int32)
    dataset.attrs.create("dim", dim, dtype=np.int32)
    text = h5py.h5t.C_S1.copy()
    text.set_size(10)
    kind = b"double" if entry.values.dtype.kind == "f" else b"int"
    space = h5py.h5s.create(h5py.h5s.SCALAR)
    attribute = h5py.h5a.create(dataset.id, b"type", text, space)
    attribute.write(np.array(kind, dtype="S10"))
    for what in ("role", "on", "to"):
        if getattr(entry, what):
            dataset.attrs[what] = np.bytes_(getattr(entry, what))


def _image(mesh, maps):
    """The bytes of the file. Made in memory, because the HDF5 library does not survive a full disk."""
    h5py = needed("h5py", "writes HDF5")
    with h5py.File("image", "w", driver="core", backing_store=False, block_size=1 << 24) as file:
        for entry in entries(mesh, maps):
            _write_entry(h5py, file, entry)
        file.flush()
        return file.id.get_file_image()


def write(mesh, path, maps=()):
    """Writes the file, with the maps that `--maps` names; if that fails, an older one of this name is as it was."""
    try:
        op2_new_file.write(path, _image(mesh, maps))
    except OSError as error:
        raise MeshError(f"the file cannot be written: {path}, {error.strerror or str(error)[:200]}; "
                        "check folder, permissions and space") from None
