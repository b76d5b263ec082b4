# SPDX-License-Identifier: BSD-3-Clause
"""Which format has a file, and who reads it?"""
import contextlib
import io
import os
import stat
import warnings

from . import guard
from .failure import Damaged, MeshError
from .formats import abaqus, cgns, exodus, gmsh, su2, vtu, with_meshio

FORMATS = [reader.FORMAT for reader in (gmsh, cgns, exodus, su2, abaqus, vtu)]  # meshio reads the others


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
        raise Damaged("the file is empty")
    for other in guard.files_of(path):
        if not os.path.isfile(other) and not os.path.isdir(other):
            raise MeshError(f"a file with data of the mesh is not a regular file: '{other}'; give the path of one")
    return head


def _format_of(path, head):
    """The format of a file, by its first bytes or by its ending, and its name."""
    ending = os.path.splitext(path)[1].lower()
    for format_ in FORMATS:
        if format_.has_head(head) or ending in format_.endings:
            return format_, format_.name
    return with_meshio.FORMAT, ending[1:] or "no ending"


def read(path, tag_data=None):
    """The Source of a file and the name of its format.

    @param tag_data  name of the cell data that number the groups, for formats that have no groups
    """
    format_, name = _format_of(path, _head(path))
    if tag_data and not format_.tagged:
        raise MeshError(f"the format has groups itself, and no cell data '{tag_data}' [{name}]; leave out --groups")
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message=".*could not be read to its end", category=DeprecationWarning)
            source = format_.read(path, tag_data)
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
        raise Damaged(f"the file is nested too deeply [{name}]") from None
    except (Exception, SystemExit) as error:  # whatever a reader makes of a damaged file
        what = f"{error} is not known" if isinstance(error, KeyError) else f"{type(error).__name__}: {error}"
        why = " ".join((said.getvalue() or what).split())[:200].rstrip(".")
        raise MeshError(f"the file cannot be read as {name}: {why}; check the format, or write it as Gmsh's .msh") from None
