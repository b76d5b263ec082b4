# SPDX-License-Identifier: BSD-3-Clause
"""What does a file say, whatever its format? The form between reading and building; and who reads a format."""
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Block:
    """Elements of one type."""
    kind: str          # as meshio names it: "tetra10"
    nodes: np.ndarray  # [elements x nodes of the type], from 0
    tags: np.ndarray   # [elements], the group of each; 0: in none


@dataclass
class Source:
    points: np.ndarray                             # [nodes x 2 or 3]
    blocks: list = field(default_factory=list)
    names: dict = field(default_factory=dict)      # (dimension, tag) -> name of the group
    node_sets: dict = field(default_factory=dict)  # name -> nodes
    notes: list = field(default_factory=list)      # what was left out
    losses: list = field(default_factory=list)     # groups that the mesh does not have as the file has them
    paired_nodes: list = field(default_factory=list)  # periodic: ([n x 2] nodes and partners, whether they are those of faces)
    paired_faces: list = field(default_factory=list)  # periodic: (nodes of faces, nodes of the partner of each)


@dataclass(frozen=True)
class Format:
    """A format is one file of `formats`, whose FORMAT is a row of read.py."""
    name: str
    endings: tuple           # of files, in lower case
    read: Callable           # (path, tag_data) -> Source; throws MeshError, or anything at a damaged file
    has_head: Callable = lambda head: False  # whether the first bytes of a file say that it has the format
    tagged: bool = False     # takes `tag_data`: the name of cell data that number the groups
