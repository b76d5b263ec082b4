#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The table of bench_model.py: which errors are judged, which series are shown, and what the page keeps."""

import unittest

from core_distance import FAR, NEAR
from model_report import (
    BEGIN,
    END,
    SERIES,
    choice,
    is_kept,
    last_cases,
    next_series,
    row,
    series_table,
    verdict,
    with_table,
)


def record(chain="off", predicted=1.0, measured=1.0, cells=20_000, **more):
    return {"series": 1, "date": "2026-01-01", "cpu": "a CPU", "program": "Airfoil", "cells_per_rank": cells, "chain": chain,
            "measured": measured, "runs": [0.9 * measured, measured, 1.2 * measured], "predicted": predicted, "uncertain": False, "cores": NEAR, **more}  # fmt: skip


def case(auto, off=1.0, on=2.0, measured_off=1.0, measured_on=2.0, **more):
    return [record("off", off, measured_off, **more), record("on", on, measured_on, **more), record("auto", auto, 1.0, **more)]


def by_chain(records):
    return {one["chain"]: one for one in records}


class Report(unittest.TestCase):
    def test_limits_depend_on_the_size_of_a_part(self):
        for predicted, cells, kept in ((1.09, 10_000, True), (1.11, 10_000, False), (0.89, 10_000, False),
                                       (1.14, 9_999, True), (1.16, 9_999, False), (0.84, 9_999, False)):  # fmt: skip
            self.assertEqual(kept, is_kept(record(predicted=predicted, cells=cells)), (predicted, cells))

    def test_guesses_and_choices_are_not_judged(self):
        self.assertTrue(is_kept(record(predicted=2.0, uncertain=True)))
        self.assertTrue(is_kept(record("auto", predicted=2.0)))
        self.assertEqual(["+5.0 %", "+50.0 %\\*\\*", "+50.0 %\\*"],
                         [verdict(record(predicted=p, uncertain=u)) for p, u in ((1.05, False), (1.5, False), (1.5, True))])

    def test_a_choice_is_wrong_if_the_other_was_faster(self):
        self.assertEqual("off (right)", choice(by_chain(case(auto=1.0))))
        self.assertEqual("on (wrong)", choice(by_chain(case(auto=0.9, on=0.9))))
        self.assertEqual("off (wrong)", choice(by_chain(case(auto=1.0, measured_off=3.0))))
        self.assertEqual("chains between off and on", choice(by_chain(case(auto=0.8))))

    def test_each_program_is_shown_as_its_last_series_measured_it(self):
        other = {"program": "conjugate gradients"}
        records = [*case(1.0), *case(1.0, **other), *case(1.0, series=2, **other)]
        self.assertEqual([("Airfoil", 1), ("conjugate gradients", 2)],
                         [(of["off"]["program"], of["off"]["series"]) for of in last_cases(records)])  # fmt: skip
        self.assertEqual(3, next_series(records))
        self.assertEqual(1, next_series([]))

    def test_cores_that_share_a_cache_and_others_are_two_rows(self):
        near, far = last_cases([*case(1.0), *case(1.09, off=1.09, cores=FAR)])
        self.assertEqual(["Airfoil", "Airfoil, without a cache that both cores share"], [row(near)[0], row(far)[0]])
        self.assertEqual(["+0.0 %", "+9.0 %"], [row(near)[5], row(far)[5]])

    def test_each_series_has_a_row_with_the_errors_of_each_size(self):
        small = {"cells": 5_000, "uncertain": True}
        records = [*case(1.0, off=1.2), *case(1.0, on=2.1, series=2), *case(1.0, off=0.9, series=2, **small)]
        rows = series_table(records, lambda header, rows: rows)
        self.assertEqual([["1, 2026-01-01", "a CPU", "1 of 2", "1 of 2", "-", "+20.0, +0.0"],
                          ["2, 2026-01-01", "a CPU", "2 of 2", "4 of 4", "-10.0\\*, +0.0\\*", "+0.0, +5.0"]], rows)  # fmt: skip

    def test_the_page_keeps_what_is_around_the_table(self):
        page = f"before\n{BEGIN}old\n{END}after\n"
        text = with_table(page, case(1.2, off=1.2), lambda header, rows: f"{len(header) - len(rows[0])} {rows[0][-1]}\n")
        self.assertEqual(f"before\n{BEGIN}0 off (right)\n{SERIES}0 +20.0, +0.0\n{END}after\n", text)
        with self.assertRaises(ValueError):
            with_table("no marks", case(1.0), lambda header, rows: "")


if __name__ == "__main__":
    unittest.main()
