#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows that check_tree.py finds a breach of each of its rules, and nothing in a good tree."""

import tempfile
import unittest
from pathlib import Path

from check_tree import check

SPDX = "// SPDX-License-Identifier: BSD-3-Clause\n"


class CheckTree(unittest.TestCase):
    def faults(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check(Path(folder))

    def finds(self, words, files):
        faults = self.faults(files)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(words, faults[0])

    def includes(self, path, name):
        return {path: f"{SPDX}#include <{name}>\n"}

    def test_a_good_tree_has_no_faults(self):
        self.assertEqual([], self.faults({
            **self.includes("src/core/a.cpp", "op2/types.hpp"),
            **self.includes("src/comm/a.cpp", "core/a.hpp"),
            **self.includes("src/jit/llvm/a.cpp", "llvm/IR/Module.h"),
            **self.includes("src/sched/a.cpp", "jit/a.hpp"),
            **self.includes("src/api/a.cpp", "sched/a.hpp"),
            **self.includes("include/op2/a.hpp", "vector"),
            **self.includes("tools/inspect/a.cpp", "jit/disk_cache.hpp"),
            **self.includes("tools/embed_kernels/a.cpp", "clang/AST/Decl.h"),
            **self.includes("tools/embed_kernels/b.cpp", "jit/llvm/recipe.hpp"),
            "tools/setup.sh": "#!/bin/sh\n# SPDX-License-Identifier: BSD-3-Clause\n",
            "src/core/b.cpp": SPDX + 'snprintf(b); entry.exit(1); // printf("x")\n'
                              'R"(int\nprintf(const char*);)";\n',
            "build/junk.cpp": "junk",
        }))

    def test_edges_against_the_direction(self):
        for source, target in [("core", "comm"), ("core", "jit"), ("core", "sched"), ("comm", "jit"),
                               ("jit", "comm"), ("comm", "sched"), ("jit", "sched"), ("sched", "api"),
                               ("core", "api")]:
            with self.subTest(source=source, target=target):
                self.finds(f"may not see {target}",
                           self.includes(f"src/{source}/a.cpp", f"{target}/a.hpp"))

    def test_an_own_header_in_quotes(self):
        self.finds("in quotes", {"src/comm/a.cpp": SPDX + '#include "../jit/a.hpp"\n'})

    def test_a_tool_that_sees_more_than_the_cache(self):
        self.finds("is a tool", self.includes("tools/a.cpp", "jit/emit_cpu.hpp"))

    def test_a_program_of_a_user_that_sees_a_room(self):
        self.finds("program of a user", self.includes("examples/a.cpp", "core/mesh.hpp"))
        self.finds("program of a user", self.includes("tests/install/a.cpp", "core/mesh.hpp"))

    def test_a_public_header_that_includes_a_library(self):
        for name in ["fmt/core.h", "llvm/IR/Module.h", "mpi.h", "core/mesh.hpp"]:
            with self.subTest(name=name):
                self.finds("is a public header", self.includes("include/op2/a.hpp", name))

    def test_a_rationed_header_in_too_many_files(self):
        for name, limit in [("mpi.h", 5), ("hdf5.h", 3), ("nvrtc.h", 3)]:
            files = {}
            for i in range(limit):
                files.update(self.includes(f"src/core/{i}.cpp", name))
            with self.subTest(name=name):
                self.assertEqual([], self.faults(files))
                files.update(self.includes("src/core/one_more.cpp", name))
                self.finds(f"more than {limit}", files)

    def test_a_header_of_llvm_outside_the_plug_in(self):
        for name in ["clang/AST/AST.h", "llvm/IR/Module.h"]:
            with self.subTest(name=name):
                self.assertEqual([], self.faults(self.includes("src/jit/llvm/a.cpp", name)))
                self.finds("kept to src/jit/llvm", self.includes("src/jit/a.cpp", name))
                self.finds("kept to src/jit/llvm", self.includes("tools/a/a.cpp", name))

    def test_a_file_without_the_spdx_line(self):
        self.finds("SPDX", {"src/core/a.cpp": "int a();\n"})
        self.finds("SPDX", {"Makefile": "all:\n"})

    def test_a_character_outside_ascii(self):
        self.finds("ASCII", {"docs/a.md": "caf\u00e9\n"})

    def test_a_file_that_is_too_long(self):
        self.finds("more than 800 lines", {"src/core/a.cpp": SPDX + "int a();\n" * 800})

    def test_a_leftover(self):
        self.finds("leftover", {"src/core/a.cpp": SPDX + "// TO" + "DO: later\n"})
        self.finds("leftover", {"docs/a.md": "see /ho" + "me/someone/notes\n"})

    def test_a_library_that_prints_or_ends_the_program(self):
        for code in ['std::printf("a");', "exit(1);", "std::cout << a;", 'fmt::print("a");', "::abort();"]:
            with self.subTest(code=code):
                self.finds("prints or ends", {"src/core/a.cpp": SPDX + code + "\n"})


if __name__ == "__main__":
    unittest.main()
