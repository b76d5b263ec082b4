// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/cuda_rules.hpp>

#include <gmock/gmock.h>

namespace op2::jit {
namespace {

using testing::HasSubstr;

std::string bits_of(const std::string& body) {
  return other_bits({.name = "work", .source = "void work(double* x) { " + body + " }"});
}

TEST(OtherBits, ExactAndCorrectlyRoundedFunctionsHaveTheSame) {
  EXPECT_EQ(bits_of("*x = std::sqrt(*x) + fabs(*x) / std::fma(*x, 2.0, floor(*x)) + fmod(*x, 3);"),
            "");
  EXPECT_EQ(bits_of("long n = 1L; *x += n * 0x1eL + 2.5f; /* exp(1.0L) */"), "");
}

TEST(OtherBits, ElementaryFunctionsAreNamed) {
  EXPECT_THAT(bits_of("*x = std::exp(*x);"), HasSubstr("'exp'"));
  EXPECT_THAT(bits_of("*x = sinf(*x);"), HasSubstr("'sinf'"));
  EXPECT_THAT(bits_of("*x = __builtin_pow(*x, 2);"), HasSubstr("'__builtin_pow'"));
  EXPECT_THAT(bits_of("auto f = hypot; *x = f(*x, 1);"), HasSubstr("'hypot'"));
}

TEST(OtherBits, ComplexNumbersCallElementaryFunctions) {
  EXPECT_EQ(bits_of("*x = std::abs(*x);"), "");
  EXPECT_EQ(bits_of("std::complex<double> z(*x); *x = norm(z * z);"), "");
  EXPECT_THAT(bits_of("std::complex<double> z(*x); *x = abs(z);"), HasSubstr("'abs'"));
}

TEST(OtherBits, LongDoubleIsFoundAsTypeAndAsLiteral) {
  for (const char* body : {"long double y = *x;", "double long y = *x;", "auto y = 1.5L * *x;",
                           "auto y = 1e3l;", "auto y = 0x1p3L;", "auto y = .5L;"})
    EXPECT_THAT(bits_of(body), HasSubstr("long double")) << body;
}

TEST(OtherBits, MacrosThatMakeNamesMayMakeAny) {
  const KernelCall call{.name = "work",
                        .source = "#define E(a) a##p\nvoid work(double* x) { *x = E(ex)(*x); }"};
  EXPECT_THAT(other_bits(call), HasSubstr("##"));
}

TEST(OtherBits, FilesThatAreIncludedCount) {
  const KernelCall call{.name = "work",
                        .source = "#include \"a.hpp\"\nvoid work(double* x) { *x = grow(*x); }",
                        .includes = {{"a.hpp", "double grow(double x) { return exp(x); }"}}};
  EXPECT_THAT(other_bits(call), HasSubstr("'exp'"));
}

}  // namespace
}  // namespace op2::jit
