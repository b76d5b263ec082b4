# SPDX-License-Identifier: BSD-3-Clause
"""The version of the tools in Python: of the installation that this file is in (share/op2), or of the source tree."""
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent


def version():
    installed, header = HERE / "version", HERE.parent / "include" / "op2" / "version.hpp"
    if installed.is_file():
        return installed.read_text(encoding="utf-8").strip()
    return re.search(r'_STRING "(\S+)"', header.read_text(encoding="utf-8"))[1]
