// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/parts.hpp>

#include <sched/analysis/order.hpp>

#include <map>
#include <random>

#include <gmock/gmock.h>

namespace op2::sched {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A map on `size` elements, with its storage.
struct TestMap {
  std::vector<std::int32_t> table;  ///< shape [size x arity]
  int arity;
  std::int64_t target_size;
  RowAccess column(int k) const { return {table.data() + k, arity, target_size}; }
};

/// Edge e joins cells e and e + 1, around a ring.
TestMap ring(int size) {
  TestMap map{{}, 2, size};
  for (int e = 0; e < size; ++e) map.table.insert(map.table.end(), {e, (e + 1) % size});
  return map;
}

std::vector<RowAccess> all_columns(const TestMap& map) {
  std::vector<RowAccess> accesses;
  for (int k = 0; k < map.arity; ++k) accesses.push_back(map.column(k));
  return accesses;
}

TEST(ThreadPlan, ALoopWithoutConflictsIsCutEvenly) {
  const ThreadPlan plan = plan_threads({0, 10}, 3, {});
  ASSERT_EQ(plan.stages.size(), 1u);
  EXPECT_THAT(plan.stages[0],
              ElementsAre(IndexRanges{{0, 3}}, IndexRanges{{3, 6}}, IndexRanges{{6, 10}}));
}

TEST(ThreadPlan, IterationsOnTheBorderOfTwoBlocksWaitForTheSecondStage) {
  const TestMap map = ring(8);
  const ThreadPlan plan = plan_threads({0, 8}, 2, all_columns(map));
  ASSERT_EQ(plan.stages.size(), 2u);
  EXPECT_THAT(plan.stages[0], ElementsAre(IndexRanges{{0, 3}}, IndexRanges{{4, 7}}));
  EXPECT_THAT(plan.stages[1], ElementsAre(IndexRanges{{3, 4}, {7, 8}}, IsEmpty()));
}

TEST(ThreadPlan, OnOneThreadStageFollowsStageAndThreadFollowsThread) {
  const TestMap map = ring(8);
  const ThreadPlan plan = on_one_thread(plan_threads({0, 8}, 2, all_columns(map)));
  ASSERT_EQ(plan.stages.size(), 1u);
  EXPECT_THAT(plan.stages[0], ElementsAre(IndexRanges{{0, 3}, {4, 7}, {3, 4}, {7, 8}}));
  EXPECT_THAT(on_one_thread({}).stages, IsEmpty());
}

TEST(ThreadPlan, NeighbouringBlocksNeedTwoRoundsForAnyNumberOfThreads) {
  const TestMap map = ring(64);
  EXPECT_EQ(plan_threads({0, 64}, 8, all_columns(map)).stages.size(), 3u);
}

TEST(ThreadPlan, AnIterationOnThreeBlocksRunsLastOnOneThread) {
  const TestMap map{{0, 1, 2}, 3, 3};
  const ThreadPlan plan = plan_threads({0, 1}, 3, all_columns(map));
  ASSERT_EQ(plan.stages.size(), 1u);
  EXPECT_THAT(plan.stages[0], ElementsAre(IndexRanges{{0, 1}}, IsEmpty(), IsEmpty()));
}

TEST(ThreadPlan, OneThreadRunsTheSetInOneRange) {
  const TestMap map = ring(8);
  const ThreadPlan plan = plan_threads({0, 8}, 1, all_columns(map));
  ASSERT_EQ(plan.stages.size(), 1u);
  EXPECT_THAT(plan.stages[0], ElementsAre(IndexRanges{{0, 8}}));
}

TEST(ThreadPlan, AnOrderedLoopStaysOnOneThread) {
  EXPECT_THAT(plan_in_order({0, 5}, 2).stages,
              ElementsAre(ElementsAre(IndexRanges{{0, 5}}, IsEmpty())));
}

TEST(ThreadPlan, AnEmptySetHasNoStages) {
  EXPECT_THAT(plan_threads({0, 0}, 4, {}).stages, IsEmpty());
  EXPECT_THAT(plan_in_order({0, 0}, 4).stages, IsEmpty());
}

TEST(ThreadPlan, TargetsRepeatIfTwoIterationsShareARow) {
  const TestMap shared = ring(4);
  EXPECT_TRUE(has_repeated_targets(4, all_columns(shared)));
  EXPECT_FALSE(has_repeated_targets(4, std::vector{shared.column(0)}));
  EXPECT_TRUE(has_repeated_targets(4, std::vector{shared.column(1), RowAccess{nullptr, 0, 4}}));
  const TestMap twice{{2, 2, 0, 0}, 2, 3};
  EXPECT_FALSE(has_repeated_targets(2, all_columns(twice)));
}

TEST(ThreadPlan, StatisticsCountTheStagesThatWait) {
  const TestMap map = ring(8);
  const ThreadPlanStatistics statistics = statistics_of(plan_threads({0, 8}, 2, all_columns(map)));
  EXPECT_DOUBLE_EQ(statistics.first_stage, 0.75);
  EXPECT_DOUBLE_EQ(statistics.imbalance, 5.0 / 4.0);
  EXPECT_DOUBLE_EQ(statistics_of({}).imbalance, 1.0);
}

/// A loop with random maps to random sets, of which it modifies everything.
struct RandomLoop {
  std::int64_t size;
  std::vector<TestMap> maps;
  bool direct;  ///< it also accesses its own set directly, through target 0

  std::vector<RowAccess> accesses() const {
    std::vector<RowAccess> all;
    if (direct) all.push_back({nullptr, 0, size});
    for (const TestMap& map : maps)
      for (const RowAccess& access : all_columns(map)) all.push_back(access);
    return all;
  }
};

RandomLoop random_loop(std::mt19937& random) {
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % (high - low + 1));
  };
  RandomLoop loop{pick(0, 60), {}, pick(0, 2) == 0};
  const int maps = pick(1, 3);
  for (int m = 0; m < maps; ++m) {
    TestMap map{{}, pick(1, 4), pick(0, 3) == 0 && loop.size > 0 ? loop.size : pick(1, 70)};
    const int spread = pick(0, 1) == 0 ? 2 : static_cast<int>(map.target_size);
    for (std::int64_t e = 0; e < loop.size; ++e)
      for (int k = 0; k < map.arity; ++k)
        map.table.push_back((e * map.target_size / loop.size + pick(0, spread)) % map.target_size);
    loop.maps.push_back(map);
  }
  return loop;
}

/// Rows that a thread accesses, as (touch's set by size, row): sets of equal size are one set.
using Row = std::pair<std::int64_t, std::int64_t>;

bool is_ascending(const IndexRanges& runs) {
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (runs[k].begin >= runs[k].end) return false;
    if (k > 0 && runs[k - 1].end >= runs[k].begin) return false;
  }
  return true;
}

/// Whether two threads touch the same row in this stage; counts executions of each element.
bool has_race(const std::vector<IndexRanges>& stage, std::span<const RowAccess> accesses,
              std::vector<int>& executions) {
  std::map<Row, std::size_t> owner;
  bool race = false;
  for (std::size_t thread = 0; thread < stage.size(); ++thread)
    for (const IndexRange& range : stage[thread])
      for (std::int64_t e = range.begin; e < range.end; ++e) {
        ++executions[e];
        for (const RowAccess& access : accesses) {
          const Row row{access.rows, access.index ? access.index[e * access.stride] : e};
          race = race || owner.try_emplace(row, thread).first->second != thread;
        }
      }
  return race;
}

TEST(ThreadPlan, RandomLoopsRunEveryIterationOnceAndWithoutRaces) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    std::mt19937 random(seed);
    const RandomLoop loop = random_loop(random);
    const std::vector<RowAccess> accesses = loop.accesses();
    const int threads = 1 + static_cast<int>(seed % 9);
    const ThreadPlan plan = plan_threads({0, loop.size}, threads, accesses);
    std::vector<int> executions(loop.size, 0);
    for (const auto& stage : plan.stages) {
      ASSERT_EQ(stage.size(), static_cast<std::size_t>(threads)) << "seed " << seed;
      ASSERT_FALSE(has_race(stage, accesses, executions)) << "seed " << seed;
      for (const IndexRanges& runs : stage) ASSERT_TRUE(is_ascending(runs)) << "seed " << seed;
    }
    ASSERT_THAT(executions, testing::Each(1)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace op2::sched
