// SPDX-License-Identifier: BSD-3-Clause
// OP_MIN and OP_MAX of dats, and OP_RW through maps of which the source proves the same.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/temporary_directory.hpp>

namespace op2 {
namespace {

using testing::HasSubstr;
using testing::Not;

#define EXTREMES(N, T)                                                               \
  OP_KERNEL(widen_##N, (const T* q1, const T* q2, T* lo1, T* lo2, T* hi1, T* hi2), { \
    if (*q2 < *lo1) *lo1 = *q2;                                                      \
    if (*q1 < *lo2) *lo2 = *q1;                                                      \
    *hi1 = std::max(*hi1, *q2);                                                      \
    *hi2 = *hi2 > *q1 ? *hi2 : *q1;                                                  \
  })
EXTREMES(double, double);
EXTREMES(float, float);
EXTREMES(int, int);
EXTREMES(unsigned, unsigned);
EXTREMES(long, long);
EXTREMES(ulong, unsigned long);
EXTREMES(bool, bool);

/// Where NaN is a value, every form keeps it; the other forms are below.
OP_KERNEL(keep_nan, (const double* q, double* lo, double* hi), {
  *lo = *lo < *q ? *lo : *q;
  *hi = *hi > *q ? *hi : *q;
});
OP_KERNEL(ignore_nan, (const double* q, double* lo, double* hi), {
  if (*q < *lo) *lo = *q;
  *hi = fmax(*hi, *q);
});
OP_KERNEL(of_four, (const double* q, double* const* lo), {
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 2; ++c) lo[k][c] = std::min(lo[k][c], q[c]);
});
OP_KERNEL(raise_own, (const double* q, double* hi), {
  if (*q > *hi) *hi = *q;
});

using Variables = std::vector<std::pair<const char*, const char*>>;

/// Runs a program with variables set.
template <class Program>
void with(const Variables& variables, const Program& program) {
  for (const auto& [name, value] : variables) setenv(name, value, 1);
  setenv("OP2_LOG", "error", 1);
  op_init(0, nullptr, 1);
  program();
  op_exit();
  for (const auto& [name, value] : variables) unsetenv(name);
  unsetenv("OP2_LOG");
}

/// Ways of execution; in all of them results have equal bits, if no zeros or NaN are among them.
std::vector<Variables> ways() {
  return {{{"OP2_THREADS", "1"}},
          {{"OP2_THREADS", "3"}},
          {{"OP2_THREADS", "2"}, {"OP2_SIMD", "on"}, {"OP2_RENUMBER", "on"}},
          {{"OP2_THREADS", "3"}, {"OP2_DEBUG", "no_simd"}, {"OP2_TILE", "30"}},
          {{"OP2_THREADS", "2"}, {"OP2_REPRODUCIBLE", "on"}},
          {{"OP2_THREADS", "2"}, {"OP2_REPRODUCIBLE", "on"}, {"OP2_SIMD", "on"}},
          {{"OP2_THREADS", "2"}, {"OP2_JIT", "off"}},
          {{"OP2_TARGET", "reference"}}};
}

/// Pairs of cells, of which some occur often, and one on both sides.
struct Pairs {
  static constexpr int cells = 400, faces = 3000;
  std::vector<int> ends;
  Pairs() {
    std::mt19937 random(5);
    for (int k = 0; k < 2 * faces; ++k) ends.push_back(static_cast<int>(random() % cells));
    ends[1] = ends[0];
  }
};

template <class T>
void expect_extremes(op_kernel widen, op_access least, op_access greatest) {
  const Pairs mesh;
  std::mt19937 random(9);
  std::vector<T> q, lo, hi;
  for (int c = 0; c < Pairs::cells; ++c) {
    q.push_back(static_cast<T>(static_cast<int>(1 + random() % 1000)));
    lo.push_back(q.back());
    hi.push_back(q.back());
  }
  std::vector<T> low = lo, high = hi;
  for (int f = 0; f < Pairs::faces; ++f)
    for (int k = 0; k < 2; ++k) {
      const auto mine = mesh.ends[2 * f + k], other = mesh.ends[2 * f + 1 - k];
      low[mine] = std::min<T>(low[mine], q[other]);
      high[mine] = std::max<T>(high[mine], q[other]);
    }
  op_set cells = op_decl_set(Pairs::cells, "cells"), faces = op_decl_set(Pairs::faces, "faces");
  op_map sides = op_decl_map(faces, cells, 2, mesh.ends.data(), "sides");
  const auto values = [&](const std::vector<T>& of, const char* name) {
    auto copy = std::make_unique<T[]>(of.size());
    std::ranges::copy(of, copy.get());
    return op_decl_dat<T>(cells, 1, copy.get(), name);
  };
  op_dat of_q = values(q, "q"), of_lo = values(lo, "lo"), of_hi = values(hi, "hi");
  op_par_loop(widen, "widen", faces, op_arg_dat(of_q, 0, sides, OP_READ),
              op_arg_dat(of_q, 1, sides, OP_READ), op_arg_dat(of_lo, 0, sides, least),
              op_arg_dat(of_lo, 1, sides, least), op_arg_dat(of_hi, 0, sides, greatest),
              op_arg_dat(of_hi, 1, sides, greatest));
  auto found = std::make_unique<T[]>(q.size());
  op_fetch_data(of_lo, found.get());
  EXPECT_TRUE(std::equal(low.begin(), low.end(), found.get()));
  op_fetch_data(of_hi, found.get());
  EXPECT_TRUE(std::equal(high.begin(), high.end(), found.get()));
}

TEST(ExtremeRows, AreThoseOfAllElementsInAllTypesAndWays) {
  for (const Variables& variables : ways())
    with(variables, [] {
      expect_extremes<double>(widen_double, OP_MIN, OP_MAX);
      expect_extremes<float>(widen_float, OP_MIN, OP_MAX);
      expect_extremes<int>(widen_int, OP_MIN, OP_MAX);
      expect_extremes<unsigned>(widen_unsigned, OP_MIN, OP_MAX);
      expect_extremes<long>(widen_long, OP_MIN, OP_MAX);
      expect_extremes<unsigned long>(widen_ulong, OP_MIN, OP_MAX);
      expect_extremes<bool>(widen_bool, OP_MIN, OP_MAX);
    });
}

TEST(ExtremeRows, AreProvenOfKernelsWithOpRw) {
  for (const Variables& variables : ways())
    with(variables, [] {
      expect_extremes<double>(widen_double, OP_RW, OP_MAX);
      expect_extremes<float>(widen_float, OP_MIN, OP_RW);
      expect_extremes<long>(widen_long, OP_RW, OP_RW);
      expect_extremes<bool>(widen_bool, OP_RW, OP_RW);
    });
}

TEST(ExtremeRows, ThatAreProvenRunInAnyOrder) {
  const test::TemporaryDirectory folder;
  const std::string table = (folder.path() / "table.csv").string();
  for (const auto& [access, in_order] : {std::pair(OP_RW, false), {OP_MIN, false}}) {
    with({{"OP2_TIMING", table.c_str()}, {"OP2_THREADS", "2"}}, [access = access] {
      expect_extremes<double>(widen_double, access, access == OP_MIN ? OP_MAX : OP_RW);
    });
    std::stringstream text;
    text << std::ifstream(table).rdbuf();
    EXPECT_THAT(text.str(), HasSubstr("\"widen\",1,"));
    EXPECT_THAT(text.str(), Not(HasSubstr("in order")));
  }
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The rows of one cell each after all of `values` were given to them, in both orders.
struct Ends {
  double lo, hi;
};
template <class Expect>
void give(op_kernel kernel, op_access least, op_access greatest, Ends start,
          std::vector<double> values, const Expect& expect) {
  for (int turn = 0; turn < 2; ++turn, std::ranges::reverse(values)) {
    const int count = static_cast<int>(values.size());
    const std::vector<int> targets(count, 0);
    op_set all = op_decl_set(count, "all"), one = op_decl_set(1, "one");
    op_map to = op_decl_map(all, one, 1, targets.data(), "to");
    op_dat q = op_decl_dat(all, 1, values, "q"), lo = op_decl_dat(one, 1, &start.lo, "lo"),
           hi = op_decl_dat(one, 1, &start.hi, "hi");
    op_par_loop(kernel, "give", all, op_arg_dat(q, OP_READ), op_arg_dat(lo, 0, to, least),
                op_arg_dat(hi, 0, to, greatest));
    Ends found{};
    op_fetch_data(lo, &found.lo);
    op_fetch_data(hi, &found.hi);
    expect(found);
  }
}

std::vector<double> sixty(double value) {
  return std::vector<double>(60, value);
}

/// As of globals: NaN wins, and -0 is less than 0, in any order of the elements.
TEST(ExtremeRows, OrderNanAndZerosInTheReproducibleMode) {
  for (const char* simd : {"auto", "on"})
    with({{"OP2_REPRODUCIBLE", "on"}, {"OP2_THREADS", "2"}, {"OP2_SIMD", simd}}, [] {
      for (const auto& [least, greatest] : {std::pair(OP_MIN, OP_MAX), std::pair(OP_RW, OP_RW)}) {
        auto values = sixty(3);
        values[20] = nan;
        give(keep_nan, least, greatest, {5, 1}, values, [](Ends found) {
          EXPECT_TRUE(std::isnan(found.lo));
          EXPECT_TRUE(std::isnan(found.hi));
        });
        give(ignore_nan, least, greatest, {5, 1}, values, [](Ends found) {
          EXPECT_EQ(found.lo, 3);
          EXPECT_EQ(found.hi, 3);
        });
        give(ignore_nan, least, greatest, {nan, nan}, values, [](Ends found) {
          EXPECT_TRUE(std::isnan(found.lo));
          EXPECT_TRUE(std::isnan(found.hi));
        });
        auto zeros = sixty(0.0);
        for (int k = 0; k < 60; k += 2) zeros[k] = -0.0;
        give(keep_nan, least, greatest, {5, -5}, zeros, [](Ends found) {
          EXPECT_TRUE(std::signbit(found.lo));
          EXPECT_FALSE(std::signbit(found.hi));
        });
        give(ignore_nan, least, greatest, {0.0, -0.0}, sixty(-0.0), [](Ends found) {
          EXPECT_TRUE(std::signbit(found.lo));
          EXPECT_TRUE(std::signbit(found.hi));
        });
      }
    });
}

/// What the forms that ignore NaN do is the same in any order.
TEST(ExtremeRows, IgnoreNanWhereTheSourceDoes) {
  for (const Variables& variables : ways())
    with(variables, [&] {
      const bool reproducible = variables.size() > 1 && variables[1].second == std::string("on") &&
                                variables[1].first == std::string("OP2_REPRODUCIBLE");
      for (const auto& [least, greatest] : {std::pair(OP_MIN, OP_MAX), std::pair(OP_RW, OP_RW)}) {
        auto values = sixty(nan);
        values[7] = 3;
        values[41] = 4;
        give(ignore_nan, least, greatest, {5, 1}, values, [](Ends found) {
          EXPECT_EQ(found.lo, 3);
          EXPECT_EQ(found.hi, 4);
        });
        give(ignore_nan, least, greatest, {nan, nan}, values, [&](Ends found) {
          EXPECT_TRUE(std::isnan(found.lo)) << "by `if`, NaN is never replaced";
          EXPECT_TRUE(reproducible ? std::isnan(found.hi) : found.hi == 4) << "by fmax it is";
        });
      }
    });
}

TEST(ExtremeRows, ThatAreDirectAreThoseOfTheKernel) {
  with({{"OP2_THREADS", "2"}}, [] {
    std::vector<double> q{3, nan, 1, 7}, hi{2, 5, nan, 9};
    op_set cells = op_decl_set(4, "cells");
    op_dat of_q = op_decl_dat(cells, 1, q, "q"), of_hi = op_decl_dat(cells, 1, hi, "hi");
    op_par_loop(raise_own, "raise", cells, op_arg_dat(of_q, OP_READ), op_arg_dat(of_hi, OP_MAX));
    op_fetch_data(of_hi, hi);
    EXPECT_EQ(hi[0], 3);
    EXPECT_EQ(hi[1], 5);
    EXPECT_TRUE(std::isnan(hi[2]));
    EXPECT_EQ(hi[3], 9);
  });
}

TEST(ExtremeRows, MayBeSeveralInAVector) {
  for (const op_access access : {OP_MIN, OP_RW})
    for (const Variables& variables : ways())
      with(variables, [access] {
        constexpr int count = 50;
        std::vector<int> corners;
        std::vector<double> q;
        std::mt19937 random(2);
        for (int k = 0; k < 4 * count; ++k) corners.push_back(static_cast<int>(random() % 20));
        for (int k = 0; k < 2 * count; ++k) q.push_back(static_cast<double>(random() % 100));
        std::vector<double> lo(40, 50), expected = lo;
        for (int c = 0; c < count; ++c)
          for (int k = 0; k < 8; ++k) {
            double& low = expected[2 * corners[4 * c + k / 2] + k % 2];
            low = std::min(low, q[2 * c + k % 2]);
          }
        op_set cells = op_decl_set(count, "cells"), nodes = op_decl_set(20, "nodes");
        op_map map = op_decl_map(cells, nodes, 4, corners.data(), "corners");
        op_dat of_q = op_decl_dat(cells, 2, q, "q"), of_lo = op_decl_dat(nodes, 2, lo, "lo");
        op_par_loop(of_four, "of_four", cells, op_arg_dat(of_q, OP_READ),
                    op_arg_dat(of_lo, -4, map, access));
        op_fetch_data(of_lo, lo);
        EXPECT_EQ(lo, expected);
      });
}

}  // namespace
}  // namespace op2
