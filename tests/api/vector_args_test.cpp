// SPDX-License-Identifier: BSD-3-Clause
// Vector arguments: the kernel gets an array of pointers to the rows in several columns of a map.
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>

namespace op2 {
namespace {

using testing::AllOf;
using testing::HasSubstr;

OP_KERNEL(gather, (const double* const* x, const double* own, double** sum), {
  for (int k = 0; k < 3; ++k) {
    for (int d = 0; d < 2; ++d) sum[k][d] += x[k][d] + *own;
  }
});
OP_KERNEL(fill, (double* const* x), {
  for (int k = 0; k < 2; ++k) x[k][0] = x[k][1] = 7;
});
OP_KERNEL(maybe, (double** x, double* own), { *own = x ? 1 : 2; });
OP_KERNEL(one_row, (const double* x), { static_cast<void>(x); });

constexpr int triangles = 700, points = 300;

/// Triangles with random corners; all values are whole numbers.
struct VectorArgs : testing::TestWithParam<const char*> {
  std::vector<int> corner;
  std::vector<double> position, weight;
  op_set cells, nodes;
  op_map corners;
  op_dat x, w, sum;

  VectorArgs() {
    setenv("OP2_JIT", GetParam(), 1);
    op_init(0, nullptr, 0);
    std::mt19937 random(3);
    std::uniform_int_distribution<int> node(0, points - 1);
    for (int k = 0; k < 3 * triangles; ++k) corner.push_back(node(random));
    position.resize(2 * points);
    weight.resize(triangles);
    std::iota(position.begin(), position.end(), 1);
    std::iota(weight.begin(), weight.end(), 5);
    cells = op_decl_set(triangles, "cells");
    nodes = op_decl_set(points, "nodes");
    corners = op_decl_map(cells, nodes, 3, corner.data(), "corners");
    x = op_decl_dat(nodes, 2, position.data(), "x");
    w = op_decl_dat(cells, 1, weight.data(), "w");
    sum = op_decl_dat<double>(nodes, 2, nullptr, "sum");
  }
  ~VectorArgs() override {
    op_exit();
    unsetenv("OP2_JIT");
  }
  static std::vector<double> values(op_dat dat) {
    std::vector<double> all(static_cast<std::size_t>(dat->dim * dat->set->size));
    op_fetch_data(dat, all.data());
    return all;
  }
};

TEST_P(VectorArgs, GiveTheRowsOfAllColumns) {
  op_par_loop(gather, "gather", cells, op_arg_dat(x, -3, corners, OP_READ), op_arg_dat(w, OP_READ),
              op_arg_dat(sum, -3, corners, OP_INC));
  std::vector<double> expected(2 * points);
  for (std::size_t c = 0; c < triangles; ++c)
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t d = 0; d < 2; ++d) {
        const auto at = 2 * static_cast<std::size_t>(corner[3 * c + k]) + d;
        expected[at] += position[at] + weight[c];
      }
  EXPECT_EQ(values(sum), expected);
}

TEST_P(VectorArgs, MayTakeTheFirstColumnsOnly) {
  op_par_loop(fill, "fill", cells, op_arg_dat(sum, -2, corners, OP_WRITE));
  std::vector<double> expected(2 * points);
  for (std::size_t c = 0; c < triangles; ++c)
    for (std::size_t k = 0; k < 2; ++k)
      for (std::size_t d = 0; d < 2; ++d)
        expected[2 * static_cast<std::size_t>(corner[3 * c + k]) + d] = 7;
  EXPECT_EQ(values(sum), expected);
}

TEST_P(VectorArgs, AreNullWhenOff) {
  for (const int flag : {0, 1}) {
    op_par_loop(maybe, "maybe", cells,
                op_opt_arg_dat(flag, flag ? sum : nullptr, -3, corners, 2, "double", OP_INC),
                op_arg_dat(w, OP_WRITE));
    EXPECT_THAT(values(w), testing::Each(flag ? 1 : 2));
  }
}

TEST_P(VectorArgs, WithMoreColumnsThanTheMapAreRefused) {
  for (const int index : {-1, -4, 3})
    EXPECT_THAT(
        test::error_text(
            ErrorCode::bad_map_index,
            [&] { op_par_loop(fill, "fill", cells, op_arg_dat(sum, index, corners, OP_WRITE)); }),
        HasSubstr("n = 2 .. 3"));
}

TEST_P(VectorArgs, NeedAParameterThatIsAnArray) {
  const auto call = [&] {
    op_par_loop(one_row, "one_row", cells, op_arg_dat(x, -3, corners, OP_READ));
  };
  EXPECT_THAT(test::error_text(ErrorCode::kernel_signature, call),
              HasSubstr("is a pointer, but the argument has several rows"));
}

TEST_P(VectorArgs, AreToldHowTheirParameterIsWritten) {
  const auto call = [&] {
    op_par_loop(fill, "fill", cells, op_arg_dat(sum, -3, corners, OP_READ));
  };
  EXPECT_THAT(test::error_text(ErrorCode::kernel_signature, call),
              HasSubstr("write 'const double* const*'"));
}

TEST_P(VectorArgs, MustNotWriteOneColumnTwice) {
  const op_kernel twice = op_decl_kernel("twice", "void twice(double** a, double* b) {}");
  const auto call = [&](int column) {
    op_par_loop(twice, "twice", cells, op_arg_dat(sum, -2, corners, OP_WRITE),
                op_arg_dat(sum, column, corners, OP_WRITE));
  };
  EXPECT_THAT(test::error_text(ErrorCode::conflicting_args, [&] { call(1); }), HasSubstr("arg 1"));
}

INSTANTIATE_TEST_SUITE_P(By, VectorArgs, testing::Values("on", "off"), [](const auto& of) {
  return std::string(of.param) == "on" ? "CompiledCode" : "HostFunctions";
});

TEST(VectorArgsOfText, AreCheckedAgainstTheParameters) {
  op_init(0, nullptr, 0);
  const op_set cells = op_decl_set(2, "cells"), nodes = op_decl_set(2, "nodes");
  const std::vector<int> ends{0, 1, 1, 0};
  const op_map map = op_decl_map(cells, nodes, 2, ends.data(), "map");
  const op_dat x = op_decl_dat<double>(nodes, 1, nullptr, "x");
  const op_kernel kernel = op_decl_kernel("flat", "void flat(const double* x) {}");
  op_par_loop(kernel, "flat", cells, op_arg_dat(x, -2, map, OP_READ));
  EXPECT_THAT(test::error_text(ErrorCode::kernel_signature, [] { op_flush(); }),
              AllOf(HasSubstr("arg 0 (OP_READ, 2 rows of double x1)"),
                    HasSubstr("write 'const double **x'")));
  op_exit();
}

}  // namespace
}  // namespace op2
