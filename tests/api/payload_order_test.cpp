// SPDX-License-Identifier: BSD-3-Clause
// Argmin and argmax payloads that elements set in any order: on threads, in vectors, in tiles,
// fused and with reordered rows the result is that of the sequential loop.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/temporary_directory.hpp>

namespace op2 {
namespace {

using testing::HasSubstr;
using testing::Not;

OP_KERNEL(first_of_largest, (const double* x, const int* number, double* most, int* where), {
  if (*x > *most) {
    *most = *x;
    *where = *number;
  }
});
OP_KERNEL(last_of_largest, (const double* x, const int* number, double* most, int* where), {
  if (*x >= *most) {
    *most = *x;
    *where = *number;
  }
});
OP_KERNEL(two_extremes,
          (const float* x, const int* number, float* least, long* place, float* most, double* both),
          {
            if (*x < *least) {
              *least = *x;
              *place = 10 * *number;
            }
            if (*most < *x) {
              *most = *x;
              both[0] = *number;
              both[1] = 0.5 * *x;
            }
          });
OP_KERNEL(at_ends,
          (const double* left, const double* right, double* sum, const int* number, double* most,
           int* where),
          {
            *sum += *left;
            if (*left - *right > *most) {
              *most = *left - *right;
              *where = *number;
            }
          });
OP_KERNEL(doubled, (double* x), { *x *= 2; });

struct Mode {
  const char* name;
  const char* threads;
  const char* renumber;
  const char* tile;
  const char* reproducible = "off";
};

void PrintTo(const Mode& mode, std::ostream* out) {
  *out << mode.name;
}

struct PayloadOrder : testing::TestWithParam<Mode> {
  static constexpr int size = 5001;
  test::TemporaryDirectory folder;
  std::string table = (folder.path() / "table.csv").string();
  std::vector<double> values;
  op_set cells, edges;
  op_map ends;
  op_dat x, sum;

  /// A ring whose edges are numbered badly; values from 0 to 99 that occur many times.
  PayloadOrder() : values(size) {
    const Mode& mode = GetParam();
    setenv("OP2_THREADS", mode.threads, 1);
    setenv("OP2_RENUMBER", mode.renumber, 1);
    setenv("OP2_TILE", mode.tile, 1);
    setenv("OP2_REPRODUCIBLE", mode.reproducible, 1);
    setenv("OP2_TIMING", table.c_str(), 1);
    op_init(0, nullptr, 0);
    std::vector<int> targets;
    for (int k = 0; k < size; ++k) {
      values[static_cast<std::size_t>(k)] = (k * 7919) % 100;
      targets.insert(targets.end(), {k * 1009 % size, (k * 1009 + 1) % size});
    }
    cells = op_decl_set(size, "cells");
    edges = op_decl_set(size, "edges");
    ends = op_decl_map(edges, cells, 2, targets.data(), "ends");
    x = op_decl_dat(cells, 1, values.data(), "x");
    sum = op_decl_dat<double>(cells, 1, nullptr, "sum");
  }
  ~PayloadOrder() override {
    op_exit();
    for (const char* name :
         {"OP2_THREADS", "OP2_RENUMBER", "OP2_TILE", "OP2_TIMING", "OP2_REPRODUCIBLE"})
      unsetenv(name);
  }

  /// The largest value and its payload, from start values.
  std::pair<double, int> largest(op_kernel kernel, double most = -1) {
    int where = -1;
    op_par_loop(kernel, "largest", cells, op_arg_dat(x, OP_READ), op_arg_idx(-1, OP_ID),
                op_arg_gbl(&most, 1, "double", OP_MAX), op_arg_info(&where, 1, "int", 2));
    return {most, where};
  }
  /// The per-loop table, which is written at the end of the session.
  std::string end() {
    op_exit();
    return test::content_of(table);
  }
};

TEST_P(PayloadOrder, TheFirstOfEqualElementsWins) {
  const int first = static_cast<int>(std::ranges::find(values, 99.0) - values.begin());
  EXPECT_EQ(largest(first_of_largest), std::pair(99.0, first));
  EXPECT_THAT(end(), Not(HasSubstr("in order")));
}

TEST_P(PayloadOrder, AKernelThatReplacesEqualValuesGetsTheLast) {
  int last = size - 1;
  while (values[static_cast<std::size_t>(last)] != 99) --last;
  EXPECT_EQ(largest(last_of_largest), std::pair(99.0, last));
}

TEST_P(PayloadOrder, AStartValueThatIsAsGoodKeepsItsPayload) {
  EXPECT_EQ(largest(first_of_largest, 99), std::pair(99.0, -1));
  EXPECT_EQ(largest(first_of_largest, 500), std::pair(500.0, -1));
  EXPECT_EQ(largest(last_of_largest, 99).first, 99.0);
  EXPECT_NE(largest(last_of_largest, 99).second, -1);
}

/// In the reproducible mode -0 is less than 0; otherwise the first of equal values wins.
TEST_P(PayloadOrder, ZerosOfBothSignsAreThoseOfTheirElements) {
  values.assign(size, -5);
  values[3000] = -0.0;
  values[3100] = 0.0;
  values[4000] = -0.0;
  x = op_decl_dat(cells, 1, values.data(), "zeros");
  const auto [most, where] = largest(first_of_largest);
  EXPECT_EQ(where, GetParam().reproducible == std::string("on") ? 3100 : 3000);
  EXPECT_EQ(std::signbit(most), std::signbit(values[static_cast<std::size_t>(where)]));
}

TEST_P(PayloadOrder, NotANumberAndInfinityReplaceWhatTheyReplaceSequentially) {
  const double infinity = std::numeric_limits<double>::infinity();
  values.assign(size, -infinity);
  values[7] = std::nan("");
  values[4000] = -5;
  values[3000] = -5;
  x = op_decl_dat(cells, 1, values.data(), "special");
  EXPECT_EQ(largest(first_of_largest, -infinity), std::pair(-5.0, 3000));
  EXPECT_TRUE(std::isnan(largest(first_of_largest, std::nan("")).first));
}

TEST_P(PayloadOrder, ExtremesMayHavePayloadsOfOtherTypesAndSeveralValues) {
  std::vector<float> floats(values.begin(), values.end());
  floats[4321] = floats[1234] = -3;
  floats[999] = floats[5000] = 200;
  const op_dat y = op_decl_dat(cells, 1, floats.data(), "y");
  float least = 1e9F, most = -1e9F;
  long place = -1;
  double both[2] = {-1, -1};
  op_par_loop(two_extremes, "two_extremes", cells, op_arg_dat(y, OP_READ), op_arg_idx(-1, OP_ID),
              op_arg_gbl(&least, 1, "float", OP_MIN), op_arg_info(&place, 1, "ll", 2),
              op_arg_gbl(&most, 1, "float", OP_MAX), op_arg_info(both, 2, "double", 4));
  EXPECT_THAT((std::vector<double>{least, double(place), most, both[0], both[1]}),
              testing::ElementsAre(-3, 12340, 200, 999, 100));
}

TEST_P(PayloadOrder, LoopsThroughMapsAndFusedOnesSetPayloadsToo) {
  double most = -1000, best = -1000;
  int where = -1, wanted = -1;
  op_par_loop(doubled, "doubled", cells, op_arg_dat(x, OP_RW));
  op_par_loop(at_ends, "at_ends", edges, op_arg_dat(x, 0, ends, OP_READ),
              op_arg_dat(x, 1, ends, OP_READ), op_arg_dat(sum, 1, ends, OP_INC),
              op_arg_idx(-1, OP_ID), op_arg_gbl(&most, 1, "double", OP_MAX),
              op_arg_info(&where, 1, "int", 4));
  for (int e = size - 1; e >= 0; --e) {
    const auto at = [&](int k) {
      return 2 * values[static_cast<std::size_t>((e * 1009 + k) % size)];
    };
    if (at(0) - at(1) >= best) best = at(0) - at(1), wanted = e;
  }
  EXPECT_EQ(std::pair(most, where), std::pair(best, wanted));
  op_par_loop(doubled, "doubled", cells, op_arg_dat(x, OP_RW));
  EXPECT_EQ(largest(first_of_largest).first, 4 * 99);
  EXPECT_THAT(end(), Not(HasSubstr("in order")));
}

INSTANTIATE_TEST_SUITE_P(By, PayloadOrder,
                         testing::Values(Mode{"OneThread", "1", "off", "off"},
                                         Mode{"Threads", "3", "off", "off"},
                                         Mode{"Renumbered", "2", "on", "off"},
                                         Mode{"Tiles", "2", "on", "shuffled"}),
                         [](const auto& of) { return std::string(of.param.name); });
#ifdef OP2_TEST_LLVM
INSTANTIATE_TEST_SUITE_P(Reproducible, PayloadOrder,
                         testing::Values(Mode{"OneThread", "1", "auto", "off", "on"},
                                         Mode{"Threads", "3", "auto", "off", "on"},
                                         Mode{"Renumbered", "2", "on", "off", "on"},
                                         Mode{"Tiles", "2", "auto", "shuffled", "on"}),
                         [](const auto& of) { return std::string(of.param.name); });
#endif

}  // namespace
}  // namespace op2
