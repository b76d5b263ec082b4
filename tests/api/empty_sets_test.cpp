// SPDX-License-Identifier: BSD-3-Clause
// Loops over sets without elements, here or on some ranks, in chains that run in tiles: what they
// reduce keeps its value, whatever the operation and the type. On any number of ranks, and on a
// device (TEST_TARGET=cuda, which has no tiles).
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <op2/op2.hpp>

namespace op2 {
namespace {

/// Lazy globals of one type: what they have before, and after an element has run.
template <class T>
struct Reduced {
  T least, greatest, sum;
  bool operator==(const Reduced&) const = default;
};

#define OP2_TEST_REDUCTIONS(T)                                         \
  OP_KERNEL(reduce_##T, (double* to, T* least, T* greatest, T* sum), { \
    *to += 1;                                                          \
    if (*least > (T)1) *least = (T)1;                                  \
    if (*greatest < (T)8) *greatest = (T)8;                            \
    *sum += (T)1;                                                      \
  });                                                                  \
  op_kernel kernel_of(T) {                                             \
    return reduce_##T;                                                 \
  }

OP2_TEST_REDUCTIONS(double)
OP2_TEST_REDUCTIONS(float)
OP2_TEST_REDUCTIONS(int)
OP2_TEST_REDUCTIONS(unsigned)
OP2_TEST_REDUCTIONS(long)
OP2_TEST_REDUCTIONS(bool)
OP_KERNEL(spread, (double* to), { *to += 1; });
OP_KERNEL(find_greatest, (const double* from, const int* index, double* greatest, int* where), {
  if (*from > *greatest) {
    *greatest = *from;
    *where = *index;
  }
});

/// OP2_REPRODUCIBLE, threads.
class EmptySets : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  static constexpr int size = 64, repeats = 3;

  EmptySets() {
    const char* target = std::getenv("TEST_TARGET");
    for (const auto& [name, value] : settings(target == nullptr ? "cpu" : target))
      setenv(name, value, 1);
    op_init(0, nullptr, 0);
    const int ranks = op_ranks(), first = size * op_rank() / ranks;
    const int mine = size * (op_rank() + 1) / ranks - first;
    std::vector<int> next;
    for (int k = first; k < first + mine; ++k) next.push_back((k + 1) % size);
    cells = op_decl_set(mine, "cells");
    few = op_decl_set(op_rank() == 0 ? 2 : 0, "few");
    none = op_decl_set(0, "none");
    after = op_decl_map(cells, cells, 1, next.data(), "after");
    const int ends[] = {0, 1};
    few_cells = op_decl_map(few, cells, 1, ends, "few_cells");
    none_cells = op_decl_map(none, cells, 1, ends, "none_cells");
    a = op_decl_dat<double>(cells, 1, nullptr, "a");
    b = op_decl_dat<double>(cells, 1, nullptr, "b");
  }
  ~EmptySets() override {
    op_exit();
    for (const auto& [name, value] : settings("")) unsetenv(name);
  }

  static std::vector<std::pair<const char*, const char*>> settings(const char* target) {
    return {{"OP2_TARGET", target},
            {"OP2_REPRODUCIBLE", std::get<0>(GetParam())},
            {"OP2_THREADS", std::get<1>(GetParam())},
            {"OP2_CHAIN", "on"},
            {"OP2_LOG", "error"},
            {"OP2_TILE", "16"},
            {"OP2_DEBUG", "no_fuse"}};
  }

  /// The values after loops over a set in the middle of chains in tiles.
  template <class T>
  Reduced<T> reduced_over(op_set set, op_map map, Reduced<T> before) {
    const op_global least = op_decl_global(1, &before.least, "least");
    const op_global greatest = op_decl_global(1, &before.greatest, "greatest");
    const op_global sum = op_decl_global(1, &before.sum, "sum");
    for (int k = 0; k < repeats; ++k) {
      op_par_loop(spread, "first", cells, op_arg_dat(a, 0, after, OP_INC));
      op_par_loop(kernel_of(T{}), "reduce", set, op_arg_dat(b, 0, map, OP_INC),
                  op_arg_gbl(least, OP_MIN), op_arg_gbl(greatest, OP_MAX), op_arg_gbl(sum, OP_INC));
      op_par_loop(spread, "last", cells, op_arg_dat(b, 0, after, OP_INC));
      op_flush();
    }
    Reduced<T> found{};
    op_fetch_global(least, &found.least);
    op_fetch_global(greatest, &found.greatest);
    op_fetch_global(sum, &found.sum);
    return found;
  }

  template <class T>
  void expect_reductions(const char* type, const Reduced<T>& before, const Reduced<T>& after_few) {
    EXPECT_TRUE(reduced_over<T>(none, none_cells, before) == before) << type;
    EXPECT_TRUE(reduced_over<T>(few, few_cells, before) == after_few) << type;
  }

  op_set cells, few, none;
  op_map after, few_cells, none_cells;
  op_dat a, b;
};

constexpr int of_few = 6;  // elements that run: two, three times

TEST_P(EmptySets, LeaveLazyReductionsOfAllTypesAsTheyAre) {
  expect_reductions<double>("double", {9, -280.25, 0.5}, {1, 8, 0.5 + of_few});
  expect_reductions<float>("float", {9, -280.25F, 0.5F}, {1, 8, 0.5F + of_few});
  expect_reductions<int>("int", {9, -7, -3}, {1, 8, -3 + of_few});
  expect_reductions<unsigned>("unsigned", {9, 3, 5}, {1, 8, 5 + of_few});
  expect_reductions<long>("long", {1L << 40, -(1L << 40), 5}, {1, 8, 5 + of_few});
  expect_reductions<bool>("bool", {true, false, false}, {true, true, true});
  if (std::getenv("TEST_TARGET") == nullptr) {
    EXPECT_GT(op_get_tiled_iterations("first"), 0);
  }
}

TEST_P(EmptySets, LeaveVariablesAndPayloadsAsTheyAre) {
  for (const bool some : {false, true}) {
    double greatest = -280.25;
    int where = -9;
    for (int k = 0; k < repeats; ++k) {
      op_par_loop(spread, "first", cells, op_arg_dat(a, 0, after, OP_INC));
      op_par_loop(spread, "second", cells, op_arg_dat(b, 0, after, OP_INC));
      op_par_loop(find_greatest, "find", some ? few : none,
                  op_arg_dat(a, 0, some ? few_cells : none_cells, OP_READ), op_arg_idx(-1, OP_ID),
                  op_arg_gbl(&greatest, 1, "double", OP_MAX), op_arg_info(&where, 1, "int", 2));
    }
    EXPECT_EQ(greatest, some ? 2 * repeats : -280.25);
    EXPECT_EQ(where, some ? 0 : -9);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, EmptySets,
                         testing::Combine(testing::Values("off", "on"), testing::Values("1", "2")),
                         [](const auto& of) {
                           return std::string("reproducible_") + std::get<0>(of.param) +
                                  "_threads_" + std::get<1>(of.param);
                         });

}  // namespace
}  // namespace op2
