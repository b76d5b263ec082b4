# SPDX-License-Identifier: BSD-3-Clause
"""Which format has a file, and who reads it?"""
import contextlib
import importlib
import io
import os
import stat
import warnings

from . import from_meshio, gmsh, guard, text
from .failure import MeshError, missing

HDF5 = b"\x89HDF\r\n\x1a\n"
EXODUS = (".e", ".ex2", ".exo", ".exii", ".g")


def module(name, purpose):
    """The module, or a MeshError that says how to install it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MeshError(missing(error.name, f", which {purpose}")) from None


def _head(path):
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            raise MeshError("this is not a regular file; give the file of a mesh")
        with open(path, "rb") as file:
            head = file.read(64)
    except OSError as error:
        raise MeshError(f"the file cannot be read: {error.strerror}; check the path") from None
    if not head:
        raise MeshError("the file is empty; write the mesh again")
    for other in guard.files_of(path):
        if not os.path.isfile(other) and not os.path.isdir(other):
            raise MeshError(f"a file with data of the mesh is not a regular file: '{other}'; give the path of one")
    return head


def _gmsh(path, _):
    with open(path, "rb") as file:
        data = file.read()
    return gmsh.read(text.with_line_feeds(data) if text.is_text(data) else data)


def _cgns(path, _):
    from . import cgns
    return cgns.read(module("h5py", "reads CGNS"), path)


def _exodus(path, _):
    from . import exodus
    return exodus.read(module("netCDF4", "reads Exodus"), path)


def _su2(path, _):
    from . import su2
    return su2.read(path)


def _abaqus(path, _):
    from . import abaqus
    return abaqus.read(path)


def _vtu(path, tag_data):
    from . import vtu
    return vtu.read(path, lambda data: (from_meshio.chosen_tags({name: [values] for name, values in data.items()}, tag_data)
                                        or [None])[0])


def _with_meshio(path, tag_data):
    return from_meshio.read(module("meshio", "reads this format"), path, tag_data)


OWN = {".su2": _su2, ".inp": _abaqus, ".vtu": _vtu}  # ending -> reader, of formats that meshio reads less well


def _reader(path, head):
    ending = os.path.splitext(path)[1].lower()
    if gmsh.is_gmsh(head):
        return "gmsh", _gmsh
    if ending == ".cgns":
        if not head.startswith(HDF5):
            raise MeshError("this CGNS file is not an HDF5 file (perhaps ADF); convert it with adf2hdf")
        return "cgns", _cgns
    if ending in EXODUS:
        return "exodus", _exodus
    return ending[1:] or "no ending", OWN.get(ending, _with_meshio)


def read(path, tag_data=None):
    """The Source of a file and the name of its format.

    @param tag_data  name of the cell data that number the groups, for formats that have no groups
    """
    name, reader = _reader(path, _head(path))
    if tag_data and reader not in (_vtu, _with_meshio):
        raise MeshError(f"the format has groups itself, and no cell data '{tag_data}' [{name}]; leave out --groups")
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message=".*could not be read to its end", category=DeprecationWarning)
            source = reader(path, tag_data)
        text_said = " ".join(said.getvalue().split())[:300].rstrip(".")
        if "cannot handle" in text_said:  # meshio leaves cells out
            raise MeshError(f"cells cannot be read: {text_said}; write the mesh as VTU, or as Gmsh's .msh")
        if text_said:
            source.losses.append(f"the reader of the format says: {text_said}")
        return source, name
    except MeshError as error:
        raise MeshError(f"{error} [{name}]") from None
    except MemoryError:
        raise MeshError(f"the file asks for more memory than it may have [{name}]; if it is not damaged, "
                        "raise the limit with --memory") from None
    except RecursionError:
        raise MeshError(f"the file is nested too deeply [{name}]; write the mesh again") from None
    except (Exception, SystemExit) as error:  # whatever a reader makes of a damaged file
        what = f"{error} is not known" if isinstance(error, KeyError) else f"{type(error).__name__}: {error}"
        why = " ".join((said.getvalue() or what).split())[:200].rstrip(".")
        raise MeshError(f"the file cannot be read as {name}: {why}; check the format, or write it as Gmsh's .msh") from None
