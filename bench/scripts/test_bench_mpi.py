#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files of bench_mpi.py: what an unfinished run leaves as it was, and what a later one keeps."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import bench_mpi

BENCH = Path(bench_mpi.__file__)


class Files(unittest.TestCase):
    def test_records_replace_a_file_when_all_are_there(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scaling.jsonl"
            path.write_text("before\n")
            records = bench_mpi.Records(path)
            records.add({"costs": 1})
            self.assertEqual("before\n", path.read_text())
            self.assertEqual({"costs": 1}, json.loads((Path(folder) / "scaling.jsonl.new").read_text()))
            records.finish()
            self.assertEqual({"costs": 1}, json.loads(path.read_text()))
            self.assertEqual([path], list(Path(folder).iterdir()))

    def test_what_is_kept_is_of_the_first_record_that_has_it(self):
        records = [{"point": 1}, {"costs": {"update": 2}}, {"costs": {"update": 3}}]
        self.assertEqual({"update": 2}, bench_mpi.kept(records, "costs"))
        self.assertIsNone(bench_mpi.kept(records, "solver_costs"))

    def test_nothing_can_be_kept_of_a_file_that_is_not_there(self):
        for option in ("--solver", "--keep-costs"):
            with self.subTest(option), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, "-B", BENCH, "none", folder, option], capture_output=True, text=True)
                self.assertEqual(2, done.returncode)
                self.assertIn(f"need {folder}/scaling.jsonl", done.stderr)


if __name__ == "__main__":
    unittest.main()
