// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>

#include <gmock/gmock.h>

#include <sched/policy/cost_book.hpp>
#include <sched/policy/cost_table.hpp>
#include <support/small_mesh.hpp>
#include <support/temporary_directory.hpp>

namespace op2::sched {
namespace {

using testing::HasSubstr;

const CostTable two{{"a1", {{1e-9, -1, 2.5e-9}}}, {"b2", {{-1, 0, -1}}}};

std::string problem_of(const std::string& text) {
  std::string problem;
  EXPECT_TRUE(table_from(text, problem).empty());
  return problem;
}

TEST(CostTable, ComesBackFromItsText) {
  std::string problem;
  const CostTable again = table_from(text_of(two), problem);
  EXPECT_EQ(problem, "");
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again.at("a1").seconds, two.at("a1").seconds);
  EXPECT_EQ(again.at("b2").seconds, two.at("b2").seconds);
}

TEST(CostTable, AnyChangeIsNoticed) {
  const std::string text = text_of(two);
  for (std::size_t k = 0; k < text.size(); ++k) {
    std::string damaged = text;
    damaged[k] = damaged[k] == '7' ? '8' : '7';
    EXPECT_NE(problem_of(damaged), "") << k;
  }
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_NE(problem_of(text.substr(0, length)), "") << length;
}

TEST(CostTable, AbsurdCostsAreRefusedThoughTheChecksumIsRight) {
  EXPECT_THAT(problem_of(text_of({{"a1", {{-2, 0, 0}}}})), HasSubstr("line 2 is not a loop"));
}

TEST(CostTable, IsReplacedAsAWhole) {
  const test::TemporaryDirectory folder;
  std::string problem;
  EXPECT_TRUE(read_costs(folder.path(), problem).empty());
  EXPECT_EQ(write_costs(folder.path(), two), "");
  EXPECT_EQ(write_costs(folder.path(), {{"c3", {{1, 1, 1}}}}), "");
  EXPECT_EQ(read_costs(folder.path(), problem).size(), 1u);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(CostTable, WhatCannotBeWrittenIsSaid) {
  EXPECT_THAT(write_costs("/nowhere", two), HasSubstr("/nowhere/costs.txt"));
}

TEST(CostTable, ADamagedFileIsNamed) {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "costs.txt") << "something else";
  std::string problem;
  EXPECT_TRUE(read_costs(folder.path(), problem).empty());
  EXPECT_THAT(problem, HasSubstr("costs.txt: its checksum is wrong"));
}

/// Loops with one kernel and other data cost the same; with another shape they do not.
TEST(CostBook, KnowsLoopsByKernelAndShape) {
  test::Ring ring;
  core::Queue queue;
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
  test::queue_loop(queue, ring.edges, op_arg_dat(&ring.q, 0, &ring.ends, OP_READ));
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
  const auto identity = [&](std::size_t k) {
    return identity_of(queue.records()[k], queue.args_of(queue.records()[k]));
  };
  EXPECT_EQ(identity(0), identity(2));
  EXPECT_NE(identity(0), identity(1));
}

TEST(CostBook, MeasuredCostsReplaceThoseOfEarlierSessions) {
  test::Ring ring;
  core::Queue queue;
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
  const core::LoopRecord& loop = queue.records()[0];
  CostBook book(CostTable{{identity_of(loop, queue.args_of(loop)), {{5e-9, 4e-9, -1}}}});
  EXPECT_EQ(book.costs_of(queue)[0].in(Way::alone), 5e-9);
  LoopTimes& times = book.times_of(loop, queue.args_of(loop));
  times.add(Way::alone, 10, 1);  // too few iterations to count
  EXPECT_EQ(book.costs_of(queue)[0].in(Way::alone), 5e-9);
  times = {};
  times.add(Way::alone, 1000, 2e-6);
  EXPECT_DOUBLE_EQ(book.costs_of(queue)[0].in(Way::alone), 2e-9);
  EXPECT_EQ(book.costs_of(queue)[0].in(Way::tiled), 4e-9);
  EXPECT_EQ(book.table().begin()->second.in(Way::tiled), 4e-9);
}

}  // namespace
}  // namespace op2::sched
