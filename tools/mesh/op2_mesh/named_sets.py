# SPDX-License-Identifier: BSD-3-Clause
"""Which group has an element that is in several named sets? The first one."""
import numpy as np

from .failure import number_of
from .shapes import shape_of


class NamedSets:
    """Gives the elements of a Source groups with new numbers, set after set."""

    def __init__(self, source):
        self.source = source
        self.tags = {}

    def _new_tag(self):
        used = [int(block.tags.max(initial=0)) for block in self.source.blocks]
        return max([*used, *(tag for _, tag in self.source.names), *self.tags.values()], default=0) + 1

    def add(self, name, members):
        """@param members  [(block, rows)]; elements that are in another group already stay there, which is said"""
        if name not in self.tags:
            self.tags[name] = self._new_tag()
        tag, all_of_them, mine = self.tags[name], 0, 0
        for block, rows in members:
            rows = np.unique(rows)
            free = rows[(block.tags[rows] == 0) | (block.tags[rows] == tag)]
            block.tags[free] = tag
            all_of_them, mine = all_of_them + len(rows), mine + len(free)
            if len(free):
                self.source.names[shape_of(block.kind).dimension, tag] = name
        if mine < all_of_them:
            self.source.losses.append(
                f"elements are in several groups, of which the first counts: '{name}' keeps {mine} of "
                f"{number_of(all_of_them, 'element')}; give each element one group")
