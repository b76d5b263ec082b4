#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rounds of figures: ratios, their intervals, what is left out of them, and what is slower."""

import unittest

from bench_against import iterations
from paired_figures import Interval, compare, interval_of, summary, table


def timed(milliseconds, case="library raw"):
    return [{"case": case, "threads": 1, "ms_per_iter": milliseconds, "residual": 0.5}]


def rounds_of(*times):
    """Rounds of one figure, in which base takes 100 both times unless a pair (present, base again) is given."""
    pairs = (t if isinstance(t, tuple) else (t, 100) for t in times)
    return [("b", timed(100), timed(present), timed(again)) for present, again in pairs]


class PairedFigures(unittest.TestCase):
    def test_ratios_are_those_of_rounds_not_of_medians(self):
        (found,) = compare([("b", timed(10), timed(11), timed(9)), ("b", timed(20), timed(20), timed(20)),
                            ("b", timed(10), timed(8), timed(10))])
        self.assertEqual([1.1, 1.0, 0.8], found.ratios)
        self.assertEqual([0.9, 1.0, 1.0], found.noise)
        record = found.as_record()
        self.assertEqual((10, 11, 1.0), (record["base"], record["present"], record["ratio_median"]))

    def test_a_ratio_above_one_means_slower_where_more_is_better(self):
        copies = [[{"case": "copy", "library_gb_per_s": speed}] for speed in (30, 20, 30)]
        (found,) = compare([("b", *copies)])
        self.assertEqual([1.5], found.ratios)

    def test_figures_of_one_build_only_are_not_compared(self):
        self.assertEqual([], compare([("b", timed(10), timed(10, case="new"), timed(10))]))

    def test_threads_tell_figures_apart(self):
        two = [{"case": "library raw", "threads": 2, "ms_per_iter": 5}]
        self.assertEqual(2, len(compare([("b", *[timed(10) + two] * 3)])))

    def test_a_time_below_zero_gives_no_ratio(self):
        (found,) = compare([("b", timed(-1), timed(1), timed(1))])
        self.assertEqual(([], False), (found.ratios, found.is_slower()))
        self.assertIn("-", table([found]))

    def test_the_interval_holds_the_median_with_eighty_percent(self):
        # P(5th < median < 11th of 15) = 1 - 2 * 1941 / 2**15 = 0.88; of the 6th and the 10th it is 0.70.
        self.assertEqual(Interval(5, 8, 11), interval_of(range(15, 0, -1)))
        # P(all of 4 on one side) = 2 / 2**4: the whole range has 0.875. Of 3 it would have 0.75.
        self.assertEqual(Interval(1, 2.5, 4), interval_of([3, 1, 2, 4]))
        self.assertIsNone(interval_of([]))

    def test_two_percent_more_is_not_slower(self):
        self.assertFalse(compare(rounds_of(*[102] * 15))[0].is_slower())
        self.assertTrue(compare(rounds_of(*[103] * 15))[0].is_slower())

    def test_what_base_shows_against_itself_is_not_slower(self):
        noisy = [(105, again) for again in (90, 95, 100, 105, 110) * 3]
        self.assertFalse(compare(rounds_of(*noisy))[0].is_slower())
        self.assertTrue(compare(rounds_of(*[(112, again) for _, again in noisy]))[0].is_slower())

    def test_the_summary_names_what_is_slower_and_marks_controls(self):
        base = timed(100) + timed(100, "hand simd") + timed(100, "library lazy")
        found = compare([("b", base, timed(103) + timed(104, "hand simd") + timed(102, "library lazy"), base)])
        lines = summary(found).splitlines()
        self.assertTrue(lines[0].startswith("2 of 3 figures are slower"), lines[0])
        self.assertIn("library raw, threads 1: ms_per_iter (1.030)", lines[1])
        self.assertIn("hand simd, threads 1: ms_per_iter (1.040, control)", lines[2])

    def test_the_time_of_the_example_is_that_of_its_last_iterations(self):
        output = "    50 of 100   residual 1.5e-04   0.500000 s\n   100 of 100   residual 1.2e-04   1.250000 s\nwaited 0.007 s\n"
        self.assertEqual([{"figure": "iterations", "seconds": 1.25}], iterations(output, 0))


if __name__ == "__main__":
    unittest.main()
