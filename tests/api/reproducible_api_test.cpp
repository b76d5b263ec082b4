// SPDX-License-Identifier: BSD-3-Clause
// OP2_REPRODUCIBLE=on: sums are exact and rounded once, extremes have an order, and what has no
// reproducible bits is refused with its reason.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <op2/op2.hpp>
#include <support/dead_reader.hpp>

namespace op2 {
namespace {

using testing::AllOf;
using testing::HasSubstr;

OP_KERNEL(add_up, (const double* x, double* sum), { *sum += *x; });
OP_KERNEL(add_up_float, (const float* x, float* sum), { *sum += *x; });
OP_KERNEL(add_many, (const double* x, double* sum), {
  for (int k = 0; k < 20; ++k) sum[k] += *x * (k + 1);
});
OP_KERNEL(add_pair, (const double* x, double* sum), {
  sum[0] += *x;
  sum[1] -= *x;
});
OP_KERNEL(compare, (const double* x, double* least, double* most), {
  if (*x < *least) *least = *x;
  if (*x > *most) *most = *x;
});
/// Chosen with the operands in the order in which NaN is kept.
OP_KERNEL(take_extremes, (const double* x, double* least, double* most), {
  *least = *least < *x ? *least : *x;
  *most = *most > *x ? *most : *x;
});
OP_KERNEL(scale_by, (const double* factor, double* x), { *x *= *factor; });

double known_to_the_host() {
  return 1;
}
OP_KERNEL(touch, (double* x), { *x += known_to_the_host(); });

struct Reproducible : testing::Test {
  op_set cells;

  Reproducible() {
    setenv("OP2_REPRODUCIBLE", "on", 1);
    op_init(0, nullptr, 0);
    cells = op_decl_set(3001, "cells");
  }
  ~Reproducible() override {
    op_exit();
    unsetenv("OP2_REPRODUCIBLE");
  }

  /// Large values of both signs, which cancel, and a small one.
  template <class T>
  std::vector<T> cancelling(T large) const {
    std::vector<T> values(static_cast<std::size_t>(cells->size));
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = k % 2 == 0 ? large : -large;
    values.back() = 1;
    return values;
  }

  /// One after the other, both of `add_pair`.
  std::pair<double, double> sums_of(const std::vector<double>& values) const {
    const op_dat x = op_decl_dat(cells, 1, "double", values.data(), "x");
    double one = 0, two[2] = {0, 0};
    op_par_loop(add_up, "add_up", cells, op_arg_dat(x, OP_READ),
                op_arg_gbl(&one, 1, "double", OP_INC));
    op_par_loop(add_pair, "add_pair", cells, op_arg_dat(x, OP_READ),
                op_arg_gbl(two, 2, "double", OP_INC));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(one), std::bit_cast<std::uint64_t>(two[0]));
    return {one, two[1]};
  }
};

TEST_F(Reproducible, SumsAreExactInVariablesAndInGlobals) {
  const op_dat x = op_decl_dat(cells, 1, "double", cancelling(1e17).data(), "x");
  double raw = 0.25;
  op_par_loop(add_up, "add_up", cells, op_arg_dat(x, OP_READ),
              op_arg_gbl(&raw, 1, "double", OP_INC));
  EXPECT_EQ(raw, 1.25);
  const double before = 0.25;
  const op_global lazy = op_decl_global(1, &before, "lazy");
  op_par_loop(add_up, "add_up", cells, op_arg_dat(x, OP_READ), op_arg_gbl(lazy, OP_INC));
  op_par_loop(add_up, "add_up", cells, op_arg_dat(x, OP_READ), op_arg_gbl(lazy, OP_INC));
  double value = 0;
  op_fetch_global(lazy, &value);
  EXPECT_EQ(value, 2.25);
}

TEST_F(Reproducible, SumsOfFloatAndOfManyComponentsAreExact) {
  const op_dat f = op_decl_dat(cells, 1, "float", cancelling(1e10F).data(), "f");
  float sum = 0.25F;
  op_par_loop(add_up_float, "add_up_float", cells, op_arg_dat(f, OP_READ),
              op_arg_gbl(&sum, 1, "float", OP_INC));
  EXPECT_EQ(sum, 1.25F);
  const op_dat x = op_decl_dat(cells, 1, "double", cancelling(1e17).data(), "x");
  std::vector<double> many(20, 0.25), expected;
  for (int k = 0; k < 20; ++k) expected.push_back(k + 1.25);
  op_par_loop(add_many, "add_many", cells, op_arg_dat(x, OP_READ),
              op_arg_gbl(many.data(), 20, "double", OP_INC));
  EXPECT_EQ(many, expected);
}

/// Terms that are added together have up to 200 binary digits between them, those after them are
/// 2^400 times as large or as small.
TEST_F(Reproducible, SumsOfTermsOfAllSizesAreExact) {
  std::vector<double> values(3001);
  for (int spread : {0, 100, 200}) {
    std::mt19937 random(spread);
    for (std::size_t k = 0; k + 1 < values.size(); k += 2) {
      const int size = static_cast<int>(k / 500 % 3) * 400 - 400;
      values[k] =
          std::ldexp(1 + (random() % 8) / 8.0, size + static_cast<int>(random() % (spread + 1)));
      values[k + 1] = -values[k];
    }
    values.back() = 0;
    values[1100] = 0x1p-700;  // all that does not cancel
    values[1101] = 0;
    EXPECT_EQ(sums_of(values), std::pair(0x1p-700, -0x1p-700)) << spread;
  }
}

TEST_F(Reproducible, SumsWithInfinitiesAndNanAreThese) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values(3001, 1);
  values[1500] = infinity;
  EXPECT_EQ(sums_of(values), std::pair(infinity, -infinity));
  values[1600] = -infinity;
  const auto [sum, difference] = sums_of(values);
  EXPECT_TRUE(std::isnan(sum) && std::isnan(difference));
}

/// Rounded once, although flushes of the queue come in between.
TEST_F(Reproducible, ASumIsRoundedWhenItIsNeededAndNotBefore) {
  const std::vector<double> small(3001, 1e-21);
  const op_dat x = op_decl_dat(cells, 1, "double", small.data(), "x");
  const double one = 1;
  const op_global lazy = op_decl_global(1, &one, "lazy");
  double value = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    op_par_loop(add_up, "add_up", cells, op_arg_dat(x, OP_READ), op_arg_gbl(lazy, OP_INC));
    op_flush();
  }
  op_fetch_global(lazy, &value);
  EXPECT_EQ(value, 1.0);
  std::vector<double> large(3001, 1e-17);
  const op_dat y = op_decl_dat(cells, 1, "double", large.data(), "y");
  for (int repeat = 0; repeat < 10; ++repeat) {
    op_par_loop(add_up, "add_up", cells, op_arg_dat(y, OP_READ), op_arg_gbl(lazy, OP_INC));
    op_flush();
  }
  op_fetch_global(lazy, &value);
  EXPECT_EQ(value, 1.0 + 30010 * 1e-17);
}

TEST_F(Reproducible, ALoopSeesTheSumOfThoseBefore) {
  const std::vector<double> ones(3001, 1.0);
  const op_dat x = op_decl_dat(cells, 1, "double", ones.data(), "x");
  const double zero = 0;
  const op_global lazy = op_decl_global(1, &zero, "lazy");
  op_par_loop(add_up, "add_up", cells, op_arg_dat(x, OP_READ), op_arg_gbl(lazy, OP_INC));
  op_par_loop(scale_by, "scale_by", cells, op_arg_gbl(lazy, OP_READ), op_arg_dat(x, OP_RW));
  std::vector<double> values(3001);
  op_fetch_data(x, values);
  EXPECT_EQ(values, std::vector<double>(3001, 3001.0));
  op_set_global(lazy, &zero);
  op_par_loop(add_up, "add_up", cells, op_arg_dat(x, OP_READ), op_arg_gbl(lazy, OP_INC));
  double value = 0;
  op_fetch_global(lazy, &value);
  EXPECT_EQ(value, 3001.0 * 3001.0);
}

/// Whether a loop is dead depends on what else is queued.
TEST(ReproducibleSums, AreRoundedWhereALoopReadsThemAlsoIfItIsDead) {
  setenv("OP2_REPRODUCIBLE", "on", 1);
  const std::pair<const char*, const char*> settings[] = {
      {"OP2_DEBUG", "queue_max=1000"}, {"OP2_DEBUG", "queue_max=1"}, {"OP2_DEBUG", "queue_max=2"},
      {"OP2_DEBUG", "keep_dead"},      {"OP2_THREADS", "3"},         {"OP2_TILE", "50"},
      {"OP2_TARGET", "reference"}};
  for (const auto& [name, value] : settings) {
    const char* const before = std::getenv(name);
    const std::string kept = before != nullptr ? before : "";
    setenv(name, value, 1);
    op_init(0, nullptr, 0);
    EXPECT_EQ(test::sum_around_a_dead_reader(3001), 1.0) << name << "=" << value;
    op_exit();
    before != nullptr ? setenv(name, kept.c_str(), 1) : unsetenv(name);
  }
  unsetenv("OP2_REPRODUCIBLE");
}

/// In vectors, in the rest that fills none, and on each thread; in variables and in globals.
TEST(ReproducibleExtremes, AreNanIfAKernelSetsThemToNanForAnyElement) {
  setenv("OP2_REPRODUCIBLE", "on", 1);
  setenv("OP2_THREADS", "3", 1);
  op_init(0, nullptr, 0);
  const double five = 5;
  const auto quiet = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
  const op_set cells = op_decl_set(3001, "cells");
  for (const std::size_t where : {std::size_t{0}, std::size_t{1703}, std::size_t{3000}}) {
    std::vector<double> values(3001, 1.0);
    values[where] = -std::numeric_limits<double>::quiet_NaN();
    const op_dat x = op_decl_dat(cells, 1, "double", values.data(), "x");
    const op_global lazy = op_decl_global(1, &five, "lazy");
    double least = 5, most = -5, lazy_most = 0;
    op_par_loop(take_extremes, "raw", cells, op_arg_dat(x, OP_READ),
                op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_gbl(&most, 1, "double", OP_MAX));
    op_par_loop(take_extremes, "lazy", cells, op_arg_dat(x, OP_READ),
                op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_gbl(lazy, OP_MAX));
    op_fetch_global(lazy, &lazy_most);
    for (const double extreme : {least, most, lazy_most})
      EXPECT_EQ(std::bit_cast<std::uint64_t>(extreme), quiet) << where;
  }
  op_exit();
  unsetenv("OP2_THREADS");
  unsetenv("OP2_REPRODUCIBLE");
}

TEST_F(Reproducible, MinusZeroIsLessAndNanThatNoKernelSetsIsNotSeen) {
  std::vector<double> values(3001, 0.0);
  values[7] = std::numeric_limits<double>::quiet_NaN();
  values[2000] = -0.0;
  const op_dat x = op_decl_dat(cells, 1, "double", values.data(), "x");
  double least = 5, most = -5;
  op_par_loop(compare, "compare", cells, op_arg_dat(x, OP_READ),
              op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_gbl(&most, 1, "double", OP_MAX));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(least), std::bit_cast<std::uint64_t>(-0.0));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(most), std::bit_cast<std::uint64_t>(0.0));
}

/// Otherwise it would run as a host function, with one warning.
TEST_F(Reproducible, AKernelThatCannotBeCompiledIsAnError) {
  const op_dat x = op_decl_dat(cells, 1, "double", std::vector<double>(3001).data(), "x");
  op_par_loop(touch, "touch", cells, op_arg_dat(x, OP_RW));
  try {
    op_flush();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("touch"), HasSubstr("known_to_the_host")));
  }
}

OP_KERNEL(write_zero, (double* x), { *x = 0; });
OP_KERNEL(write_value, (const double* value, double* x), { *x = *value; });

/// All elements of a set of 3001 write the same row.
TEST_F(Reproducible, RowsThatTooManyElementsWriteAreAnErrorUnlessAllAreZeros) {
  const op_set one = op_decl_set(1, "one");
  const op_map to_one = op_decl_map(cells, one, 1, std::vector<int>(3001, 0).data(), "to_one");
  std::vector<double> values(3001, 2.0);
  const op_dat x = op_decl_dat(cells, 1, "double", values.data(), "x");
  const op_dat row = op_decl_dat(one, 1, "double", values.data(), "row");
  op_par_loop(write_zero, "write_zero", cells, op_arg_dat(row, 0, to_one, OP_WRITE));
  double found = 1;
  op_fetch_data(row, &found);
  EXPECT_EQ(found, 0);
  op_par_loop(write_value, "write_value", cells, op_arg_dat(x, OP_READ),
              op_arg_dat(row, 0, to_one, OP_WRITE));
  try {
    op_flush();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("OP2-E404"), HasSubstr("loop 'write_value'"),
                                    HasSubstr("dat 'row' (arg 1 OP_WRITE)"),
                                    HasSubstr("write rows that others write")));
  }
}

/// How loops are vectorised, and how many elements they have.
class SumsInVectors : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  SumsInVectors() {
    const auto [how, count] = GetParam();
    setenv("OP2_REPRODUCIBLE", "on", 1);
    if (how == "no_simd")
      setenv("OP2_DEBUG", how.c_str(), 1);
    else
      setenv("OP2_SIMD", how.c_str(), 1);
    op_init(0, nullptr, 0);
    elements = op_decl_set(count, "elements");
  }
  ~SumsInVectors() override {
    op_exit();
    for (const char* name : {"OP2_REPRODUCIBLE", "OP2_DEBUG", "OP2_SIMD"}) unsetenv(name);
  }

  /// Pairs that cancel, then a 0.5 if the number is even, then 1.
  template <class T>
  std::vector<T> terms(T large) const {
    std::vector<T> values(static_cast<std::size_t>(elements->size), T(0.5));
    for (std::size_t k = 0; k + 2 < values.size(); k += 2) {
      values[k] = std::ldexp(large, static_cast<int>(k % 20));
      values[k + 1] = -values[k];
    }
    values.back() = 1;
    return values;
  }
  double sum_of_terms() const { return elements->size % 2 == 0 ? 1.5 : 1; }

  op_set elements;
};

TEST_P(SumsInVectors, AreExact) {
  const op_dat x = op_decl_dat(elements, 1, "double", terms(1e17).data(), "x");
  const op_dat f = op_decl_dat(elements, 1, "float", terms(1e10F).data(), "f");
  double one = 0.25, pair[2] = {0.25, 0.25};
  float single = 0.25F;
  std::vector<double> many(20, 0.25);
  op_par_loop(add_up, "add_up", elements, op_arg_dat(x, OP_READ),
              op_arg_gbl(&one, 1, "double", OP_INC));
  op_par_loop(add_pair, "add_pair", elements, op_arg_dat(x, OP_READ),
              op_arg_gbl(pair, 2, "double", OP_INC));
  op_par_loop(add_up_float, "add_up_float", elements, op_arg_dat(f, OP_READ),
              op_arg_gbl(&single, 1, "float", OP_INC));
  op_par_loop(add_many, "add_many", elements, op_arg_dat(x, OP_READ),
              op_arg_gbl(many.data(), 20, "double", OP_INC));
  const double sum = sum_of_terms();
  EXPECT_EQ(one, 0.25 + sum);
  EXPECT_EQ(pair[0], 0.25 + sum);
  EXPECT_EQ(pair[1], 0.25 - sum);
  EXPECT_EQ(single, static_cast<float>(0.25 + sum));
  EXPECT_EQ(many[0], 0.25 + sum);
}

INSTANTIATE_TEST_SUITE_P(Reproducible, SumsInVectors,
                         testing::Combine(testing::Values("auto", "on", "no_simd"),
                                          testing::Values(1, 3, 7, 15, 1024, 1025)),
                         [](const auto& of) {
                           return std::get<0>(of.param) + "_" +
                                  std::to_string(std::get<1>(of.param));
                         });

/// Changes the rounding of the thread, for a scope.
class OtherRounding {
 public:
  explicit OtherRounding(int mode) { std::fesetround(mode); }
#if defined(__SSE2__)
  static constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
  explicit OtherRounding(unsigned bits) { _mm_setcsr(_mm_getcsr() | bits); }
#elif defined(__aarch64__)
  static constexpr unsigned long denormals_are_zero = 1UL << 24;  ///< and denormal results
  explicit OtherRounding(unsigned long bits) {
    unsigned long control = 0;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    asm volatile("msr fpcr, %0" : : "r"(control | bits));
  }
#endif
  ~OtherRounding() { std::fesetenv(FE_DFL_ENV); }
};

template <class Change>
void expect_refused_rounding(op_set cells, Change change, const char* why) {
  const op_dat x = op_decl_dat(cells, 1, "double", std::vector<double>(3001).data(), "x");
  double factor = 3;
  op_par_loop(scale_by, "scale", cells, op_arg_gbl(&factor, 1, "double", OP_READ),
              op_arg_dat(x, OP_RW));
  const OtherRounding other(change);
  try {
    op_flush();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("OP2-E501"), HasSubstr("loop 'scale'"),
                                    HasSubstr("reproducible_api_test.cpp"), HasSubstr(why),
                                    HasSubstr("call fesetenv(FE_DFL_ENV)")));
  }
}

/// Before anything is compiled.
TEST_F(Reproducible, AnotherRoundingModeIsTheFirstError) {
  const op_dat x = op_decl_dat(cells, 1, "double", std::vector<double>(3001).data(), "x");
  op_par_loop(touch, "touch", cells, op_arg_dat(x, OP_RW));
  const OtherRounding other(FE_UPWARD);
  try {
    op_flush();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_option) << error.what();
  }
}

TEST_F(Reproducible, AnotherRoundingModeIsAnError) {
  expect_refused_rounding(cells, FE_TOWARDZERO, "it rounds towards zero");
}

#if defined(__SSE2__) || defined(__aarch64__)
TEST_F(Reproducible, DenormalNumbersThatAreTakenForZeroAreAnError) {
  expect_refused_rounding(cells, OtherRounding::denormals_are_zero, "denormal numbers for zero");
}
#endif

#if defined(__SSE2__)
TEST_F(Reproducible, ResultsThatAreFlushedToZeroAreAnError) {
  expect_refused_rounding(cells, OtherRounding::flush_to_zero, "denormal results by zero");
}

/// The C library's fegetround does not see it.
TEST_F(Reproducible, AnotherRoundingModeOfVectorRegistersAloneIsAnError) {
  expect_refused_rounding(cells, unsigned{_MM_ROUND_UP}, "it rounds upwards");
}

TEST_F(Reproducible, RoundingDownwardsOfVectorRegistersAloneIsAnError) {
  expect_refused_rounding(cells, unsigned{_MM_ROUND_DOWN}, "it rounds downwards");
}

TEST_F(Reproducible, RoundingTowardsZeroOfVectorRegistersAloneIsAnError) {
  expect_refused_rounding(cells, unsigned{_MM_ROUND_TOWARD_ZERO}, "it rounds towards zero");
}
#endif

TEST_F(Reproducible, TheRoundingOfTheProgramIsLookedAtWhenLoopsRun) {
  const op_dat x = op_decl_dat(cells, 1, "double", std::vector<double>(3001).data(), "x");
  double factor = 3;
  {
    const OtherRounding other(FE_UPWARD);
    op_par_loop(scale_by, "scale", cells, op_arg_gbl(&factor, 1, "double", OP_READ),
                op_arg_dat(x, OP_RW));
  }
  EXPECT_NO_THROW(op_flush());
}

TEST(ReproducibleRounding, ThreadsThatBeganWithAnotherModeRoundToNearest) {
  setenv("OP2_REPRODUCIBLE", "on", 1);
  setenv("OP2_THREADS", "3", 1);
  {
    const OtherRounding other(FE_UPWARD);
    op_init(0, nullptr, 0);
  }
  constexpr int count = 60'000;
  const op_set rows = op_decl_set(count, "rows");
  std::vector<double> values(count), found(count);
  for (int k = 0; k < count; ++k) values[static_cast<std::size_t>(k)] = k + 1;
  const op_dat x = op_decl_dat(rows, 1, "double", values.data(), "x");
  double factor = 1.1;
  op_par_loop(scale_by, "scale", rows, op_arg_gbl(&factor, 1, "double", OP_READ),
              op_arg_dat(x, OP_RW));
  op_fetch_data(x, found.data());
  op_exit();
  unsetenv("OP2_REPRODUCIBLE");
  unsetenv("OP2_THREADS");
  for (double& value : values) value *= factor;
  EXPECT_EQ(found, values);
}

}  // namespace
}  // namespace op2
