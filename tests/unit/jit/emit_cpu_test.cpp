// SPDX-License-Identifier: BSD-3-Clause
// The emitted text is compared with files; OP2_UPDATE_GOLDEN=1 writes them anew.
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include <jit/emit_cpu.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using test::dat;
using test::element_number;
using test::global;
using test::off;

void expect_golden(const std::string& name, const LoopShape& shape, const Lanes& lanes = {}) {
  const std::string path = std::string(OP2_GOLDEN_DIR) + "/" + name + ".cpp.txt";
  const std::string emitted = emit_cpu(shape, lanes);
  if (std::getenv("OP2_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << emitted;
  EXPECT_EQ(emitted, test::content_of(path)) << "if this is meant, run with OP2_UPDATE_GOLDEN=1";
}

TEST(EmitCpu, ADirectLoopPassesRowsOfTheElement) {
  expect_golden("direct", {.kernel = "copy",
                           .text = "void copy(const double* a, double* b) { *b = a[3]; }",
                           .args = {dat(0, 4, OP_READ), dat(1, 1, OP_WRITE)},
                           .constants = {},
                           .includes = {}});
}

TEST(EmitCpu, ColumnsOfAMapAreLoadedOncePerElement) {
  expect_golden("indirect",
                {.kernel = "flux",
                 .text = "void flux(const double* x1, const double* x2,\n"
                         "          const double* q, double* r1, double* r2) {\n"
                         "  *r1 += x1[0] * *q;\n"
                         "  *r2 -= x2[0] * *q;\n"
                         "}",
                 .args = {dat(0, 2, OP_READ, 0), dat(0, 2, OP_READ, 1), dat(1, 1, OP_READ),
                          dat(2, 1, OP_INC, 0), dat(2, 1, OP_INC, 1)},
                 .constants = {},
                 .includes = {}});
}

TEST(EmitCpu, ArgumentsOfOneDatShareAPointerThatIsConstOnlyIfAllOfThemRead) {
  expect_golden("self_alias",
                {.kernel = "jacobi",
                 .text = "void jacobi(const double* from, double* to) { *to += *from; }",
                 .args = {dat(0, 1, OP_READ, 0), dat(0, 1, OP_INC, 1)},
                 .constants = {},
                 .includes = {}});
}

TEST(EmitCpu, SmallReducedGlobalsAreKeptInLocalVariables) {
  expect_golden("globals",
                {.kernel = "reduce",
                 .text = "void reduce(const double* a, const double* s, double* sum, int* low, "
                         "float* high) {}",
                 .args = {dat(0, 1, OP_READ), global(2, OP_READ), global(17, OP_INC),
                          global(16, OP_MIN, Type::i32), global(1, OP_MAX, Type::f32)},
                 .constants = {},
                 .includes = {}});
}

TEST(EmitCpu, SeveralElementsAtOnceAreLoadedAsRowsAndTransposed) {
  expect_golden("blocks",
                {.kernel = "flux",
                 .text = "void flux(const int* n, const double* x, const double* w, double* q,\n"
                         "          double* r, double* sum) {}",
                 .args = {element_number(1), dat(0, 2, OP_READ, 0), dat(1, 1, OP_READ),
                          dat(2, 4, OP_RW), dat(3, 3, OP_INC, 1), global(1, OP_INC)},
                 .constants = {},
                 .includes = {}},
                {8, ""});
}

TEST(EmitCpu, ElementNumbersAreThoseOfTheElementOrOfItsTarget) {
  expect_golden("numbers",
                {.kernel = "mark",
                 .text = "void mark(const int* own, const int* other, int* out) { *out = *own; }",
                 .args = {element_number(), element_number(3), dat(0, 1, OP_WRITE, -1, Type::i32)},
                 .constants = {},
                 .includes = {}});
}

TEST(EmitCpu, ArgumentsThatAreOffAreNullPointers) {
  expect_golden(
      "off",
      {.kernel = "maybe",
       .text = "void maybe(const double* a, long* b, double* c) { if (a) *c = *a; }",
       .args = {off(dat(0, 1, OP_READ, 0)), off(dat(1, 1, OP_INC, 1, Type::i64)), dat(2, 1, OP_RW)},
       .constants = {},
       .includes = {}});
}

TEST(EmitCpu, ConstantsAreReadThroughSymbols) {
  expect_golden("constants", {.kernel = "scale",
                              .text = "void scale(double* a) { *a *= gam + qinf[3]; }",
                              .args = {dat(0, 1, OP_RW)},
                              .constants = {{"gam", Type::f64, 1}, {"qinf", Type::f32, 4}},
                              .includes = {}});
}

TEST(EmitCpu, EveryTypeHasItsPointer) {
  expect_golden(
      "types",
      {.kernel = "all",
       .text = "void all(const double* a, const float* b, const int* c, const unsigned* d,\n"
               "         const long long* e, unsigned long* f, bool* g) { *g = *a > *b; }",
       .args = {dat(0, 1, OP_READ, -1, Type::f64), dat(1, 1, OP_READ, -1, Type::f32),
                dat(2, 1, OP_READ, -1, Type::i32), dat(3, 1, OP_READ, -1, Type::u32),
                dat(4, 65536, OP_READ, -1, Type::i64), dat(5, 2, OP_RW, -1, Type::u64),
                dat(6, 1, OP_WRITE, -1, Type::b8)},
       .constants = {},
       .includes = {}});
}

}  // namespace
}  // namespace op2::jit
