#!/usr/bin/python3 -B
# SPDX-License-Identifier: BSD-3-Clause
"""op2-report as a program, on small files with known pages, and on damaged ones.

    report_test.py OP2_REPORT [unittest option ...]
UPDATE_GOLDEN=1 writes page.expected anew.
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pty
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOL = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(TOOL.parent))

from op2_report import bandwidth, page, records, timeline  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("op2_report_program", str(TOOL))
PROGRAM = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(PROGRAM)

TIMING, TRACE = HERE / "timing.json", HERE / "trace.json"


def run(*words, **environment):
    return subprocess.run([sys.executable, "-B", TOOL, *map(str, words)], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


class Progress(unittest.TestCase):
    def test_a_terminal_shows_that_a_page_takes_long(self):
        here, there = pty.openpty()
        with tempfile.TemporaryDirectory() as folder:
            work = ("import runpy, op2_progress; op2_progress.PATIENCE = 0.01; "
                    f"runpy.run_path({str(TOOL)!r}, run_name='__main__')")
            subprocess.run([sys.executable, "-B", "-c", work, TIMING, "-o", f"{folder}/page.html"], stderr=there, check=True,
                           stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(TOOL.parent.parent)})
        self.assertTrue(os.read(here, 1000).decode().startswith(f"op2-report: making a page of '{TIMING}', 0 s so far"))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.page = self.folder / "page.html"

    def made(self, *words):
        """The page that the program makes, in this process."""
        with contextlib.redirect_stdout(io.StringIO()):
            PROGRAM.main([*map(str, words), "-o", str(self.page)])
        return self.page.read_text(encoding="utf-8")

    def changed(self, change, source=TIMING):
        """A file like `source` after change(document)."""
        document = json.loads(source.read_text())
        change(document)
        path = self.folder / "changed.json"
        path.write_text(json.dumps(document))
        return path

    def refused(self, text, *words):
        with self.assertRaises(records.Problem) as caught:
            self.made(*words)
        self.assertIn(text, str(caught.exception))
        self.assertFalse(self.page.exists())


class Page(Case):
    def test_has_known_words_and_numbers(self):
        page = self.made(TRACE, TIMING, "--bandwidth", "20")
        words = re.sub(r"<style>.*?</style>", "", re.sub(r"<svg.*?</svg>", "<svg/>", page, flags=re.DOTALL), flags=re.DOTALL)
        golden = HERE / "page.expected"
        if os.environ.get("UPDATE_GOLDEN"):
            golden.write_text(words)
        self.assertEqual(words, golden.read_text())

    def test_needs_no_other_file_and_is_well_formed(self):
        page = self.made(TIMING, TRACE)
        self.assertEqual(re.findall(r'(?:src|href)="(?!#)[^"]*"|url\((?!#)|<script|<link|@import', page), [])
        names = re.findall(r'\bid="([^"]*)"', page)
        self.assertEqual(len(names), len(set(names)))
        for target in re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', page):
            self.assertIn("".join(target), names)
        svgs = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
        self.assertEqual(len(svgs), 4)
        for svg in svgs:
            xml.etree.ElementTree.fromstring(svg)
        for text in ("Parts of the wall time", "slowest rank", "save+flux&lt;float&gt;", "rank 1, halo", "wait and unpack"):
            self.assertIn(text, "".join(svgs))

    def test_shows_long_names_in_full(self):
        name = "+".join(f"calculate_fluxes_{k}" for k in range(4))

        def change(document):
            for item in document["loops"]:
                item["loop"] = name
        page = self.made(self.changed(change))
        times = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)[1]
        self.assertNotIn("...", times)
        for k in range(4):
            self.assertIn(f"calculate_fluxes_{k}", times)

    def test_of_a_trace_alone_is_named_after_it(self):
        self.assertIn("<h1>trace.json on 2 ranks</h1>", self.made(TRACE))

    def test_is_the_same_for_the_same_files(self):
        self.assertEqual(self.made(TIMING, TRACE), self.made(TIMING, TRACE))

    def test_names_in_files_cannot_add_elements_to_it(self):
        def change(document):
            for item in document["loops"]:
                item["loop"] = item["code"] = "<script>$x_{</script>"
                item["keys"] = ['"><script>']
            document["notes"] = {"<script>": "<script>"}
            for key, items in (("part", "parts"), ("region", "regions")):
                for item in document[items]:
                    item[key] = "<script>"
        page = self.made(self.changed(change))
        self.assertNotIn("<script", page)
        self.assertNotIn('title=""><', page)

    def test_is_beside_the_table_by_default(self):
        path = shutil.copy(TIMING, self.folder / "of.run.json")
        result = run(path)
        self.assertEqual(result.stdout, f"page     {self.folder}/of.run.html\n")
        self.assertTrue((self.folder / "of.run.html").exists())

    def test_of_one_rank_has_no_imbalance(self):
        def change(document):
            document["ranks"] = 1
        page = self.made(self.changed(change))
        self.assertNotIn("imbalance", page)
        self.assertNotIn("least", page)
        self.assertIn(">2.2500<", page)
        self.assertIn("<h1>flow on 1 rank</h1>", page)

    def test_of_a_table_without_loops_says_so(self):
        page = self.made(self.changed(lambda document: document.update(loops=[])), "--png", self.folder / "p.png")
        self.assertIn("No loop has taken time.", page)

    def test_of_a_table_without_parts_and_regions_leaves_them_out(self):
        page = self.made(self.changed(lambda document: [document.pop(name) for name in ("parts", "regions", "wall_seconds")]))
        self.assertNotIn("Parts of the wall time", page)
        self.assertNotIn("Regions", page)
        self.assertIn("save+flux", page)

    def test_shows_the_memory_of_ranks(self):
        def change(document):
            document["memory"] = [{"memory": "dats", "bytes": 3e9, "bytes_mean": 2e9, "bytes_min": 1e9}]
        self.assertIn(">dats<", self.made(self.changed(change)))
        for text in (">3000.0<", ">2000.0<", ">1000.0<"):
            self.assertIn(text, self.made(self.changed(change)))
        self.assertNotIn("<h2>Memory", self.made(TIMING))

    def test_has_a_roofline_only_if_the_table_has_flops(self):
        self.assertIn("no flops, so that there is no roofline: bandwidth alone", self.made(TIMING))
        self.assertNotIn("GFLOP/s", self.made(TIMING, "--peak", "100"))
        path = self.changed(lambda document: document["loops"][2].update(flops=12e9))
        page = self.made(path, "--peak", "100", "--bandwidth", "20")
        self.assertIn(">8.00<", page)  # 12 in 1.5 s
        self.assertNotIn("no flops", page)
        self.assertIn("flops per useful byte", page)

    def test_measures_the_bandwidth(self):
        bandwidth.BYTES = 1 << 20
        words = re.search(r"taken to have ([0-9.]+) GB/s", self.made(TIMING, "--bandwidth", "measure"))
        self.assertGreater(float(words.group(1)), 0)

    def test_picture_is_a_png(self):
        picture = self.folder / "picture.png"
        self.made(TIMING, TRACE, "--png", picture)
        content = picture.read_bytes()
        self.assertEqual(content[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(content[16:20], "big"), 990)  # columns


class TimeLine(Case):
    def pieces(self, names):
        trace = records.read([TRACE]).trace
        rows, _ = timeline.rows_of(trace)
        return timeline.pieces_of(trace, rows, names)

    def test_has_the_spans_of_each_rank_from_time_zero(self):
        pieces = self.pieces({"flux", "wait and unpack"})
        self.assertEqual(list(pieces), [(0, "compile"), (0, "halo"), (0, "loop"), (1, "halo"), (1, "loop"),
                                        (1, "reduction")])
        for row, expected in (((0, "compile"), (0, 0.1, None)), ((0, "loop"), (0.1, 0.4, "flux")),
                              ((1, "halo"), (0.9, 0.1, "wait and unpack"))):
            (begin, seconds, name, level), = pieces[row]
            self.assertEqual(level, 1)
            self.assertAlmostEqual(begin, expected[0])
            self.assertAlmostEqual(seconds, expected[1])
            self.assertEqual(name, expected[2])

    def test_names_reductions_however_little_time_they_take(self):
        spans = [records.Span(0, "loop", f"k{i}", i, 1) for i in range(20)] + [records.Span(0, "reduction", "reduce", 20, 1e-6)]
        names = timeline.names_of(records.Trace("t", spans, 0))
        self.assertIn("reduce", names)
        self.assertEqual(len(names), timeline.MOST_NAMES)

    def test_gives_a_piece_of_time_to_what_takes_most_of_it(self):
        spans = [records.Span(0, "loop", name, begin, seconds)
                 for name, begin, seconds in (("a", 0, 0.0007), ("b", 0.0007, 0.0003), ("b", 0.9993, 0.0003), ("c", 1, 0))]
        trace = records.Trace("t", spans, 0)
        pieces = timeline.pieces_of(trace, [(0, "loop")], {"a", "b"})[0, "loop"]
        self.assertEqual([(name, level) for _, _, name, level in pieces], [("a", 1), ("b", 0.5)])
        self.assertAlmostEqual(pieces[1][0], 0.999)
        self.assertAlmostEqual(pieces[1][1], 0.001)

    def test_of_many_ranks_and_spans_stays_small(self):
        spans = [records.Span(rank, "loop", f"k{i % 20}", 0.01 * i, 0.01) for rank in range(100) for i in range(300)]
        trace = records.Trace("t", spans, 0)
        rows, count = timeline.rows_of(trace)
        self.assertEqual((len(rows), count, rows[0][0], rows[-1][0]), (timeline.MOST_ROWS, 100, 0, 99))
        names = timeline.names_of(trace)
        self.assertEqual(len(names), timeline.MOST_NAMES)
        for pieces in timeline.pieces_of(trace, rows, set(names)).values():
            self.assertLessEqual(len(pieces), timeline.PIECES)


class Mistakes(Case):
    def test_in_files_are_named(self):
        cases = [("item 1 of 'loops': 'seconds' is -1 instead of a number from 0", {"seconds": -1}),
                 ("'seconds' is \"fast\" instead of a number", {"seconds": "fast"}),
                 ("'seconds' is NaN instead of a number", {"seconds": float("nan")}),
                 ("'bytes' is 1000", {"bytes": 10**400}),
                 ("'calls' is 0.5 instead of a whole number", {"calls": 0.5}),
                 ("'calls' is true instead of a number", {"calls": True}),
                 ("'loop' is null instead of a text", {"loop": None}),
                 ("'keys' is \"k\" instead of a list of texts", {"keys": "k"})]
        for text, fields in cases:
            self.refused(text, self.changed(lambda document, fields=fields: document["loops"][0].update(fields)))

    def test_fields_that_are_missing_are_named(self):
        path = self.changed(lambda document: document["loops"][1].pop("code"))
        self.refused("item 2 of 'loops': 'code' is missing instead of a text", path)

    def test_in_parts_and_regions_are_named(self):
        for text, change in (("item 1 of 'parts': 'entries' is missing", lambda d: d["parts"][0].pop("entries")),
                             ("item 2 of 'parts': 'seconds_min' is -1", lambda d: d["parts"][1].update(seconds_min=-1)),
                             ("item 2 of 'regions': 'executing_mean' is missing", lambda d: d["regions"][1].pop("executing_mean")),
                             ("item 1 of 'memory': 'bytes' is missing", lambda d: d.update(memory=[{"memory": "dats"}])),
                             ("'parts' is not a list", lambda d: d.update(parts={})),
                             ("'wall_seconds_mean' is missing", lambda d: d.pop("wall_seconds_mean"))):
            self.refused(text, self.changed(change))

    def test_other_files_are_refused(self):
        other = self.folder / "other.json"
        for content, text in ((b"", "is not JSON: Expecting value, line 1 column 1"), (b"loop,calls\n", "is not JSON"),
                              (b"\xff\xfe", "is not JSON"), (b"[" * 100000, "is not JSON"),
                              (b"[1]", "has neither 'loops' nor 'traceEvents'"), (b"{}", "neither 'loops'"),
                              (b'{"loops": 1}', "'loops' is not a list"), (b'{"loops": [1]}', "item 1 of 'loops' is not an object"),
                              (TIMING.read_bytes()[:-40], "is not JSON")):
            other.write_bytes(content)
            self.refused(text, other)
        self.refused("No such file or directory; name a file of OP2_TIMING", self.folder / "missing.json")
        self.refused("not a regular file", self.folder)
        os.mkfifo(self.folder / "fifo")
        self.refused("not a regular file", self.folder / "fifo")

    def test_two_files_of_a_kind_are_refused(self):
        self.refused("both a table", TIMING, shutil.copy(TIMING, self.folder / "t.json"))

    def test_inputs_are_never_overwritten(self):
        path = shutil.copy(TIMING, self.folder / "t.json")
        result = run(path, "-o", path)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, f"op2-report: '{path}' is an input; choose another output\n")
        self.assertEqual(Path(path).read_bytes(), TIMING.read_bytes())

    def test_a_page_that_cannot_be_written_is_named(self):
        self.page = self.folder / "no" / "page.html"
        self.refused(f"cannot write '{self.page}': No such file or directory", TIMING)

    def test_a_full_disk_leaves_the_old_page_and_nothing_else(self):
        for name in ("t.html", "t.html.new"):
            (self.folder / name).write_text(name)
        result = subprocess.run([sys.executable, "-B", TOOL, TIMING, "-o", self.folder / "t.html"], capture_output=True, text=True,
                                check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, f"op2-report: cannot write '{self.folder}/t.html': File too large\n")
        self.assertEqual(sorted(os.listdir(self.folder)), ["t.html", "t.html.new"])
        self.made(TIMING)
        for name in ("t.html", "t.html.new"):
            self.assertEqual((self.folder / name).read_text(), name)

    def test_what_is_no_regular_file_is_not_replaced_by_a_page(self):
        os.mkfifo(self.page)
        with self.assertRaises(records.Problem) as caught:
            self.made(TIMING)
        self.assertEqual(str(caught.exception), f"cannot write '{self.page}': it is not a regular file")
        self.assertTrue(self.page.is_fifo())

    def test_damaged_files_are_errors_or_pages(self):
        """Bytes of both files are changed at random; nothing else may come out than Problem or a run."""
        random.seed(11)
        refused = 0
        for number in range(400):
            source = bytearray((TIMING, TRACE)[number % 2].read_bytes())
            for _ in range(1 + number % 3):
                source[random.randrange(len(source))] = random.choice(b'{}[]",:0-9e.ntf\x80 ')
            path = self.folder / "damaged.json"
            path.write_bytes(source)
            try:
                run = records.read([path])
            except records.Problem as problem:
                self.assertIn("damaged.json", str(problem))
                refused += 1
                continue
            self.assertIn("</html>", page.page_of(run, records.Limits(None, None)))
        self.assertGreater(refused, 50)

    def test_wrong_options_are_named(self):
        for words, text in ((("--bandwidth", "much"), "'much' is not a positive number"),
                            (("--bandwidth", "0"), "'0' is not"), (("--peak", "nan"), "'nan' is not"), (("--huh",), "--huh")):
            result = run(TIMING, *words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(text, result.stderr)

    def test_a_missing_module_is_named_with_its_package(self):
        for module in ("numpy", "matplotlib"):
            (self.folder / f"{module}.py").write_text(f"raise ModuleNotFoundError('no', name='{module}')")
            for option in ("--help", "--version"):
                self.assertEqual(run(option, PYTHONPATH=str(self.folder)).returncode, 0)
            result = run(TIMING, PYTHONPATH=str(self.folder))
            (self.folder / f"{module}.py").unlink()
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr, f"op2-report: the Python module {module} is missing; on Debian: apt install "
                                            f"python3-{module}\n")

    def test_version_is_that_of_the_project(self):
        result = run("--version")
        self.assertEqual(result.returncode, 0)
        project = re.search(r'_STRING "(\S+)"', (HERE.parent.parent / "include" / "op2" / "version.hpp").read_text())
        self.assertEqual(result.stdout, f"op2-report {project[1]}\n")

    def test_version_of_an_installation_is_in_its_file(self):
        (self.folder / "bin").mkdir()
        tool = shutil.copy(TOOL, self.folder / "bin")
        shutil.copytree(TOOL.parent / "op2_report", self.folder / "share" / "op2" / "op2_report")
        for module in ("op2_new_file.py", "op2_progress.py", "op2_version.py"):
            shutil.copy(TOOL.parent.parent / module, self.folder / "share" / "op2")
        (self.folder / "share" / "op2" / "version").write_text("9.8.7\n")
        result = subprocess.run([sys.executable, "-B", tool, "--version"], capture_output=True, text=True, check=False)
        self.assertEqual(result.stdout, "op2-report 9.8.7\n")

    def test_help_explains_the_options(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        for option in ("--output", "--png", "--bandwidth", "--peak"):
            self.assertIn(option, result.stdout)


if __name__ == "__main__":
    unittest.main()
