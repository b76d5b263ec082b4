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

    def finds(self, message, files):
        faults = self.faults(files)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(message, faults[0])

    def includes(self, path, name):
        return {path: f"{SPDX}#include <{name}>\n"}

    def test_a_good_tree_has_no_faults(self):
        self.assertEqual([], self.faults({
            **self.includes("src/core/a.cpp", "op2/types.hpp"),
            **self.includes("src/comm/a.cpp", "core/a.hpp"),
            **self.includes("src/gpu/a.cpp", "core/a.hpp"),
            **self.includes("src/jit/target/cuda/a.cpp", "gpu/a.hpp"),
            **self.includes("src/jit/llvm/a.cpp", "llvm/IR/Module.h"),
            **self.includes("src/sched/a.cpp", "jit/a.hpp"),
            **self.includes("src/sched/executor/gpu/a.cpp", "jit/target/cuda/a.hpp"),
            **self.includes("src/api/a.cpp", "sched/a.hpp"),
            **self.includes("include/op2/a.hpp", "vector"),
            **self.includes("tools/inspect/a.cpp", "jit/disk_cache.hpp"),
            **self.includes("tools/model/a.cpp", "sched/analyse.hpp"),
            **self.includes("tools/model/b.cpp", "comm/a.hpp"),
            **self.includes("tools/embed_kernels/a.cpp", "clang/AST/Decl.h"),
            **self.includes("tools/embed_kernels/b.cpp", "jit/llvm/machine.hpp"),
            "tools/setup.sh": "#!/bin/sh\n# SPDX-License-Identifier: BSD-3-Clause\n",
            "src/core/b.cpp": SPDX + 'snprintf(b); entry.exit(1); // printf("x")\n'
                              'R"(int\nprintf(const char*);)";\n',
            "build/junk.cpp": "junk",
        }))

    def test_edges_against_the_direction(self):
        for source, target in [("core", "comm"), ("core", "jit"), ("core", "sched"), ("comm", "jit"),
                               ("core", "gpu"), ("gpu", "comm"), ("gpu", "jit"), ("compat", "gpu"),
                               ("jit", "comm"), ("comm", "sched"), ("jit", "sched"), ("sched", "api"),
                               ("core", "api")]:
            with self.subTest(source=source, target=target):
                self.finds(f"may not see {target}",
                           self.includes(f"src/{source}/a.cpp", f"{target}/a.hpp"))

    def test_planning_that_sees_the_target_of_a_gpu(self):
        self.finds("of a GPU's target", self.includes("src/sched/fuse.cpp", "jit/target/cuda/gather.hpp"))
        self.finds("of a GPU's target", self.includes("src/sched/engine.cpp", "sched/executor/gpu/executor.hpp"))

    def test_too_many_branches_on_the_number_of_ranks(self):
        codes = ["if (runtime.alone()) return;", "if (ranks().size() == 1)", "int a = comm.size() > 1;",
                 "return ranks == 1 ? a : b;", "if (communicator_.size() != 1)"]
        few = SPDX + "bool alone() const { return ranks().size() == 1; }\n" + "".join(
            f"{code}  // alone()\n" for code in codes)
        self.assertEqual([], self.faults({"src/api/a.cpp": few, "src/comm/a.cpp": few}))
        self.finds("10 lines outside src/comm", {"src/api/a.cpp": few, "src/sched/a.cpp": few})

    def test_bytes_by_address_outside_arrays_and_executors(self):
        for code in ("dat.rows.host_address();", "dat.rows.get();", "use(dat.data);", "use(arg.dat->data);"):
            with self.subTest(code=code):
                self.finds("takes bytes by address", {"src/api/a.cpp": f"{SPDX}{code}\n"})

    def test_bytes_by_address_where_they_belong(self):
        self.assertEqual([], self.faults({
            "src/core/array.hpp": f"{SPDX}std::byte* host_address() const;\n",
            "src/sched/executor/a.cpp": f"{SPDX}arg.dat->rows.host_address();\n",
            "src/compat/a.cpp": f"{SPDX}return dat->data;\n",
            "src/api/a.cpp": f"{SPDX}use(dat.data());\n",
        }))

    def test_an_own_header_in_quotes(self):
        self.finds("in quotes", {"src/comm/a.cpp": SPDX + '#include "../jit/a.hpp"\n'})

    def test_a_tool_that_sees_more_than_the_cache(self):
        self.finds("is a tool", self.includes("tools/a.cpp", "jit/emit_cpu.hpp"))
        self.finds("is a tool", self.includes("tools/a.cpp", "sched/analyse.hpp"))
        self.finds("is a tool", self.includes("tools/model/a.cpp", "api/runtime.hpp"))

    def test_a_program_of_a_user_that_includes_a_module(self):
        self.finds("program of a user", self.includes("examples/a.cpp", "core/mesh.hpp"))
        self.finds("program of a user", self.includes("tests/install/a.cpp", "core/mesh.hpp"))

    def test_a_public_header_that_includes_a_library(self):
        for name in ["fmt/core.h", "llvm/IR/Module.h", "mpi.h", "core/mesh.hpp"]:
            with self.subTest(name=name):
                self.finds("is a public header", self.includes("include/op2/a.hpp", name))

    def test_a_rationed_header_in_too_many_files(self):
        for name, limit in [("mpi.h", 5), ("hdf5.h", 3), ("nvrtc.h", 0), ("cuda.h", 0)]:
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

    def test_a_link_to_a_file_or_heading_that_does_not_exist(self):
        page = {"docs/b.md": "# What it costs, in bytes\n```\n# no heading\n```\n"}
        for target in ["b.md", "b.md#what-it-costs-in-bytes", "https://example.org/x"]:
            self.assertEqual([], self.faults({"docs/a.md": f"see [b]({target})\n", **page}))
        self.finds("docs/a.md:1 links to 'c.md', but there is no such file", {"docs/a.md": "[c](c.md)\n"})
        self.finds("b.md has no such heading", {"docs/a.md": "[b](b.md#no-heading)\n", **page})

    def test_a_page_that_names_a_file_that_does_not_exist(self):
        files = {"src/core/a.hpp": SPDX, "src/core/a.cpp": SPDX}
        self.assertEqual([], self.faults({"docs/a.md": "`src/core/a`, `src/core/`, `src/core/a.hpp`, `src/x y`\n", **files}))
        self.finds("docs/a.md:1 names `src/core/b.hpp`", {"docs/a.md": "`src/core/b.hpp`\n", **files})


if __name__ == "__main__":
    unittest.main()
