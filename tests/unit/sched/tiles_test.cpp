// SPDX-License-Identifier: BSD-3-Clause
// Tiles execute every iteration once, never before what it depends on, and no two threads touch a
// row at the same time. Whether there are tiles is decided by a model.

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sched/executor/cpu/tiles.hpp>

namespace op2::sched {
namespace {

using Random = std::mt19937_64;

int pick(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

struct TestMap {
  int from, to, arity;
  std::vector<std::int32_t> entries;
};

/// Sets of any size, maps with repeated targets and self maps, loops of any reach; some rows lie
/// beyond what a loop executes.
struct RandomProblem {
  std::vector<TestMap> maps;
  TileProblem problem;

  explicit RandomProblem(Random& random) {
    for (int s = pick(random, 1, 4); s > 0; --s) problem.sizes.push_back(pick(random, 1, 60));
    for (int m = pick(random, 1, 5); m > 0; --m) maps.push_back(random_map(random));
    for (int n = pick(random, 2, 9); n > 0; --n) problem.loops.push_back(random_loop(random));
    for (const TestMap& map : maps)
      if (pick(random, 0, 3) > 0)
        problem.links.push_back(
            {map.from, map.to, map.entries.data(), map.arity, problem.sizes[at(map.from)]});
    problem.home = pick(random, 0, sets() - 1);
    problem.home_rows = pick(random, 1, static_cast<int>(problem.sizes[at(problem.home)]));
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  int sets() const { return static_cast<int>(problem.sizes.size()); }

  TestMap random_map(Random& random) {
    TestMap map{pick(random, 0, sets() - 1), pick(random, 0, sets() - 1), pick(random, 1, 4), {}};
    const int from = static_cast<int>(problem.sizes[at(map.from)]),
              to = static_cast<int>(problem.sizes[at(map.to)]);
    const bool near = pick(random, 0, 1) == 0;
    for (int k = 0; k < from * map.arity; ++k)
      map.entries.push_back(near ? (k / map.arity * to / from + pick(random, 0, 2)) % to
                                 : pick(random, 0, to - 1));
    return map;
  }

  TileLoop random_loop(Random& random) {
    const int set = pick(random, 0, sets() - 1);
    const int size = static_cast<int>(problem.sizes[at(set)]);
    const int begin = pick(random, 0, 3) == 0 ? pick(random, 0, size) : 0;
    TileLoop loop{set, {begin, pick(random, begin, size)}, pick(random, 0, size), {}};
    if (pick(random, 0, 1) == 0) loop.accesses.push_back({nullptr, 0, size, set});
    for (const TestMap& map : maps)
      for (int column = 0; column < map.arity; ++column)
        if (map.from == set && pick(random, 0, 1) == 0)
          loop.accesses.push_back(
              {map.entries.data() + column, map.arity, problem.sizes[at(map.to)], map.to});
    return loop;
  }
};

/// When an iteration is executed.
struct Moment {
  std::size_t stage, thread, step;
  bool before(const Moment& other) const {
    return stage < other.stage ||
           (stage == other.stage && thread == other.thread && step < other.step);
  }
};

using Row = std::pair<int, std::int64_t>;  ///< of a set

/// What is wrong with a plan; empty: nothing.
class Checker {
 public:
  explicit Checker(const TileProblem& problem) : problem_(problem) {}

  std::string complaint(const TilePlan& plan) {
    executed_.assign(problem_.loops.size(), {});
    for (std::size_t stage = 0; stage < plan.stages.size(); ++stage)
      for (std::size_t thread = 0; thread < plan.stages[stage].size(); ++thread) {
        std::size_t step = 0;
        for (const TileItem& item : plan.stages[stage][thread])
          if (std::string wrong = execute(plan, item, {stage, thread, step++}); !wrong.empty())
            return wrong;
      }
    for (std::size_t l = 0; l < problem_.loops.size(); ++l) {
      const IndexRange rows = problem_.loops[l].rows;
      if (std::ssize(executed_[l]) != rows.end - rows.begin)
        return fmt::format("loop {}: {} of {} iterations", l, executed_[l].size(),
                           rows.end - rows.begin);
    }
    return check_order();
  }

 private:
  std::string execute(const TilePlan& plan, const TileItem& item, const Moment& moment) {
    const TileLoop& loop = problem_.loops[static_cast<std::size_t>(item.loop)];
    for (std::uint32_t r = item.first_run; r < item.first_run + item.runs; ++r)
      for (std::int64_t e = plan.runs[r].begin; e < plan.runs[r].end; ++e) {
        if (e < loop.rows.begin || e >= loop.rows.end) return "an iteration outside the loop";
        if (item.counts != (e < loop.border)) return "on the wrong side of the border";
        if (!executed_[static_cast<std::size_t>(item.loop)].emplace(e, moment).second)
          return "an iteration twice";
      }
    return "";
  }

  std::string check_order() const {
    std::map<Row, std::vector<std::pair<std::size_t, Moment>>> touched;  // by loops in their order
    for (std::size_t l = 0; l < problem_.loops.size(); ++l)
      for (const auto& [e, moment] : executed_[l])
        for (const RowAccess& access : problem_.loops[l].accesses) {
          const std::int64_t row = access.index == nullptr ? e : access.index[e * access.stride];
          auto& moments = touched[{access.set, row}];
          for (const auto& [loop, earlier] : moments) {
            if (loop < l && !earlier.before(moment)) return "an iteration before its turn";
            if (loop == l && earlier.stage == moment.stage && earlier.thread != moment.thread)
              return "two threads in one row";
          }
          moments.push_back({l, moment});
        }
    return "";
  }

  const TileProblem& problem_;
  std::vector<std::map<std::int64_t, Moment>> executed_;  ///< [loop][iteration]
};

TEST(TilePlan, RandomChainsKeepTheirOrder) {
  constexpr std::uint64_t problems = 3000;
  for (std::uint64_t seed = 1; seed <= problems; ++seed) {
    Random random(seed);
    const RandomProblem made(random);
    const TileShape shape{pick(random, 1, 5), pick(random, 1, 6),
                          static_cast<std::uint64_t>(pick(random, 0, 2))};
    const std::string complaint = Checker(made.problem).complaint(plan_tiles(made.problem, shape));
    ASSERT_EQ(complaint, "") << "seed " << seed;
  }
}

/// Cells in a row and the edges between them; flux loops and updates in turn.
struct Row1d {
  explicit Row1d(int cells, int steps) {
    for (std::int32_t e = 0; e + 1 < cells; ++e) entries.insert(entries.end(), {e, e + 1});
    problem.sizes = {cells, cells - 1};
    for (int step = 0; step < steps; ++step) {
      problem.loops.push_back({1,
                               {0, cells - 1},
                               cells - 1,
                               {{entries.data(), 2, cells, 0}, {entries.data() + 1, 2, cells, 0}}});
      problem.loops.push_back({0, {0, cells}, cells, {{nullptr, 0, cells, 0}}});
    }
    problem.links.push_back({1, 0, entries.data(), 2, cells - 1});
    problem.home = 0;
    problem.home_rows = cells;
  }
  std::vector<std::int32_t> entries;
  TileProblem problem;
};

TEST(TilePlan, WithoutTheBarrierTwoThreadsWouldMeet) {
  const Row1d row(100, 4);
  TilePlan plan = plan_tiles(row.problem, {2, 5});
  ASSERT_EQ(Checker(row.problem).complaint(plan), "");
  ASSERT_EQ(plan.stages.size(), 2U);
  auto& first = plan.stages[0][1];
  first.insert(first.end(), plan.stages[1][0].begin(), plan.stages[1][0].end());
  plan.stages.pop_back();
  EXPECT_NE(Checker(row.problem).complaint(plan), "");
}

TEST(TilePlan, OrderedSetsGiveOneRunPerLoopAndTile) {
  const Row1d row(1000, 5);
  const TileStatistics use = statistics_of(plan_tiles(row.problem, {1, 10}));
  EXPECT_EQ(use.tiles, 10);
  EXPECT_EQ(use.per_run, use.per_item);
  EXPECT_EQ(use.iterations, 5 * (1000 + 999));
}

TEST(TilePlan, OnlyWhatLiesNearTheBorderOfTwoThreadsWaits) {
  const Row1d row(1000, 5);
  const TileStatistics use = statistics_of(plan_tiles(row.problem, {2, 10}));
  EXPECT_GT(use.first_stage, 0.99);
  EXPECT_LT(use.first_stage, 1);
}

TEST(TilePlan, ThereIsNoneIfRunsAreShort) {
  Row1d row(4000, 3);
  std::shuffle(row.entries.begin(), row.entries.end(), Random(1));
  EXPECT_TRUE(plan_tiles(row.problem, {1, 10, 0, 16}).stages.empty());
  EXPECT_EQ(Checker(row.problem).complaint(plan_tiles(row.problem, {1, 10, 0, 0})), "");
}

TEST(TilePlan, EqualProblemsGiveEqualPlans) {
  const Row1d row(500, 6);
  const TilePlan one = plan_tiles(row.problem, {2, 4, 7}), two = plan_tiles(row.problem, {2, 4, 7});
  EXPECT_TRUE(std::ranges::equal(one.runs, two.runs, [](const TileRun& a, const TileRun& b) {
    return a.begin == b.begin && a.end == b.end;
  }));
}

constexpr core::Caches caches{1 << 20, 32 << 20};

TEST(TileModel, WhatFitsIntoTheCachesIsNotTiled) {
  EXPECT_EQ(tiles_per_thread({1e9, 1e7, 1e7, 100'000}, caches, 2), 0);
}

TEST(TileModel, WhatIsHardlyUsedTwiceIsNotTiled) {
  EXPECT_EQ(tiles_per_thread({1.4e9, 1e9, 1e9, 1'000'000}, caches, 2), 0);
  EXPECT_GT(tiles_per_thread({1.6e9, 1e9, 1e9, 1'000'000}, caches, 2), 0);
}

TEST(TileModel, ATileFitsIntoTheCacheOfACore) {
  const int tiles = tiles_per_thread({1e9, 2e8, 1e8, 1'000'000}, {1 << 20, 8 << 20}, 2);
  EXPECT_LT(1e8 / (2 * tiles), 1 << 20);
  EXPECT_GT(1e8 / (2 * tiles), 1 << 19);
}

TEST(TileModel, AFewThreadsMayUseMoreOfALargeSharedCache) {
  for (const int threads : {1, 2}) {
    const int tiles = tiles_per_thread({1e9, 2e8, 1e8, 1'000'000}, caches, threads);
    EXPECT_LT(1e8 / (threads * tiles), (32 << 20) / (12. * threads));
    EXPECT_GT(1e8 / (threads * tiles), (32 << 20) / (16. * threads));
  }
}

}  // namespace
}  // namespace op2::sched
