#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which configurations same_bits.py compares, and what it takes for a success."""

import argparse
import collections
import contextlib
import io
import itertools
import random
import unittest
from unittest import mock

import same_bits

KEYS = set(itertools.product(same_bits.PROBLEMS, same_bits.NUMBERINGS))


def compared(runs, hash_of, known=()):
    """The number of what is wrong, and what is printed."""
    said = io.StringIO()
    with mock.patch.multiple(same_bits, hash_of=hash_of, known_hashes=lambda: dict(known)), contextlib.redirect_stdout(said):
        return same_bits.compare(runs, argparse.Namespace(jobs=1)), said.getvalue()


class SameBits(unittest.TestCase):
    def setUp(self):
        self.runs = same_bits.full_product(random.Random(1))

    def sample(self, count, seed):
        return same_bits.sample(self.runs, count, random.Random(seed))

    def test_each_numbering_of_each_program_has_the_full_product(self):
        counts = collections.Counter((run.problem, run.numbering) for run in self.runs)
        self.assertEqual(counts, {key: 144 for key in KEYS})
        self.assertEqual(same_bits.missing_pairs(self.runs), set())

    def test_a_sample_has_two_runs_of_each_numbering(self):
        for seed in range(20):
            counts = collections.Counter((run.problem, run.numbering) for run in self.sample(6, seed))
            self.assertEqual(counts, {key: 2 for key in KEYS})
        self.assertEqual(len(self.sample(7, 1)), 28)

    def test_a_sample_leaves_out_what_the_processor_cannot_execute(self):
        with mock.patch.object(same_bits, "has_level", lambda level: level == "x86-64-v2"):
            self.assertEqual({run.configuration["OP2_JIT_CPU"] for run in self.sample(6, 1)}, {"x86-64-v2"})

    def test_equal_hashes_are_right(self):
        self.assertEqual(compared(self.runs, lambda run, _: run.problem + run.numbering)[0], 0)

    def test_each_run_that_differs_from_the_first_of_its_numbering_is_wrong(self):
        wrong, said = compared(self.sample(6, 1), lambda run, _: str(run) if run.problem == "airfoil" else "same")
        self.assertEqual(wrong, 3)
        self.assertIn("instead of", said)

    def test_another_hash_than_the_known_one_is_wrong(self):
        known = {("airfoil", "given"): ("other", "hashes.txt")}
        wrong, said = compared(self.sample(6, 1), lambda run, _: "same", known)
        self.assertEqual(wrong, 2)
        self.assertIn("same instead of other", said)

    def test_each_program_and_numbering_has_a_known_hash(self):
        self.assertEqual(set(same_bits.known_hashes()), KEYS)

    def test_runs_on_one_and_two_ranks_are_for_any_processor(self):
        runs = same_bits.on_one_and_two_ranks()
        self.assertEqual({(run.problem, run.numbering, run.configuration["ranks"]) for run in runs},
                         {key + (ranks,) for key in KEYS for ranks in (1, 2)})
        self.assertTrue(all(same_bits.has_level(run.configuration["OP2_JIT_CPU"]) for run in runs))

    def test_a_numbering_with_one_hash_is_wrong(self):
        first = self.runs[0]
        others = [run for run in self.runs if run[:2] != first[:2]]
        wrong, said = compared([first, *others], lambda run, _: "same")
        self.assertEqual(wrong, 1)
        self.assertIn("1 hashes", said)

    def test_a_numbering_of_which_all_runs_are_skipped_is_wrong(self):
        self.assertEqual(compared(self.runs, lambda run, _: None)[0], len(KEYS))
        self.assertEqual(compared([], lambda run, _: "same")[0], len(KEYS))

    def test_a_run_that_fails_is_wrong(self):
        def fail(run, _):
            raise RuntimeError("ended")

        wrong, said = compared(self.runs[:3], fail)
        self.assertEqual(wrong, 3 + len(KEYS))
        self.assertIn("ended", said)


if __name__ == "__main__":
    unittest.main()
