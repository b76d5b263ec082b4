// SPDX-License-Identifier: BSD-3-Clause
// Loops whose elements read what others modify, on one rank: where elements are renumbered, all
// threads run them, in one order for each number of threads; else the order is the declared one.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/stderr_capture.hpp>
#include <support/variable.hpp>

namespace op2 {
namespace {

using test::Variable;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Whole numbers whose final values show in which order elements met.
OP_KERNEL(relax, (const int* edge, long* left, long* right), {
  *left = (3 * *left + *right + *edge) % 10007;
  *right = (5 * *right + *left) % 10007;
});

enum class Numbers { good, random };

/// Edges of a ring of cells.
std::vector<int> ring(int size, Numbers numbers) {
  std::vector<int> cell(static_cast<std::size_t>(size)), ends;
  std::iota(cell.begin(), cell.end(), 0);
  if (numbers == Numbers::random) std::shuffle(cell.begin(), cell.end(), std::mt19937(5));
  std::vector<std::size_t> edge(cell.size());
  std::iota(edge.begin(), edge.end(), std::size_t{0});
  if (numbers == Numbers::random) std::shuffle(edge.begin(), edge.end(), std::mt19937(6));
  for (const std::size_t e : edge) ends.insert(ends.end(), {cell[e], cell[(e + 1) % cell.size()]});
  return ends;
}

std::vector<long> relaxed(int size, Numbers numbers) {
  op_init(0, nullptr, 1);
  const op_set cells = op_decl_set(size, "cells"), edges = op_decl_set(size, "edges");
  const op_map map = op_decl_map(edges, cells, 2, ring(size, numbers).data(), "ends");
  std::vector<long> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 1);
  const op_dat dat = op_decl_dat(cells, 1, values.data(), "values");
  for (int k = 0; k < 3; ++k)
    op_par_loop(relax, "relax", edges, op_arg_idx(-1, OP_ID), op_arg_dat(dat, 0, map, OP_RW),
                op_arg_dat(dat, 1, map, OP_RW));
  op_fetch_data(dat, values.data());
  op_exit();
  return values;
}

std::vector<long> in_declared_order(int size, Numbers numbers) {
  std::vector<long> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 1);
  const std::vector<int> ends = ring(size, numbers);
  for (int k = 0; k < 3; ++k)
    for (int e = 0; e < size; ++e) {
      long &left = values[static_cast<std::size_t>(ends[static_cast<std::size_t>(2 * e)])],
           &right = values[static_cast<std::size_t>(ends[static_cast<std::size_t>(2 * e + 1)])];
      left = (3 * left + right + e) % 10007;
      right = (5 * right + left) % 10007;
    }
  return values;
}

constexpr int many = 5000, few = 256;

/// The order does not depend on whether the code is compiled, nor on chance.
TEST(OrderByRows, IsOneForEachNumberOfThreads) {
  const Variable log("OP2_LOG", "error");
  std::vector<std::vector<long>> of_threads;
  for (const char* threads : {"1", "2", "3"}) {
    const Variable number("OP2_THREADS", threads);
    of_threads.push_back(relaxed(many, Numbers::random));
    for (int repeat = 0; repeat < 3; ++repeat)
      EXPECT_EQ(relaxed(many, Numbers::random), of_threads.back()) << threads;
    const Variable host("OP2_JIT", "off");
    EXPECT_EQ(relaxed(many, Numbers::random), of_threads.back()) << threads;
    EXPECT_NE(of_threads.back(), in_declared_order(many, Numbers::random));
  }
  EXPECT_NE(of_threads[1], of_threads[2]) << "one thread has run all";
}

TEST(OrderByRows, IsTheDeclaredOneWhereElementsAreNotRenumbered) {
  const Variable log("OP2_LOG", "error");
  const std::vector<long> expected = in_declared_order(many, Numbers::good);
  for (const char* threads : {"1", "2", "3"}) {
    const Variable number("OP2_THREADS", threads);
    EXPECT_EQ(relaxed(many, Numbers::good), expected) << threads;
  }
}

TEST(OrderByRows, IsTheDeclaredOneOnRequestAndForFewElements) {
  const Variable log("OP2_LOG", "error"), threads("OP2_THREADS", "2");
  EXPECT_EQ(relaxed(few, Numbers::random), in_declared_order(few, Numbers::random));
  const std::vector<long> expected = in_declared_order(many, Numbers::random);
  {
    const Variable reference("OP2_TARGET", "reference");
    EXPECT_EQ(relaxed(many, Numbers::random), expected);
  }
  const Variable renumber("OP2_RENUMBER", "off");
  EXPECT_EQ(relaxed(many, Numbers::random), expected);
}

TEST(OrderByRows, ComesWithAWarningThatSaysWhatToDo) {
  const Variable threads("OP2_THREADS", "2");
  test::StderrCapture said;
  relaxed(many, Numbers::random);
  EXPECT_THAT(said.news(),
              AllOf(HasSubstr("loop 'relax' (" __FILE__ ":"),
                    HasSubstr("the result depends on their order, which follows from the number of "
                              "threads; arg 1 (OP_RW): kernel 'relax'"),
                    HasSubstr("declare OP_INC if all they do is add, OP_MIN or OP_MAX"),
                    HasSubstr("OP2_RENUMBER=off keeps the declared order, on one thread")));
  const Variable renumber("OP2_RENUMBER", "off");
  relaxed(many, Numbers::good);
  EXPECT_THAT(said.news(), AllOf(HasSubstr("loop 'relax' (" __FILE__ ":"),
                                 HasSubstr("runs on one thread"), Not(HasSubstr("RENUMBER"))));
}

}  // namespace
}  // namespace op2
