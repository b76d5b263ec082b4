# SPDX-License-Identifier: BSD-3-Clause
"""Which declarations read a file that `op2-mesh convert` has written?"""
import itertools
import os
import re

from .failure import MeshError, needed

ORDER = ("const", "set", "map", "dat")

def _variables(names):
    """Different names in C++ for datasets: boundary/inlet/cell is boundary_inlet_cell; if that is taken, it gets a number."""
    found, taken = {}, {"file"}
    for name in names:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        plain = "_" + plain if plain[0].isdigit() else plain
        numbered = (f"{plain}_{number}" for number in itertools.count(2))
        found[name] = next(free for free in itertools.chain([plain], numbered) if free not in taken)
        taken.add(found[name])
    return found


def _text(text):
    """A string literal of C++ with these bytes."""
    plain = "".join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in os.fsencode(text))
    return f'"{plain}"'


def _entries(h5py, path):
    """(role, name, dim, type, on, to, whether it is empty) in the order in which they can be declared."""
    found = []

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and "role" in item.attrs:
            role, on, to = (item.attrs.get(what, b"").decode() for what in ("role", "on", "to"))
            rows, dim = item.shape if len(item.shape) == 2 else (0, 1)
            kind = "double" if item.dtype.kind == "f" else "int"
            empty = rows == 0 if role in ("map", "dat") else role == "set" and int(item[0]) == 0
            found.append((ORDER.index(role), role, name, dim, kind, on, to, empty))

    try:
        with h5py.File(path, "r") as file:
            file.visititems(visit)
    except (OSError, RuntimeError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise MeshError(f"the file cannot be read: {path}, {str(error)[:200]}; give one that `op2-mesh convert` wrote") from None
    if not found:
        raise MeshError(f"the file has no sets: {path}; give one that `op2-mesh convert` wrote")
    names = {entry[2] for entry in found}
    for _, role, name, _, _, on, to, _ in found:
        if role in ("map", "dat") and not {on, to if role == "map" else on} <= names:
            raise MeshError(f"a set is not in the file: {role} '{name}', sets '{on}' and '{to}'; write the file again")
    return [entry[1:] for entry in sorted(found, key=lambda entry: entry[0])]


def lines(path):
    """C++; what is empty, such as the quadrilaterals of a mesh of triangles, is left out."""
    entries = _entries(needed("h5py", "reads HDF5"), path)
    of = _variables([entry[1] for entry in entries])
    yield f"const char* file = {_text(path)};"
    for role, name, dim, kind, on, to, empty in entries:
        if empty:
            continue
        variable, text = of[name], _text(name)
        if role == "const":
            yield f'int {variable};\nop_get_const_hdf5({text}, 1, "int", &{variable}, file);'
        elif role == "set":
            yield f"op_set {variable} = op_decl_set_hdf5(file, {text});"
        elif role == "map":
            yield f"op_map {variable} = op_decl_map_hdf5({of[on]}, {of[to]}, {dim}, file, {text});"
        else:
            yield f'op_dat {variable} = op_decl_dat_hdf5({of[on]}, {dim}, "{kind}", file, {text});'
