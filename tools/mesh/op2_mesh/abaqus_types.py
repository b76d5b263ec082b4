# SPDX-License-Identifier: BSD-3-Clause
"""Which shape has an element of Abaqus, and which corners have its faces?"""
import re

# Names of types, and by the number of nodes: meshio's name.
FAMILIES = [
    (r"(?:D|A|Q)?C3D(\d+)\w*|SC(\d)R\w*", {4: "tetra", 5: "pyramid", 6: "wedge", 8: "hexahedron", 10: "tetra10",
                                         15: "wedge15", 20: "hexahedron20"}),
    (r"(?:DS|S|STRI|M3D|SFM3D|R3D|F3D|F2D|AC2D|ACAX|DC2D|DCAX|CPEG?|CPS|C?GAX|CAX)(3|4|6|8|9)\w*",
     {3: "triangle", 4: "quad", 6: "triangle6", 8: "quad8", 9: "quad9"}),
    (r"(?:T|R|SFMAX|MAX|SAX|RAX|DC)?(?:[123]D|AX|)(2)", {2: "line"}),
    (r"(?:B|PIPE)[23]([123])\w*", {1: "line", 2: "line3", 3: "line"}),
    (r"T[23]D(3)\w*", {3: "line3"}),
]
WIDTHS = {"line": 2, "line3": 3, "triangle": 3, "triangle6": 6, "quad": 4, "quad8": 8, "quad9": 9, "tetra": 4, "tetra10": 10,
          "pyramid": 5, "wedge": 6, "wedge15": 15, "hexahedron": 8, "hexahedron20": 20}
SIX_NODES = "STRI65"
# Corners, from 0, of the faces S1, S2, ... of each shape.
FACES = {"triangle": ((0, 1), (1, 2), (2, 0)), "quad": ((0, 1), (1, 2), (2, 3), (3, 0)),
         "tetra": ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)),
         "pyramid": ((0, 1, 2, 3), (0, 4, 1), (1, 4, 2), (2, 4, 3), (3, 4, 0)),
         "wedge": ((0, 1, 2), (3, 5, 4), (0, 3, 4, 1), (1, 4, 5, 2), (2, 5, 3, 0)),
         "hexahedron": ((0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0))}


def kind_of(name):
    """meshio's name of a type of Abaqus, or None."""
    name = name.upper()
    if name == SIX_NODES:
        return "triangle6"
    for pattern, kinds in FAMILIES:
        match = re.fullmatch(pattern, name)
        if match:
            return kinds.get(int(next(group for group in match.groups() if group)))
    return None
