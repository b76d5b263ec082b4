# SPDX-License-Identifier: BSD-3-Clause
"""Which declarations read a file that `op2-mesh convert` has written?"""
import re

from .failure import MeshError
from .read import module


def _variable(name):
    """A name in C++ for a dataset: boundary/inlet/cell is boundary_inlet_cell."""
    plain = re.sub(r"\W", "_", name)
    return "_" + plain if plain[0].isdigit() else plain


def _entries(h5py, path):
    """(role, name, dim, type, on, to) in the order in which they can be declared."""
    found = []

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and "role" in item.attrs:
            role, on, to = (item.attrs.get(what, b"").decode() for what in ("role", "on", "to"))
            rows, dim = item.shape if len(item.shape) == 2 else (0, 1)
            kind = "double" if item.dtype.kind == "f" else "int"
            empty = rows == 0 if role in ("map", "dat") else role == "set" and int(item[0]) == 0
            found.append((role, name, dim, kind, on, to, empty))

    try:
        with h5py.File(path, "r") as file:
            file.visititems(visit)
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        raise MeshError(f"the file cannot be read: {path}, {str(error)[:200]}; give one that `op2-mesh convert` wrote") from None
    if not found:
        raise MeshError(f"the file has no sets: {path}; give one that `op2-mesh convert` wrote")
    return sorted(found, key=lambda entry: ("const", "set", "map", "dat").index(entry[0]))


def lines(path):
    """C++; what is empty, such as the quadrilaterals of a mesh of triangles, is left out."""
    yield f'const char* file = "{path}";'
    for role, name, dim, kind, on, to, empty in _entries(module("h5py", "reads HDF5"), path):
        variable = _variable(name)
        if empty:
            continue
        if role == "const":
            yield f'int {variable};\nop_get_const_hdf5("{name}", 1, "int", &{variable}, file);'
        elif role == "set":
            yield f'op_set {variable} = op_decl_set_hdf5(file, "{name}");'
        elif role == "map":
            yield f'op_map {variable} = op_decl_map_hdf5({_variable(on)}, {_variable(to)}, {dim}, file, "{name}");'
        else:
            yield f'op_dat {variable} = op_decl_dat_hdf5({_variable(on)}, {dim}, "{kind}", file, "{name}");'
