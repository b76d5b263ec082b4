#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which rounds of runs are compared while a host moves the cores."""

import unittest

from core_distance import FAR, NEAR, rounds_by_distance, runs_by_distance


class Moving:
    """Distances as given, one for each question; then the last one."""

    def __init__(self, *distances):
        self.distances = list(distances)

    def now(self):
        return self.distances.pop(0) if len(self.distances) > 1 else self.distances[0]


def counting():
    count = iter(range(1000))
    return lambda: next(count)


class Rounds(unittest.TestCase):
    def test_without_a_move_all_rounds_are_of_one_distance(self):
        found = rounds_by_distance(Moving(NEAR), {"off": counting(), "on": counting()}, 2, 10)
        self.assertEqual({NEAR: [{"off": 0, "on": 0}, {"off": 1, "on": 1}], FAR: []}, found)

    def test_a_round_during_a_move_is_left_out(self):
        moves = Moving(NEAR, NEAR, FAR, FAR, FAR, FAR, FAR)
        found = rounds_by_distance(moves, {"off": counting(), "on": counting()}, 1, 10)
        self.assertEqual({NEAR: [], FAR: [{"off": 1, "on": 1}]}, found)

    def test_rounds_of_both_distances_are_kept_apart(self):
        found = rounds_by_distance(Moving(NEAR, NEAR, FAR, FAR, NEAR), {"off": counting()}, 2, 10)
        self.assertEqual({NEAR: [{"off": 0}, {"off": 2}], FAR: [{"off": 1}]}, found)

    def test_rounds_of_an_earlier_call_count_too(self):
        known = {NEAR: [{"off": 7}], FAR: [{"off": 8}]}
        found = rounds_by_distance(Moving(NEAR), {"off": counting()}, 2, 10, known)
        self.assertEqual({NEAR: [{"off": 7}, {"off": 0}], FAR: [{"off": 8}]}, found)

    def test_single_runs_are_kept_by_their_distance(self):
        moves = Moving(NEAR, NEAR, FAR, FAR, FAR, FAR, FAR)
        found = runs_by_distance(moves, {"off": counting(), "on": counting()}, 2, 10)
        self.assertEqual({"off": [0], "on": []}, found[NEAR])
        self.assertEqual({"off": [1, 2], "on": [1, 2]}, found[FAR])

    def test_it_ends_where_the_cores_never_rest(self):
        found = rounds_by_distance(Moving(*[NEAR, FAR] * 50), {"off": counting()}, 2, 7)
        self.assertEqual({NEAR: [], FAR: []}, found)


if __name__ == "__main__":
    unittest.main()
