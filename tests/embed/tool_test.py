#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs op2-embed-kernels and op2-cxx as their users do.

    tool_test.py TOOL CXX_WRAPPER COMPILER [unittest option ...]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLES = HERE / "samples"
INCLUDE = HERE.parent.parent / "include" / "op2" / "compat"
TOOL = CXX_WRAPPER = COMPILER = ""

PROGRAM = """#include "op_seq.h"
#include "value.h"
inline void k(const double* x, double* y) { y[0] = x[0] + VALUE; }
int main() { op_par_loop(k, "k", nullptr, op_arg(), op_arg()); }
"""
# Prints the registered sources.
PRINTER = """#include <op2_embedded.h>
#include <op_seq.h>
#include <cstdio>
namespace op2 { namespace compat {
void par_loop(const function&, const char*, const char*, int, op_set, const arg* const*, int) {}
arg op_arg_dat(op_dat, int, op_map, int, const char*, int) { return arg(); }
}
namespace embedded {
Registration::Registration(const Kernel* k, int n) noexcept : kernels_(k), count_(n) {
  for (int i = 0; i < n; ++i) std::puts(k[i].source);
}
Registration::~Registration() {}
} }
"""
MAKEFILE = """all: obj/program
obj/program: obj/main.o obj/printer.o
\t$(CXX) $^ -o $@
obj/%.o: src/%.cpp
\t@mkdir -p obj
\t$(CXX) $(FLAGS) -MMD -MP -c $< -o $@
-include $(wildcard obj/*.d)
"""


def run(*command, cwd=None, **environment):
    return subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def embed(self, sample, *words):
        return run(TOOL, SAMPLES / sample, *words, "--", f"-I{INCLUDE}")


class Tool(Case):
    def test_list_shows_loops_kernels_locations_and_reasons(self):
        table = self.embed("fallback.cpp", "--list").stdout
        self.assertRegex(table, r"(?m)^loop +kernel +location +source$")
        self.assertRegex(table, r"(?m)^external +external +fallback.cpp:26 +calls 'elsewhere'")
        self.assertRegex(table, r"(?m)^lambda +\(lambda\) +fallback.cpp:\d+ +is a lambda")
        self.assertRegex(table, r"(?m)^of_lambda .*is private, local or of an unnamed type$")
        self.assertRegex(self.embed("plain.cpp", "--list").stdout,
                         r"(?m)^scale +scale<double, 3> +plain.cpp:\d+ +\d+ bytes$")

    def test_both_programs_explain_themselves_and_tell_their_version(self):
        version = run(TOOL, "--version").stdout
        self.assertRegex(version, r"^op2-embed-kernels [0-9.]+\n$")
        self.assertIn("--depfile FILE", run(TOOL, "--help").stdout)
        self.assertEqual(run(CXX_WRAPPER, "--version").stdout, "op2-cxx with " + version)
        self.assertIn("CXX = op2-cxx g++", run(CXX_WRAPPER, "--help").stdout)
        self.assertEqual(run(CXX_WRAPPER, COMPILER, "--version").stdout, run(COMPILER, "--version").stdout)
        self.assertIn("does not run here: /none",
                      run(CXX_WRAPPER, "--version", OP2_EMBED_KERNELS="/none").stdout)
        compiles = run(CXX_WRAPPER, "-c", "flow.cpp")
        self.assertEqual(compiles.returncode, 2)
        self.assertIn("unknown option '-c' before the compiler", compiles.stderr)

    def test_a_kernel_without_source_is_a_warning_at_its_location(self):
        printed = self.embed("fallback.cpp").stderr
        self.assertRegex(printed, r"fallback.cpp:26:13: warning: kernel 'external': calls 'elsewhere', which this "
                               r"unit does not define \(line 27\); it will run as a function pointer")

    def test_access_warnings_can_be_errors_or_silent(self):
        error = self.embed("access.cpp", "-Werror=op2-access")
        self.assertEqual(error.returncode, 1)
        self.assertIn("error: loop 'l'", error.stderr)
        self.assertEqual(self.embed("access.cpp", "-Wno-op2-access").stderr, "")

    def test_what_the_compiler_rejects_is_left_to_the_compiler(self):
        wrapper = self.folder / "broken.op2.cpp"
        result = self.embed("broken.cpp", "--list", "-o", wrapper)
        self.assertEqual(result.returncode, 0)
        self.assertIn("cannot parse this: use of undeclared identifier 'undeclared'", result.stderr)
        self.assertRegex(result.stdout, r"(?m)^whole .* \d+ bytes$")
        self.assertRegex(result.stdout, r"(?m)^half .* does not compile with Clang")
        compiled = run(COMPILER, f"-I{INCLUDE}", "-fsyntax-only", wrapper)
        self.assertRegex(compiled.stderr, r"broken.cpp:9:\d+: error: .*undeclared")

    def test_requirements_of_templates_are_not_guessed(self):
        for requirement, shown in [("own(x)", r".* \d+ bytes"), ("x.norm()", ".* tests whether a type has a member"),
                                  ("x + x", ".* tests whether a type has an operator")]:
            source = self.folder / "concept.cpp"
            source.write_text("inline double own(double x) { return x; }\n"
                              f"template <class T> concept Has = requires(T x) {{ {requirement}; }};\n" +
                              PROGRAM.replace('#include "value.h"', "").replace("VALUE", "(Has<double> ? 1 : 2)"),
                              encoding="utf-8")
            result = run(TOOL, source, "--list", "--", f"-I{INCLUDE}", "-std=c++20")
            self.assertRegex(result.stdout, r"(?m)^k " + shown)

    def test_a_syntax_error_does_not_stop_the_tool(self):
        source = self.folder / "no.cpp"
        source.write_text('#include "nowhere.h"\nvoid f( {\nint x = ;\n', encoding="utf-8")
        result = run(TOOL, source, "-o", self.folder / "no.op2.cpp")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"no.cpp:1:10: warning: .*'nowhere.h' file not found")

    def test_a_unit_without_loops_becomes_itself(self):
        wrapper = self.folder / "no_loops.op2.cpp"
        self.embed("no_loops.cpp", "-o", wrapper)
        self.assertEqual([f'#include "{SAMPLES / "no_loops.cpp"}"'],
                         [line for line in wrapper.read_text(encoding="utf-8").splitlines() if line[0] == "#"])

    def test_flags_of_other_compilers_and_openmp_do_not_disturb(self):
        source = self.folder / "omp.cpp"
        source.write_text("#include <omp.h>\n#ifndef _OPENMP\n#error\n#endif\n" + PROGRAM.replace("VALUE", "1").
                          replace('#include "value.h"', ""), encoding="utf-8")
        result = run(TOOL, source, "--list", "--", f"-I{INCLUDE}", "-fopenmp", "-fipa-pta", "-fopt-info-vec",
                     "-foffload=nvptx-none", "-march=native", "-O3", "-Wlogical-op", "-std=gnu++17")
        self.assertEqual(result.stderr, "")
        self.assertRegex(result.stdout, r"(?m)^k .* bytes$")

    def test_a_processor_that_clang_does_not_know_does_not_disturb(self):
        result = run(TOOL, SAMPLES / "plain.cpp", "--list", "--", f"-I{INCLUDE}", "-march=frobnicator")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("bytes", result.stdout)

    def test_the_wrapper_of_a_unit_that_cannot_be_parsed_has_no_sources(self):
        wrapper = self.folder / "plain.op2.cpp"
        result = run(TOOL, SAMPLES / "plain.cpp", "-o", wrapper, "--", f"-I{INCLUDE}", "--target=frobnicator")
        self.assertEqual(result.returncode, 0)
        self.assertIn("plain.cpp:1:1: warning: Clang cannot parse this unit; its kernels will run as function pointers",
                      result.stderr)
        self.assertIn("plain.cpp", wrapper.read_text(encoding="utf-8"))

    def test_macro_definitions_affect_the_source(self):
        result = run(TOOL, SAMPLES / "plain.cpp", "-o", self.folder / "plain.op2.cpp", "--", f"-I{INCLUDE}",
                     "-DEXTRA_TERM")
        self.assertEqual(result.stderr, "")
        self.assertIn("+ 1000 +", (self.folder / "plain.op2.cpp").read_text(encoding="utf-8"))

    def listed(self, *flags):
        return run(TOOL, SAMPLES / "plain.cpp", "--list", "--", f"-I{INCLUDE}", *flags)

    def test_with_flags_that_are_not_applied_at_run_time_there_are_no_sources(self):
        for flag in ("-funsigned-char", "-fno-signed-char", "-fwrapv", "-fno-strict-overflow", "-ftrapv",
                     "-fsingle-precision-constant", "-fshort-enums", "-fshort-wchar", "-fpack-struct",
                     "-fpack-struct=4", "-mlong-double-64", "-funsigned-bitfields",
                     "-ftrivial-auto-var-init=zero", "-fexec-charset=IBM1047"):
            result = self.listed(flag)
            self.assertEqual(result.returncode, 0, flag)
            self.assertIn(f"warning: kernel 'scale': is compiled with {flag}, which is not applied at run time; "
                          "it will run as a function pointer", result.stderr)
            self.assertNotIn(" bytes", result.stdout)

    def test_the_last_of_such_flags_counts(self):
        for flags in (["-fwrapv", "-fno-wrapv"], ["-funsigned-char", "-fsigned-char"], ["-fsigned-char"],
                      ["-ftrivial-auto-var-init=zero", "-ftrivial-auto-var-init=uninitialized"],
                      ["-fno-strict-overflow", "-fstrict-overflow"], ["-mlong-double-80"], ["-fno-short-enums"],
                      ["-freciprocal-math", "-ffast-math", "-fno-strict-aliasing"]):
            result = self.listed(*flags)
            self.assertEqual((result.returncode, result.stderr), (0, ""), flags)
        self.assertIn("with -ftrapv,", self.listed("-fno-trapv", "-ftrapv").stderr)

    def test_definitions_for_the_preprocessor_alone_count_too(self):
        for flags in (["-Wp,-MD,plain.d,-DEXTRA_TERM"], ["-Xpreprocessor", "-DEXTRA_TERM"]):
            wrapper = self.folder / "plain.op2.cpp"
            run(TOOL, SAMPLES / "plain.cpp", "-o", wrapper, "--", f"-I{INCLUDE}", *flags)
            self.assertIn("+ 1000 +", wrapper.read_text(encoding="utf-8"))

    def test_dependencies_are_the_files_of_the_program(self):
        dependencies = self.folder / "plain.d"
        self.embed("plain.cpp", "-o", self.folder / "plain.op2.cpp", "--depfile", dependencies)
        text = dependencies.read_text(encoding="utf-8")
        for name in ("plain.cpp", "body.inc", "op_seq.h"):
            self.assertIn(name, text)
        self.assertNotIn("/usr/", text)

    def test_an_invalid_command_line_is_an_error(self):
        self.assertEqual(run(TOOL).returncode, 2)
        self.assertIn("unknown option '--frobnicate'", run(TOOL, "a.cpp", "--frobnicate").stderr)
        self.assertEqual(run(TOOL, "a.cpp", cwd=self.folder).stderr,
                         "op2-embed-kernels: file 'a.cpp' does not exist; check the path\n")

    def test_inputs_that_are_not_files_are_an_error(self):
        os.mkfifo(self.folder / "fifo")
        for word in ("fifo", "@fifo", ".", "@.", "/dev/null"):
            result = run("timeout", "10", TOOL, word, cwd=self.folder)
            self.assertEqual(result.returncode, 2, word)
            self.assertIn("is not a file, but a folder, FIFO or device", result.stderr)

    def test_thirty_kernels_are_all_found(self):
        kernels = "".join(f"inline void k{i}(const double* x, double* y) {{ y[0] = std::sqrt(x[0]) + {i}; }}\n"
                          for i in range(30))
        loops = "".join(f'  op_par_loop(k{i}, "k{i}", set, a, a);\n' for i in range(30))
        source = self.folder / "many.cpp"
        source.write_text(f'#include <cmath>\n#include <iostream>\n#include <vector>\n#include "op_seq.h"\n{kernels}'
                          f"void run(op_set set, op_arg a) {{\n{loops}}}\n", encoding="utf-8")
        self.assertEqual(run(TOOL, source, "--list", "--", f"-I{INCLUDE}").stdout.count(" bytes"), 30)


class Makefile(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "src").mkdir()
        self.write("src/main.cpp", PROGRAM)
        self.write("src/value.h", "#define VALUE 1\n")
        self.write("src/printer.cpp", PRINTER)
        self.write("Makefile", MAKEFILE)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def make(self, more="", **environment):
        flags = f"-std=c++17 -I{INCLUDE} -I{HERE.parent.parent / 'include'} {more}"
        result = run("make", f"CXX={CXX_WRAPPER} {COMPILER}", f"FLAGS={flags}", cwd=self.folder, **environment)
        return result

    def program(self):
        return run(self.folder / "obj/program").stdout

    def test_the_program_contains_its_sources(self):
        self.assertEqual(self.make().returncode, 0)
        self.assertIn("y[0] = x[0] + 1;", self.program())
        self.assertFalse(list(self.folder.glob("src/*.op2*")))

    def test_a_changed_header_is_noticed_and_only_that(self):
        self.make()
        again = self.make()
        self.assertIn("Nothing to be done", again.stdout)
        time.sleep(1.1)
        self.write("src/value.h", "#define VALUE 2\n")
        rebuilt = self.make()
        self.assertNotIn("printer.cpp", rebuilt.stdout)
        self.assertIn("y[0] = x[0] + 2;", self.program())

    def test_removed_wrappers_are_made_again(self):
        self.make()
        shutil.rmtree(self.folder / "obj/.op2")
        (self.folder / "obj/main.o").unlink()
        self.assertEqual(self.make().returncode, 0)

    def test_without_the_tool_the_program_is_built_as_it_is(self):
        result = self.make(OP2_EMBED_KERNELS="/nowhere")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr.count("kernels run as function pointers"), 1)
        self.assertEqual(self.program(), "")

    def test_access_errors_stop_the_build(self):
        self.write("src/main.cpp", PROGRAM.replace("op_arg(), op_arg()",
                                                   'op_arg(), op_arg_dat(nullptr, -1, OP_ID, 1, "double", OP_READ)'))
        self.assertEqual(self.make().returncode, 0)
        (self.folder / "obj/main.o").unlink()
        result = self.make("-Werror=op2-access")
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"main.cpp:3:\d+: error: loop 'k', argument 1 \(OP_READ\)")

    def at_once(self, *words):
        result = run(CXX_WRAPPER, COMPILER, f"-I{INCLUDE}", f"-I{HERE.parent.parent / 'include'}", *words,
                     "src/printer.cpp", "-o", "program", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_compiling_and_linking_at_once(self):
        self.at_once("src/main.cpp")
        self.assertIn("x[0] + 1", run(self.folder / "program").stdout)

    def test_sources_of_one_name_in_several_folders(self):
        (self.folder / "more").mkdir()
        self.write("more/main.cpp", PROGRAM.replace("int main", "void more").replace("VALUE", "2").
                   replace('#include "value.h"', ""))
        self.at_once("src/main.cpp", "more/main.cpp")
        texts = run(self.folder / "program").stdout
        self.assertIn("x[0] + 1", texts)
        self.assertIn("x[0] + 2", texts)

    def test_programs_of_one_source_made_at_the_same_time(self):
        self.write("src/main.cpp", PROGRAM.replace('#include "value.h"', ""))
        # A compiler that both programs get to before any of them is compiled.
        self.write("compiler", f"#!/bin/sh\ntouch $0.$$\nfor i in 1 2 3 4 5 6 7 8 9 10; do\n"
                               f"  [ $(ls $0.* | wc -l) -ge 2 ] || sleep 1\ndone\nexec {COMPILER} \"$@\"\n")
        (self.folder / "compiler").chmod(0o755)
        self.write("Makefile", "all: p1 p2\np%: src/main.cpp\n"
                               "\t$(CXX) $(FLAGS) -DVALUE=$* src/main.cpp src/printer.cpp -o $@\n")
        built = run("make", "-j2", f"CXX={CXX_WRAPPER} {self.folder / 'compiler'}",
                    f"FLAGS=-std=c++17 -I{INCLUDE} -I{HERE.parent.parent / 'include'}", cwd=self.folder)
        self.assertEqual(built.returncode, 0, built.stderr)
        for value in (1, 2):
            self.assertIn(f"x[0] + {value}", run(self.folder / f"p{value}").stdout)

    @unittest.skipUnless(shutil.which("mpicxx"), "MPI is missing")
    def test_compilers_of_mpi_libraries(self):
        self.write("src/main.cpp", "#include <mpi.h>\n" + PROGRAM)
        for before in ([], ["env", "LANG=C"]):
            result = run(CXX_WRAPPER, *before, "mpicxx", "-std=c++17", f"-I{INCLUDE}", "-c", "src/main.cpp",
                         cwd=self.folder)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn(b"x[0] + 1", (self.folder / "main.o").read_bytes())
            (self.folder / "main.o").unlink()

    def test_dependency_files_do_not_contain_wrappers(self):
        for words, name in ((["-MD", "-MF", "deps.d"], "deps.d"), (["-MMD", "-MFdeps.d"], "deps.d"),
                            (["-Wp,-MMD,deps.d"], "deps.d"), (["-MD"], "main.d"), (["-MD", "-omain.o"], "main.d"),
                            (["-MD", "-MT", "main.o", "-o", "./main.o"], "main.d")):
            run(CXX_WRAPPER, COMPILER, f"-I{INCLUDE}", *words, "-c", "src/main.cpp", cwd=self.folder)
            text = (self.folder / name).read_text(encoding="utf-8")
            (self.folder / name).unlink()
            self.assertRegex(text, r"^main.o:", words)
            self.assertIn("src/main.cpp", text, words)
            self.assertNotIn(".op2/", text, words)

    def test_nor_do_they_when_compiling_and_linking_is_one_command_in_a_folder_with_blanks(self):
        source = self.folder / "a b $c" / "main.cpp"
        source.parent.mkdir()
        shutil.move(self.folder / "src/main.cpp", source)
        self.at_once(source, "-Isrc", "-MMD")
        texts = [file.read_text(encoding="utf-8") for file in self.folder.glob("*.d")]
        self.assertTrue(texts)
        self.assertNotIn(".op2/", "".join(texts))

    def test_the_object_is_named_after_the_source(self):
        run(CXX_WRAPPER, COMPILER, f"-I{INCLUDE}", "-MMD", "-c", "src/main.cpp", cwd=self.folder)
        self.assertTrue((self.folder / "main.o").exists())
        self.assertRegex((self.folder / "main.d").read_text(encoding="utf-8"), re.compile(r"^main\.o:[^.]*/"))


if __name__ == "__main__":
    TOOL, CXX_WRAPPER, COMPILER = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
