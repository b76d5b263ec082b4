// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include <core/hash.hpp>
#include <sched/policy/cost_history.hpp>
#include <support/small_mesh.hpp>
#include <support/temporary_directory.hpp>

namespace op2::sched {
namespace {

using testing::HasSubstr;

Network slow_network() {
  Network network;
  network.on_node = {5e-5, 2e-6, 1e-10};
  network.pack_row = 1e-9;
  network.unpack_byte = 2e-10;
  return network;
}
const CostTable two{{{"a1", {{1e-9, -1, 2.5e-9}}}, {"b2", {{-1, 0, -1}}}},
                    {{{16, 8}, slow_network()}}};

CostTable with_loop(const std::string& identity, const LoopCost& cost) {
  return {{{identity, cost}}, {}};
}

std::string problem_of(const std::string& text) {
  std::string problem;
  EXPECT_TRUE(table_from(text, problem).empty());
  return problem;
}

TEST(CostTable, ComesBackFromItsText) {
  std::string problem;
  const CostTable again = table_from(text_of(two), problem);
  EXPECT_EQ(problem, "");
  ASSERT_EQ(again.loops.size(), 2u);
  EXPECT_EQ(again.loops.at("a1").seconds, two.loops.at("a1").seconds);
  EXPECT_EQ(again.loops.at("b2").seconds, two.loops.at("b2").seconds);
  ASSERT_EQ(again.networks.size(), 1u);
  EXPECT_EQ(again.networks.at({16, 8}), slow_network());
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
  const auto problem_with = [](const std::string& line) {
    const std::string text = "op2 costs 3\n" + line + "\n";
    return problem_of(text + "checksum " + core::to_hex(core::Hasher().field(text).finish()) +
                      "\n");
  };
  EXPECT_THAT(problem_with("loop a1 -2 0 0"), HasSubstr("line 2 has no costs"));
  EXPECT_THAT(problem_with("loop a1 1e9 0 0"), HasSubstr("line 2 has no costs"));
  EXPECT_THAT(problem_with("network 16 8 0 -1 0 0 0"), HasSubstr("line 2 has no costs"));
  EXPECT_THAT(problem_with("network 16 8 0 1e+09 0 0 0"), HasSubstr("network 16 8 0 1e+09"));
}

/// One of them would spoil the whole table.
TEST(CostTable, AbsurdCostsAreNotWritten) {
  CostTable table = two;
  table.loops["a2"] = {{1e9, 0, 0}};
  table.networks[{4, 4}].on_node.latency = 1e9;
  EXPECT_EQ(text_of(table), text_of(two));
}

TEST(CostTable, KeepsTheNetworkOfThisJobRatherThanThatOfTheSmallest) {
  CostTable table;
  const Network network = two.networks.begin()->second;
  for (std::size_t k = 0; k < most_networks; ++k)
    keep({static_cast<int>(2 + k), 1}, network, table);
  keep({4096, 64}, network, table);
  keep({4096, 64}, network, table);
  EXPECT_EQ(table.networks.size(), most_networks);
  EXPECT_FALSE(table.networks.contains({2, 1}));
  EXPECT_THAT(text_of(table), HasSubstr("network 4096 64"));
}

TEST(CostTable, IsReplacedAsAWhole) {
  const test::TemporaryDirectory folder;
  std::string problem;
  EXPECT_TRUE(read_costs(folder.path(), problem).empty());
  EXPECT_EQ(write_costs(folder.path(), two), "");
  EXPECT_EQ(write_costs(folder.path(), with_loop("c3", {{1, 1, 1}})), "");
  EXPECT_EQ(read_costs(folder.path(), problem).loops.size(), 1u);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(CostTable, IsNotReadFromADirectoryThatOthersMayWrite) {
  const test::TemporaryDirectory folder;
  std::string problem;
  EXPECT_EQ(write_costs(folder.path(), two), "");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  EXPECT_TRUE(read_costs(folder.path(), problem).empty());
  EXPECT_THAT(problem, HasSubstr("others may write to it"));
  EXPECT_THAT(write_costs(folder.path(), two), HasSubstr("others may write to it"));
}

TEST(CostTable, IsNotReadThroughALink) {
  const test::TemporaryDirectory folder, other;
  EXPECT_EQ(write_costs(other.path(), two), "");
  std::filesystem::create_symlink(other / "costs.txt", folder / "costs.txt");
  std::string problem;
  EXPECT_TRUE(read_costs(folder.path(), problem).empty());
  EXPECT_THAT(problem, HasSubstr("costs.txt: it cannot be read"));
}

TEST(CostTable, WhatCannotBeWrittenIsSaid) {
  EXPECT_THAT(write_costs("/nowhere", two), HasSubstr("/nowhere/costs.txt"));
}

TEST(CostTable, ADamagedFileIsNamed) {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "costs.txt") << std::string(200, 'x');
  std::string problem;
  EXPECT_TRUE(read_costs(folder.path(), problem).empty());
  EXPECT_THAT(problem, HasSubstr("costs.txt: its checksum is wrong"));
}

/// Loops with one kernel and other data cost the same; with another shape they do not.
TEST(CostHistory, KnowsLoopsByKernelAndShape) {
  test::Ring ring;
  core::Queue queue;
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
  test::queue_loop(queue, ring.edges, op_arg_dat(&ring.q, 0, &ring.ends, OP_READ));
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
  const auto identity = [&](std::size_t k, const CostContext& context = {}) {
    return identity_of(queue.records()[k], queue.args_of(queue.records()[k]), context);
  };
  EXPECT_EQ(identity(0), identity(2));
  EXPECT_NE(identity(0), identity(1));
  EXPECT_NE(identity(0), identity(0, {2, false}));
  EXPECT_NE(identity(0), identity(0, {1, true}));
}

/// What fits into caches costs less.
TEST(CostHistory, KnowsLoopsByTheirSize) {
  const auto identity = [](int cells) {
    test::Ring ring(cells);
    core::Queue queue;
    test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
    return identity_of(queue.records()[0], queue.args_of(queue.records()[0]), {});
  };
  EXPECT_EQ(identity(300), identity(400));
  EXPECT_NE(identity(300), identity(4 * 300));
}

TEST(CostHistory, CostsOfTheMostSimilarSizeAreABeginning) {
  const auto put = [](int cells, double seconds, std::map<std::string, LoopCost>& known) {
    test::Ring ring(cells);
    core::Queue queue;
    test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
    CostHistory history({});
    history.take_known(known);
    const double found = history.costs_of(queue, CostHistory::Sessions::earlier)[0].in(Way::alone);
    LoopTimes& times = history.times_of(queue.records()[0], queue.args_of(queue.records()[0]));
    times.add(Way::alone, cells, cells * seconds);
    known = history.all(most_loops);
    return found;
  };
  std::map<std::string, LoopCost> known;
  put(100, 1e-9, known);
  EXPECT_DOUBLE_EQ(put(20000, 5e-9, known), 1e-9);
  EXPECT_DOUBLE_EQ(put(100, 1e-9, known), 1e-9);
  EXPECT_DOUBLE_EQ(put(4000, 3e-9, known), 5e-9);
  EXPECT_EQ(known.size(), 3u);
}

/// Whether tiles gain depends on the size.
TEST(CostHistory, CostsOfAnotherSizeAreNotMixedWithMeasuredOnes) {
  test::Ring small(100), large(20000);
  core::Queue queue, larger;
  test::queue_loop(queue, small.cells, op_arg_dat(&small.q, OP_RW));
  test::queue_loop(larger, large.cells, op_arg_dat(&large.q, OP_RW));
  const core::LoopRecord &loop = queue.records()[0], &other = larger.records()[0];
  CostHistory history({});
  history.take_known(
      with_loop(identity_of(loop, queue.args_of(loop), {}), {{5e-9, 4e-9, -1}}).loops);
  LoopTimes& times = history.times_of(other, larger.args_of(other));  // which is none yet
  EXPECT_DOUBLE_EQ(history.costs_of(larger, CostHistory::Sessions::all)[0].in(Way::tiled), 4e-9);
  times.add(Way::alone, 20000, 20000 * 7e-9);
  const LoopCost cost = history.costs_of(larger, CostHistory::Sessions::all)[0];
  EXPECT_DOUBLE_EQ(cost.in(Way::alone), 7e-9);
  EXPECT_FALSE(cost.is_known(Way::tiled));
}

TEST(CostHistory, MeasuredCostsReplaceThoseOfEarlierSessions) {
  test::Ring ring;
  core::Queue queue;
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
  const core::LoopRecord& loop = queue.records()[0];
  CostHistory history({});
  history.take_known(
      with_loop(identity_of(loop, queue.args_of(loop), {}), {{5e-9, 4e-9, -1}}).loops);
  EXPECT_EQ(history.costs_of(queue, CostHistory::Sessions::all)[0].in(Way::alone), 5e-9);
  LoopTimes& times = history.times_of(loop, queue.args_of(loop));
  times.add(Way::alone, 10, 1);  // too few iterations to count
  EXPECT_EQ(history.costs_of(queue, CostHistory::Sessions::all)[0].in(Way::alone), 5e-9);
  times.add(Way::alone, 1000, 9e-6);  // enough, but in the first flush
  EXPECT_EQ(history.costs_of(queue, CostHistory::Sessions::all)[0].in(Way::alone), 5e-9);
  EXPECT_FALSE(history.costs_of(queue, CostHistory::Sessions::all)[0].is_measured[0]);
  history.begin_flush();
  times.add(Way::alone, 1000, 2e-6);
  EXPECT_DOUBLE_EQ(history.costs_of(queue, CostHistory::Sessions::all)[0].in(Way::alone), 2e-9);
  EXPECT_EQ(history.costs_of(queue, CostHistory::Sessions::all)[0].in(Way::tiled), 4e-9);
  EXPECT_EQ(history.costs_of(queue, CostHistory::Sessions::earlier)[0].in(Way::alone), 5e-9);
  EXPECT_EQ(history.all(most_loops).begin()->second.in(Way::tiled), 4e-9);
}

/// A rank without elements must not outvote what others have measured.
TEST(CostHistory, KnowsNothingOfLoopsThatHaveNoElementsHere) {
  test::Ring ring(100), none(100);
  none.cells.size = 0;
  core::Queue queue, empty;
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
  test::queue_loop(empty, none.cells, op_arg_dat(&none.q, OP_RW));
  const core::LoopRecord& loop = queue.records()[0];
  CostHistory history({});
  history.take_known(
      with_loop(identity_of(loop, queue.args_of(loop), {}), {{5e-9, 4e-9, -1}}).loops);
  EXPECT_TRUE(history.costs_of(empty, CostHistory::Sessions::earlier)[0].is_known());
  EXPECT_FALSE(history.costs_of(empty, CostHistory::Sessions::all)[0].is_known());
}

/// A queued loop, and what it takes.
struct TimedLoop {
  TimedLoop() { test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW)); }

  LoopTimes& times() {
    return history.times_of(queue.records()[0], queue.args_of(queue.records()[0]));
  }
  double cost(Way way) const {
    return history.costs_of(queue, CostHistory::Sessions::all)[0].in(way);
  }

  test::Ring ring;
  core::Queue queue;
  CostHistory history{{}};
};

TEST(CostHistory, KeepsLoopsOfThisSessionFirst) {
  TimedLoop loop;
  loop.history.take_known({{" before all others", {{1, -1, -1}}}, {"~ after", {{2, -1, -1}}}});
  loop.times().add(Way::alone, 1000, 3e-6);
  EXPECT_EQ(loop.history.all(3).size(), 3u);
  const auto kept = loop.history.all(1);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_DOUBLE_EQ(kept.begin()->second.in(Way::alone), 3e-9);
}

/// Loops over the few elements of a boundary have a cost, too, that is not one of many elements.
TEST(CostHistory, AFewIterationsCountAsMore) {
  TimedLoop loop;
  loop.times().add(Way::alone, 10, 64e-6);
  EXPECT_DOUBLE_EQ(loop.cost(Way::alone), 1e-6);
}

/// The first colour counts the iterations of all.
TEST(CostHistory, TimesOfLaterColoursCount) {
  TimedLoop loop;
  LoopTimes& times = loop.times();
  times.add(Way::alone, 0, 100);  // no rows here so far
  for (const int iterations : {1000, 0, 0}) times.add(Way::alone, iterations, 5);
  EXPECT_DOUBLE_EQ(loop.cost(Way::alone), 0.015);
  loop.history.begin_flush();
  for (const int iterations : {1000, 0, 0}) times.add(Way::alone, iterations, 1);
  EXPECT_DOUBLE_EQ(loop.cost(Way::alone), 0.003);
  EXPECT_TRUE(loop.history.costs_of(loop.queue, CostHistory::Sessions::all)[0].is_measured[0]);
}

/// Then caches are cold and pages missing.
TEST(CostHistory, TheFirstFlushOfEachWayCountsOnlyIfItIsTheOnlyOne) {
  TimedLoop loop;
  LoopTimes& times = loop.times();
  for (int call = 0; call < 2; ++call) times.add(Way::alone, 100, 100);
  EXPECT_EQ(loop.cost(Way::alone), 1);
  loop.history.begin_flush();
  times.add(Way::alone, 100, 25);
  times.add(Way::tiled, 100, 50);
  EXPECT_EQ(loop.cost(Way::alone), 0.25);
  EXPECT_EQ(loop.cost(Way::tiled), 0.5);
}

}  // namespace
}  // namespace op2::sched
