#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program that writes series, and reads them back with VTK: check_with_vtk.py environment command ...

VTK is that of PyPI, installed into the virtual environment, which is made if it is not there. Ends with 77, which is a
skipped test, if that cannot be done.
"""
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

SKIPPED = 77


def python_with_vtk(folder):
    """The interpreter of a virtual environment that has VTK, or the reason why there is none."""
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    if subprocess.run([python, "-c", "import vtk"], capture_output=True, check=False).returncode == 0:
        return python, ""
    done = subprocess.run([python, "-m", "pip", "install", "-q", "vtk"], capture_output=True, text=True, timeout=900,
                          check=False)
    return (python, "") if done.returncode == 0 else (None, done.stderr.strip().splitlines()[-1:])


def main():
    environment, command = Path(sys.argv[1]), sys.argv[2:]
    try:
        python, reason = python_with_vtk(environment)
    except (OSError, subprocess.SubprocessError) as error:
        python, reason = None, error
    if python is None:
        print(f"skipped: PyPI's vtk cannot be installed into {environment}: {reason}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*command, folder], check=True, timeout=100)
        reader = Path(__file__).with_name("read_with_vtk.py")
        return subprocess.run([python, "-B", reader, folder], check=False, timeout=300).returncode


if __name__ == "__main__":
    sys.exit(main())
