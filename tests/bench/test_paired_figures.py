#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of figures: ratios, what is left out of them, and the summary."""

import unittest

from bench_against import iterations
from paired_figures import compare, summary, table


def timed(milliseconds, case="library raw"):
    return [{"case": case, "threads": 1, "ms_per_iter": milliseconds, "residual": 0.5}]


class PairedFigures(unittest.TestCase):
    def test_ratios_are_those_of_pairs_not_of_medians(self):
        (found,) = compare([("b", timed(10), timed(11)), ("b", timed(20), timed(20)), ("b", timed(10), timed(8))])
        self.assertEqual([1.1, 1.0, 0.8], found.ratios)
        self.assertEqual({"ratio_min": 0.8, "ratio_median": 1.0, "ratio_max": 1.1}, found.spread())
        self.assertEqual((10, 11), (found.as_record()["base"], found.as_record()["present"]))

    def test_a_ratio_above_one_means_slower_where_more_is_better(self):
        (found,) = compare([("b", [{"case": "copy", "library_gb_per_s": 30}], [{"case": "copy", "library_gb_per_s": 20}])])
        self.assertEqual([1.5], found.ratios)

    def test_figures_of_one_build_only_have_no_pair(self):
        self.assertEqual([], compare([("b", timed(10), timed(10, case="new"))]))

    def test_threads_tell_figures_apart(self):
        two = [{"case": "library raw", "threads": 2, "ms_per_iter": 5}]
        self.assertEqual(2, len(compare([("b", timed(10) + two, timed(10) + two)])))

    def test_a_time_below_zero_gives_no_ratio(self):
        (found,) = compare([("b", timed(-1), timed(1))])
        self.assertEqual({}, found.spread())
        self.assertIn("-", table([found]))

    def test_the_summary_names_what_is_above_two_percent_and_marks_controls(self):
        found = compare([("b", timed(100) + timed(100, "hand simd") + timed(100, "library lazy"),
                          timed(103) + timed(104, "hand simd") + timed(102, "library lazy"))])
        lines = summary(found).splitlines()
        self.assertEqual("2 of 3 ratios have a median above 1.02", lines[0])
        self.assertIn("library raw, threads 1: ms_per_iter (1.030)", lines[1])
        self.assertIn("hand simd, threads 1: ms_per_iter (1.040, control)", lines[2])

    def test_the_time_of_the_example_is_that_of_its_last_iterations(self):
        output = "    50 of 100   residual 1.5e-04   0.500000 s\n   100 of 100   residual 1.2e-04   1.250000 s\nwaited 0.007 s\n"
        self.assertEqual([{"figure": "iterations", "seconds": 1.25}], iterations(output, 0))


if __name__ == "__main__":
    unittest.main()
