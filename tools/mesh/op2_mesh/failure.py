# SPDX-License-Identifier: BSD-3-Clause
"""How is what went wrong told?"""
import importlib
import sys


class MeshError(Exception):
    """<what is wrong>: <object>, <numbers>; <what to do>"""


class Damaged(MeshError):
    """Of a file that can only be made again: <what is wrong>: <object>, <numbers>"""

    def __init__(self, what):
        super().__init__(f"{what}; write the mesh again")


def printable(text):
    """The text on one line; what a terminal would not show, or take as a command, as an escape sequence of Python."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape", "surrogatepass").decode()
                   for letter in text)


def rows(indices, most=5):
    """The first few of many indices, for a message."""
    shown = ", ".join(str(index) for index in indices[:most])
    return shown + (", ..." if len(indices) > most else "")


def number_of(count, one):
    return f"{count:,} {one if count == 1 else one + 's'}".replace(",", " ")


# Debian packages of the modules that may be missing.
PACKAGES = {"numpy": "python3-numpy", "meshio": "python3-meshio", "h5py": "python3-h5py", "netCDF4": "python3-netcdf4",
            "matplotlib": "python3-matplotlib"}


def missing(module, purpose=""):
    """What to do about a Python module that is not there."""
    package = PACKAGES.get(module, f"python3-{module}")
    return (f"the Python module {module} is missing{purpose}: {sys.executable}, version "
            f"{sys.version_info.major}.{sys.version_info.minor}; on Debian: apt install {package}, for /usr/bin/python3; "
            f"elsewhere: {sys.executable} -m pip install {module}")


def needed(name, purpose):
    """The module, or a MeshError that says how to install it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MeshError(missing(error.name, f", which {purpose}")) from None
