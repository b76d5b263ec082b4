// SPDX-License-Identifier: BSD-3-Clause
// The emitted text is compared with files; OP2_UPDATE_GOLDEN=1 writes them anew.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <jit/target/cpu/emit_cpu.hpp>
#include <jit/target/cpu/emit_simd.hpp>
#include <jit/target/target.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using test::dat;
using test::element_number;
using test::global;
using test::off;

void expect_golden(const std::string& name, const LoopNest& nest, const SimdChoice& simd = {},
                   const CpuCodeForm& form = {}) {
  const std::string path = (std::filesystem::path(OP2_GOLDEN_DIR) / name).string() + ".cpp.txt";
  const std::string emitted = joined(emit_cpu(nest, simd, form));
  if (std::getenv("OP2_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << emitted;
  EXPECT_EQ(emitted, test::content_of(path)) << "if this is meant, run with OP2_UPDATE_GOLDEN=1";
}

TEST(EmitCpu, ADirectLoopPassesRowsOfTheElement) {
  expect_golden(
      "direct",
      nest_of({.name = "copy", .source = "void copy(const double* a, double* b) { *b = a[3]; }"},
              {dat(0, 4, OP_READ), dat(1, 1, OP_WRITE)}));
}

TEST(EmitCpu, ColumnsOfAMapAreLoadedOncePerElement) {
  expect_golden("indirect",
                nest_of({.name = "flux",
                         .source = "void flux(const double* x1, const double* x2,\n"
                                   "          const double* q, double* r1, double* r2) {\n"
                                   "  *r1 += x1[0] * *q;\n"
                                   "  *r2 -= x2[0] * *q;\n"
                                   "}"},
                        {dat(0, 2, OP_READ, 0), dat(0, 2, OP_READ, 1), dat(1, 1, OP_READ),
                         dat(2, 1, OP_INC, 0), dat(2, 1, OP_INC, 1)}));
}

TEST(EmitCpu, ReproducibleCodeAddsWhatAnElementMakesFromZeroToItsTargets) {
  expect_golden(
      "reproducible",
      nest_of({.name = "flux",
               .source = "void flux(const double* x, double* r1, double* r2, double* sum, "
                         "double* low) {\n"
                         "  *r1 += *x;\n  *r2 -= *x;\n  *sum += *x;\n"
                         "  if (*x < *low) *low = *x;\n}"},
              {dat(0, 1, OP_READ), dat(1, 1, OP_INC, 0), dat(1, 1, OP_INC, 1), global(1, OP_INC),
               global(1, OP_MIN)}),
      {.width = 4}, {.contract = false, .reproducible = true});
}

TEST(EmitCpu, RowsTakeTheExtremesOfElementsSideBySideOneAfterTheOther) {
  const LoopNest nest =
      nest_of({.name = "widen",
               .source = "void widen(const double* q, double* lo, double* hi) {\n"
                         "  if (*q < *lo) *lo = *q;\n  if (*q > *hi) *hi = *q;\n}"},
              {dat(0, 1, OP_READ), dat(1, 1, OP_MIN, 0), dat(2, 1, OP_MAX, 1)});
  expect_golden("extremes", nest, {.width = 4});
  expect_golden("reproducible_extremes", nest, {.width = 4},
                {.contract = false, .reproducible = true});
}

TEST(EmitCpu, ArgumentsOfOneDatShareAPointerThatIsConstOnlyIfAllOfThemRead) {
  expect_golden("self_alias",
                nest_of({.name = "jacobi",
                         .source = "void jacobi(const double* from, double* to) { *to += *from; }"},
                        {dat(0, 1, OP_READ, 0), dat(0, 1, OP_INC, 1)}));
}

TEST(EmitCpu, SmallReducedGlobalsAreKeptInLocalVariables) {
  expect_golden(
      "globals",
      nest_of({.name = "reduce",
               .source = "void reduce(const double* a, const double* s, double* sum, int* low, "
                         "float* high) {}"},
              {dat(0, 1, OP_READ), global(2, OP_READ), global(17, OP_INC),
               global(16, OP_MIN, Type::i32), global(1, OP_MAX, Type::f32)}));
}

TEST(EmitCpu, SeveralElementsAtOnceAreLoadedAsRowsAndTransposed) {
  expect_golden(
      "blocks",
      nest_of({.name = "flux",
               .source = "void flux(const int* n, const double* x, const double* w, double* q,\n"
                         "          double* r, double* sum) {}"},
              {element_number(1), dat(0, 2, OP_READ, 0), dat(1, 1, OP_READ), dat(2, 4, OP_RW),
               dat(3, 3, OP_INC, 1), global(1, OP_INC)}),
      {.width = 8});
}

TEST(EmitCpu, TheReasonForScalarCodeIsNotPartOfTheCode) {
  const LoopNest nest =
      nest_of({.name = "f", .source = "void f(double* a) {}"}, {dat(0, 1, OP_RW)});
  const SimdChoice choice{.reason = ScalarReason::not_vectorised, .detail = "first\nsecond"};
  EXPECT_EQ(emit_cpu(nest, choice), emit_cpu(nest, {}));
}

TEST(EmitCpu, EachOfSeveralKernelsHasASeparateUnit) {
  LoopNest nest{.calls = {},
                .args = {dat(0, 2, OP_WRITE), off(dat(1, 1, OP_READ)), dat(2, 1, OP_READ, 0),
                         dat(2, 1, OP_READ, 1), global(1, OP_INC)}};
  nest.calls.push_back({.name = "set",
                        .source = "void set(double* q, const double* off) { q[0] = q[1] = gam; }",
                        .args = {{0, OP_WRITE}, {1, OP_READ}},
                        .constants = {{"gam", Type::f64, 1}}});
  nest.calls.push_back({.name = "use",
                        .source = "void use(const double** x, const double* q, double* sum) {}",
                        .args = {{2, OP_READ, 2}, {3, OP_READ, 0}, {0, OP_READ}, {4, OP_INC}},
                        .constants = {{"gam", Type::f64, 4}}});
  expect_golden("nest", nest, {.width = 4});
}

TEST(EmitCpu, ElementNumbersAreThoseOfTheElementOrOfItsTarget) {
  expect_golden(
      "numbers",
      nest_of({.name = "mark",
               .source = "void mark(const int* own, const int* other, int* out) { *out = *own; }"},
              {element_number(), element_number(3), dat(0, 1, OP_WRITE, -1, Type::i32)}));
}

TEST(EmitCpu, ArgumentsThatAreOffAreNullPointers) {
  expect_golden(
      "off",
      nest_of(
          {.name = "maybe",
           .source = "void maybe(const double* a, long* b, double* c) { if (a) *c = *a; }"},
          {off(dat(0, 1, OP_READ, 0)), off(dat(1, 1, OP_INC, 1, Type::i64)), dat(2, 1, OP_RW)}));
}

TEST(EmitCpu, ConstantsAreReadThroughSymbols) {
  expect_golden("constants", nest_of({.name = "scale",
                                      .source = "void scale(double* a) { *a *= gam + qinf[3]; }",
                                      .constants = {{"gam", Type::f64, 1}, {"qinf", Type::f32, 4}}},
                                     {dat(0, 1, OP_RW)}));
}

TEST(EmitCpu, EveryTypeHasItsPointer) {
  expect_golden(
      "types",
      nest_of(
          {.name = "all",
           .source = "void all(const double* a, const float* b, const int* c, const unsigned* d,\n"
                     "         const long long* e, unsigned long* f, bool* g) { *g = *a > *b; }"},
          {dat(0, 1, OP_READ, -1, Type::f64), dat(1, 1, OP_READ, -1, Type::f32),
           dat(2, 1, OP_READ, -1, Type::i32), dat(3, 1, OP_READ, -1, Type::u32),
           dat(4, 65536, OP_READ, -1, Type::i64), dat(5, 2, OP_RW, -1, Type::u64),
           dat(6, 1, OP_WRITE, -1, Type::b8)}));
}

std::string choice(std::vector<ArgShape> args, int vector_bytes = 64) {
  return description_of(simd_choice(args, vector_bytes));
}

TEST(Simd, AreAsManyAsTheLargestTypeLeavesRoomFor) {
  EXPECT_EQ(choice({dat(0, 4, OP_READ), dat(1, 1, OP_WRITE)}), "SIMD width 8");
  EXPECT_EQ(choice({dat(0, 4, OP_READ), dat(1, 1, OP_WRITE)}, 16), "SIMD width 2");
  EXPECT_EQ(choice({dat(0, 1, OP_RW, -1, Type::f32)}), "SIMD width 16");
  EXPECT_EQ(choice({dat(0, 1, OP_RW, -1, Type::b8)}),
            "scalar: argument 0 is bool, which is not vectorised");
  EXPECT_EQ(choice({dat(0, 1, OP_RW, -1, Type::i32), dat(1, 1, OP_READ, 0)}, 32), "SIMD width 4");
  EXPECT_EQ(choice({dat(0, 1, OP_RW)}, 0), "scalar: the vectors of the CPU hold one element");
}

TEST(Simd, MayAddToRowsThatOthersAddTo) {
  EXPECT_EQ(choice({dat(0, 4, OP_INC, 0), dat(0, 4, OP_INC, 1), dat(1, 4, OP_READ, 0)}),
            "SIMD width 8");
  EXPECT_EQ(choice({dat(0, 4, OP_INC, 0), off(dat(0, 4, OP_READ, 0))}), "SIMD width 8");
}

TEST(Simd, MustNotSeeWhatOthersWrite) {
  EXPECT_EQ(choice({dat(0, 1, OP_READ, 0), dat(0, 1, OP_INC, 1)}),
            "scalar: argument 1 writes a dat that another uses");
  EXPECT_EQ(choice({dat(0, 1, OP_INC), dat(0, 1, OP_INC, 1)}),
            "scalar: argument 0 writes a dat that another uses");
  EXPECT_EQ(choice({dat(0, 1, OP_RW), dat(0, 1, OP_READ)}),
            "scalar: argument 0 writes a dat that another uses");
  EXPECT_EQ(choice({dat(0, 1, OP_READ), dat(1, 1, OP_WRITE, 0)}),
            "scalar: argument 1 writes through a map");
  EXPECT_EQ(choice({dat(0, 1, OP_RW, 0)}), "scalar: argument 0 writes through a map");
}

TEST(Simd, HoldReductionsAndArgumentsOfModerateSize) {
  EXPECT_EQ(choice({dat(0, 1, OP_READ), global(16, OP_INC), global(1000, OP_READ)}),
            "SIMD width 8");
  EXPECT_EQ(choice({dat(0, 1, OP_READ), global(17, OP_MAX)}),
            "scalar: argument 1 reduces 17 values");
  EXPECT_EQ(choice({dat(0, 300, OP_READ)}), "scalar: an element has 2400 bytes of arguments");
  EXPECT_EQ(choice({element_number()}), "scalar: no argument is a dat");
}

}  // namespace
}  // namespace op2::jit
