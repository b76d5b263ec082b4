#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records of bench_auto.py: what is joined, what is replaced, and what remains to be measured."""

import json
import tempfile
import unittest
from pathlib import Path

import explained_report
from auto_report import judged, key_of, known_rounds, missing, modelled, read, seed_of, wall
from programs import CACHES

POINT = {"program": "constant", "ranks": 16, "cells": 700, "nchains": 1, "latency": 2}


def record(seed=1, off=4.0, day="2026-01-01", library="0a1b", **repeats):
    seconds = {"off": off, "on": 2.0, **{name.lstrip("r"): value for name, value in repeats.items()}}
    return {"auto": POINT, "seed": seed, "seconds": seconds, "date": day, "library": library, "caches": CACHES}


def read_lines(*records):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "auto.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in records))
        return read(path)


class Records(unittest.TestCase):
    def test_later_repeats_of_a_point_join_earlier_ones(self):
        (found,) = read_lines(record(r100=2.2, r1000=2.1), record(r10000=2.0, day="2026-01-05")).values()
        self.assertEqual({"off": 4.0, "on": 2.0, "100": 2.2, "1000": 2.1, "10000": 2.0}, found["seconds"])
        self.assertEqual(["2026-01-01", "2026-01-05"], found["dates"])

    def test_figures_of_other_costs_are_not_joined(self):
        for other in (record(seed=2, r1000=2.1), record(off=4.5, r1000=2.1)):
            (found,) = read_lines(record(r100=2.2), other).values()
            self.assertEqual(other["seconds"], found["seconds"])

    def test_figures_of_other_caches_do_not_count(self):
        other = {**record(r100=2.2, r1000=2.1), "caches": "l3:1(size=1GB) core:1 pu:1"}
        (found,) = read_lines(other, record(r100=2.3), other).values()
        self.assertEqual(record(r100=2.3)["seconds"], found["seconds"])

    def test_the_page_counts_the_libraries_of_joined_records(self):
        joined = read_lines(record(r100=2.3), record(r1000=2.0, library="2c3d"))
        (found,) = joined.values()
        self.assertEqual({"off": 4.0, "on": 2.0, "100": 2.3, "1000": 2.0}, found["seconds"])
        self.assertIn("with\n2 successive libraries", modelled(joined.values(), 1, lambda head, rows: ""))

    def test_cores_that_share_a_cache_and_others_are_two_series(self):
        run = {way: [{"case": 1.0}] for way in ("off", "again", "on", "auto")}
        one = {"wall": "case", "cores": "near", "runs": run, "date": "2026-01-01"}
        found = read_lines(one, {**one, "cores": "far"}).values()
        self.assertEqual(2, len(found))
        text = wall(found, lambda head, rows: f"{len(rows)} row\n")
        self.assertRegex(text, r"(?s)With a cache that both cores share.*1 row.*Without a cache.*1 row\n$")

    def test_few_runs_are_not_judged(self):
        def text_of(runs):
            slow = {way: [{"case": 2.0 if way == "auto" else 1.0}] * runs for way in ("off", "again", "on", "auto")}
            record = {"wall": "case", "cores": "near", "runs": slow, "dates": ["2026-01-01"]}
            return wall([record], lambda head, rows: rows[0][6])

        self.assertIn("missed", text_of(15))
        self.assertNotIn("missed", text_of(14))

    def test_what_off_shows_against_itself_is_allowed_up_to_a_limit(self):
        def judgement(again, auto=1.04):
            runs = {way: [{"case": value}] * 15 for way, value in (("off", 1.0), ("on", 1.5), ("auto", auto))}
            return judged({"runs": {**runs, "again": [{"case": value} for value in again]}}, "case")

        self.assertFalse(judgement([1.0] * 15)[2])
        self.assertTrue(judgement([1.0] * 15, auto=1.02)[2])
        self.assertFalse(judgement([0.7, 1.4, 1.5] + [1.0] * 12)[2])  # some disturbed rounds
        self.assertFalse(judgement([0.95, 0.96, 0.97, 0.98, 1.0] * 3)[2])  # a second run that takes less excuses nothing
        above, spread, kept = judgement([0.99, 1.0, 1.01, 1.02, 1.03] * 3)
        self.assertTrue(kept)
        self.assertAlmostEqual(0.04, above)
        self.assertAlmostEqual(0.02, spread)
        self.assertIsNone(judgement([0.8, 0.9, 1.0, 1.1, 1.2] * 3)[2])

    def test_each_cpu_has_its_records(self):
        one = {"wall": "case", "cores": "near", "runs": {}, "date": "2026-01-01", "cpu": "a"}
        self.assertEqual(2, len(read_lines(one, {**one, "cpu": "b"})))

    def test_what_is_measured_again_replaces_what_was(self):
        (found,) = read_lines(record(r100=2.2), record(r100=2.3)).values()
        self.assertEqual(2.3, found["seconds"]["100"])

    def test_costs_of_a_point_follow_from_the_point_alone(self):
        self.assertEqual(seed_of(POINT), seed_of(dict(reversed(POINT.items()))))
        self.assertNotEqual(seed_of(POINT), seed_of({**POINT, "latency": 50}))
        self.assertEqual(1913397713, seed_of(POINT))

    def test_only_what_is_missing_is_measured(self):
        done = read_lines(record(r100=2.2))
        self.assertEqual([1000], missing(done, [POINT], 1, [100, 1000]))
        self.assertEqual([100], missing(done, [POINT], 2, [100]))
        self.assertEqual([100], missing(done, [POINT, {**POINT, "ranks": 2}], 1, [100]))
        self.assertEqual([], missing(done, [POINT], 1, [100]))

    def test_rounds_count_if_the_same_library_and_command_made_them(self):
        made_by = {"command": ["cg_bench"], "library": "0a1b", "cpu": "a"}
        runs = {"off": [{"case": 1.0}, {"case": 2.0}], "on": [{"case": 3.0}, {"case": 4.0}]}
        done = read_lines({"wall": "case", "cores": "near", "runs": runs, "date": "2026-01-01", **made_by})
        rounds = [{"off": {"case": 1.0}, "on": {"case": 3.0}}, {"off": {"case": 2.0}, "on": {"case": 4.0}}]
        self.assertEqual({"near": rounds, "far": []}, known_rounds(done, "case", made_by))
        for other in ({"library": "ffff"}, {"command": ["cg_bench", "--width"]}, {"cpu": "b"}):
            self.assertEqual({"near": [], "far": []}, known_rounds(done, "case", {**made_by, **other}))

    def test_keys_do_not_depend_on_the_order_of_fields(self):
        self.assertEqual(key_of({"auto": POINT}), key_of({"auto": dict(reversed(POINT.items()))}))

    def test_the_page_says_how_many_points_were_measured(self):
        text = modelled(read_lines(record(r100=2.2)).values(), 129, lambda header, rows: "")
        self.assertIn("Of the 129 points", text)
        self.assertIn("1 were measured: 128 were not", " ".join(text.split()))


class Explained(unittest.TestCase):
    POINT = {"program": "growing", "ranks": 16, "cells": 700, "nchains": 2, "latency": 2}
    OFF = "flush 2: 4 loops, an exchange for each that needs one; predicted 1.00 of off"
    ON = "flush 8: loops 0..1, 2..3 chained: saves 2 exchanges, +8.5 % iterations, tiles 1.00x; predicted 0.80 of off, measured 0.84"

    def section(self, *lines):
        record = {"explained": self.POINT, "lines": lines, "repeats": 100, "date": "2026-11-28"}
        return explained_report.section([record], lambda header, rows: repr(rows))

    def test_a_choice_that_was_replaced_is_shown_with_its_times(self):
        text = self.section(self.OFF, self.ON)
        self.assertIn("At 0 points there was nothing to choose; at 0 of the\nothers the first choice stood.", text)
        self.assertIn("['growing', '16', '700', '2', '2', 'off', '1.00', '0..1, 2..3: 2 exchanges less', '0.80', '0.84']", text)

    def test_one_that_stood_is_only_counted(self):
        text = self.section(self.ON, self.ON)
        self.assertIn("at 1 of the\nothers the first choice stood.", text)
        self.assertNotIn("replaced", text)

    def test_the_first_prediction_is_compared_with_the_first_measurement_of_these_chains(self):
        first = self.ON.split(", measured")[0]
        later = self.ON.replace("0.80", "0.90").replace("0.84", "0.91")
        self.assertIn("At 1 points the first choice was measured: its prediction, over `off`, is off by 4.8 % (median)", self.section(first, self.ON, later))
        self.assertIn("At 0 points the first choice was measured", self.section(self.OFF, self.ON))
        self.assertIn("At 0 points the first choice was measured", self.section(first, self.ON.replace("0..1, 2..3", "0..3")))

    def test_a_choice_without_prediction_has_none_in_the_table(self):
        text = self.section("flush 2: as with OP2_CHAIN=off, because no cost of 'flow' is known", self.ON)
        self.assertIn("'off', '-', '0..1, 2..3: 2 exchanges less', '0.80', '0.84'", text)

    def test_chains_of_one_exchange_leave_nothing_to_choose(self):
        record = {"explained": {**self.POINT, "program": "jacob"}, "lines": [self.OFF], "repeats": 100, "date": "2026-11-28"}
        self.assertIn("At 1 points there was nothing to choose; at 0 of", explained_report.section([record], lambda header, rows: ""))

    def test_a_choice_with_single_rows_of_halos_differs_from_one_without(self):
        alone = self.OFF.replace(";", ", single rows of halos;").replace("1.00", "0.45")
        rows = self.ON.replace("1.00x", "1.00x, single rows of halos")
        self.assertIn("'off', '1.00', 'single rows', '0.45', '-'", self.section(self.OFF, alone))
        self.assertIn("'0..1, 2..3: 2 exchanges less', '0.80', '0..1, 2..3, single rows: 2 exchanges less', '0.80', '0.84'", self.section(self.ON, rows))


if __name__ == "__main__":
    unittest.main()
