# SPDX-License-Identifier: BSD-3-Clause
"""What is a mesh to a finite-volume or finite-element program? All indices from 0."""
from dataclasses import dataclass, field

import numpy as np

from .shapes import Shape


@dataclass
class Part:
    """Cells of one shape: `first`, `first + 1`, ... of all cells."""
    shape: Shape
    kind: str              # as meshio names it: "tetra10"
    first: int
    nodes: np.ndarray      # [cells x corners]
    all_nodes: np.ndarray  # [cells x nodes of the kind], or None: only corners, or an order that is not known


@dataclass
class Faces:
    nodes: np.ndarray   # [faces x 2, 3 or 4]; the normal looks from the first cell to the second, or outwards
    cells: np.ndarray   # [faces x 2]; of the boundary [faces x 1]
    tags: np.ndarray    # [faces], the group; 0: none
    normal: np.ndarray  # [faces x dimension], as long as the area of the face
    centre: np.ndarray


@dataclass
class Faults:
    """What may be wrong; indices of cells and nodes are those of the mesh."""
    merged: int = 0                     # nodes that were made one with another
    unused: int = 0                     # nodes that no cell has, left out
    mirrored: int = 0                   # cells whose order of nodes was reversed
    collapsed: np.ndarray = ()          # cells that have a node twice
    flat: np.ndarray = ()               # cells without volume
    bent: np.ndarray = ()               # cells with a corner that is not convex
    crowded: np.ndarray = ()            # nodes of faces of more than two cells
    folded: np.ndarray = ()             # pairs of cells that overlap
    orphans: np.ndarray = ()            # nodes of elements that are not faces of cells
    disputed: int = 0                   # faces that elements give to several groups
    coincident: np.ndarray = ()         # pairs of nodes at one place
    part_sizes: np.ndarray = ()         # cells of each connected part, largest first
    notes: list = field(default_factory=list)
    losses: list = field(default_factory=list)  # groups that are not as in the file


@dataclass
class Mesh:
    dimension: int
    x: np.ndarray          # [nodes x dimension]
    parts: list
    cell_tags: np.ndarray  # [cells], the group; 0: none
    volume: np.ndarray     # [cells]
    centre: np.ndarray     # [cells x dimension]
    inner: Faces
    boundary: Faces        # in the order of the tags
    names: dict            # (dimension, tag) -> name
    faults: Faults
    paired_nodes: np.ndarray  # [n x 2] periodic: a node and its partner
    paired_faces: np.ndarray  # [n x 2] of the boundary

    def name_of(self, dimension, tag):
        return self.names.get((dimension, int(tag)), "none" if tag == 0 else f"group_{tag}")
