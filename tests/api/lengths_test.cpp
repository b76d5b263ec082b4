// SPDX-License-Identifier: BSD-3-Clause
// Containers in place of pointers: their lengths are checked.
#include <array>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>

#include <op2/hdf5.hpp>
#include <op2/op2.hpp>

#include <support/expect_error.hpp>

namespace op2::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using enum ErrorCode;

OP_KERNEL(sum_up, (const double* value, double* sum), {
  for (int d = 0; d < 4; ++d) sum[d] += value[d];
});

class Lengths : public testing::Test {
 protected:
  Lengths() {
    op_init(0, nullptr, 0);
    cells = op_decl_set(3, "cells");
    q = op_decl_dat(cells, 4, std::vector<double>(12, 1.5), "q");
    total = op_decl_global(2, std::array{1, 2}, "total");
  }
  ~Lengths() override { op_exit(); }

  /// Calls an action with one value less and one more than needed: both are errors.
  template <class T = double>
  static void expect_needed(int needed,
                            const std::function<void(std::type_identity_t<std::span<T>>)>& action) {
    for (const int given : {needed - 1, needed + 1}) {
      std::vector<T> values(static_cast<std::size_t>(given));
      EXPECT_THAT(error_text(bad_size, [&] { action(values); }),
                  AllOf(HasSubstr(std::to_string(given) + " are given"),
                        HasSubstr(std::to_string(needed) + " are needed")));
    }
    if (needed > 0)
      error_text(null_data, [&] { action({static_cast<T*>(nullptr), std::size_t(needed)}); });
  }

  op_set cells;
  op_dat q;
  op_global total;
};

TEST_F(Lengths, ContainersOfTheRightLengthWork) {
  std::array<double, 12> all{};
  std::vector<double> row(4);
  op_fetch_data(q, all);
  op_fetch_data_idx(q, std::span(row), 1, 1);
  EXPECT_THAT(row, ElementsAre(1.5, 1.5, 1.5, 1.5));
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0.0), 18);
  std::vector<int> both(2);
  op_set_global(total, std::vector{3, 4});
  op_fetch_global(total, both);
  EXPECT_THAT(both, ElementsAre(3, 4));
}

TEST_F(Lengths, OfDeclarationsAreTheDeclaredElementsTimesDim) {
  expect_needed(12, [&](auto v) { op_decl_dat(cells, 4, v, "a"); });
  expect_needed<float>(3, [&](auto v) { op_decl_dat(cells, 1, "float", v, "b"); });
  expect_needed<int>(6, [&](auto v) { op_decl_map(cells, cells, 2, v, "c"); });
  const std::string text =
      error_text(bad_size, [&] { op_decl_dat(cells, 5, std::vector<double>(12), "velocity"); });
  EXPECT_THAT(text, AllOf(HasSubstr("op_decl_dat, dat 'velocity', 12 are given, but 15 are needed"),
                          HasSubstr("3 elements of set 'cells' x dim 5")));
}

TEST_F(Lengths, ListsInBracesAreArrays) {
  op_map both = op_decl_map(cells, cells, 2, {0, 1, 1, 2, 2, 0}, "both");
  EXPECT_EQ(both->dim, 2);
  std::array<float, 3> values{};
  op_fetch_data(op_decl_dat(cells, 1, "float", {1.0f, 2.0f, 3.0f}, "floats"), values);
  EXPECT_THAT(values, ElementsAre(1, 2, 3));
  op_decl_const(2, {0.5, 0.25}, "two_weights");
  std::array<int, 2> sums{};
  op_fetch_global(op_decl_global(2, {3, 4}, "sums"), sums);
  EXPECT_THAT(sums, ElementsAre(3, 4));
  EXPECT_THAT(error_text(bad_size, [&] { op_decl_dat(cells, 1, {1.0, 2.0}, "short"); }),
              HasSubstr("2 are given, but 3 are needed"));
}

TEST_F(Lengths, AnEmptyContainerIsNotAPointerToZeros) {
  EXPECT_THAT(error_text(bad_size, [&] { op_decl_dat(cells, 1, std::vector<double>(), "d"); }),
              HasSubstr("0 are given"));
  const op_set none = op_decl_set(0, "none");
  op_fetch_data(op_decl_dat(none, 7, std::span<const float>(), "e"), std::span<float>());
}

TEST_F(Lengths, OfResultsAreThoseOfTheDat) {
  std::vector<double> doubles(8);
  expect_needed(12, [&](auto v) { op_fetch_data(q, v); });
  expect_needed(8, [&](auto v) { op_fetch_data_idx(q, v, 1, 2); });
  error_text(bad_range, [&] { op_fetch_data_idx(q, doubles, 2, 3); });
}

TEST_F(Lengths, OfConstantsAndGlobalsAreTheirDim) {
  expect_needed(3, [](auto v) { op_decl_const(3, v, "weights"); });
  expect_needed(3, [](auto v) { op_decl_global(3, v, "three"); });
  expect_needed<int>(2, [&](auto v) { op_set_global(total, v); });
  expect_needed<int>(2, [&](auto v) { op_fetch_global(total, v); });
  expect_needed(3, [](auto v) { op_get_const_hdf5("c", 3, "double", v, "/none.h5"); });
  expect_needed(3, [](auto v) { op_write_const_hdf5("c", 3, "double", v, "/none.h5"); });
}

TEST_F(Lengths, OfArgumentsAreTheirDim) {
  expect_needed(4, [](auto v) { op_arg_gbl(v, 4, "double", OP_INC); });
  expect_needed(4, [](auto v) { op_opt_arg_gbl(1, v, 4, "double", OP_READ); });
  expect_needed(2, [](auto v) { op_arg_info(v, 2, "double", 0); });
  EXPECT_EQ(op_opt_arg_gbl(0, std::span<double>(), 4, "double", OP_READ).opt, 0);
  std::array<double, 4> sum{};
  op_par_loop(sum_up, "sum_up", cells, op_arg_dat(q, OP_READ),
              op_arg_gbl(sum, 4, "double", OP_INC));
  EXPECT_THAT(sum, ElementsAre(4.5, 4.5, 4.5, 4.5));
}

TEST_F(Lengths, ValuesOfAnotherTypeAreErrors) {
  std::vector<float> floats(12);
  std::vector<double> doubles(2);
  error_text(bad_type, [&] { op_fetch_data(q, floats); });
  error_text(bad_type, [&] { op_decl_dat(cells, 1, "double", std::vector<float>(3), "f"); });
  error_text(bad_type, [&] { op_fetch_global(total, doubles); });
}

TEST_F(Lengths, WhatElseIsWrongIsFoundAsWithPointers) {
  std::vector<double> one(1);
  error_text(bad_handle, [&] { op_fetch_data(nullptr, one); });
  error_text(bad_handle, [] { op_decl_dat(nullptr, 1, std::vector<double>(1), "g"); });
  error_text(bad_dim, [&] { op_decl_dat(cells, -1, std::vector<double>(1), "g"); });
  error_text(bad_name, [&] { op_decl_dat(cells, 1, std::vector<double>(3), nullptr); });
}

/// Every third value of an array.
struct WithGaps {
  double* data();
  std::size_t size();
};

static_assert(!SizedArray<double*> && !SizedArray<double (&)[4]> && !SizedArray<std::vector<bool>>);
static_assert(!SizedArray<WithGaps> && !SizedArray<std::wstring>);
static_assert(SizedArray<std::vector<double>> && !WritableArray<std::span<const double>>);
static_assert(WritableArray<std::vector<double>&> && WritableArray<std::span<double>>);
static_assert(!WritableArray<std::vector<double>> && !LastingArray<std::array<double, 2>>);
static_assert(!LastingArray<const std::vector<double>> && LastingArray<const std::vector<double>&>);

}  // namespace
}  // namespace op2::test
