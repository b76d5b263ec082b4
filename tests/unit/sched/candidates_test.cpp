// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/candidates.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

#include <gtest/gtest.h>

#include <core/layout.hpp>
#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

/// Pairs of loops: one adds to cells from edges, the other reads cells from edges. Parts have 100
/// elements, 10 of them in each level.
struct Candidates : testing::Test {
  test::Ring ring;
  core::Queue queue;
  HaloSizes sizes;
  std::vector<LoopCost> loops;
  Network network;

  Candidates() {
    SetSizes set;
    for (int h = core::deepest_tracked; h <= 4; ++h) set.within.push_back(100 + 10.0 * h);
    set.sent = set.received = {10, 10, 10, 10};
    set.neighbours = {2, 2, 2, 2};
    for (double& rows : set.within) rows = std::max(0.0, rows);
    sizes.sets = {set, set};
  }

  void add_pairs(int pairs) {
    for (int k = 0; k < pairs; ++k) {
      test::queue_loop(queue, ring.edges, op_arg_dat(&ring.q, 0, &ring.ends, OP_READ),
                       op_arg_dat(&ring.res, 0, &ring.ends, OP_INC));
      test::queue_loop(queue, ring.cells, op_arg_dat(&ring.res, OP_RW), op_arg_dat(&ring.q, OP_RW));
    }
    loops.assign(queue.size(), {{1e-8, 1e-8, 1e-8}});
  }
  CandidateInputs inputs() const { return {queue, {{0, 0}}, {12, false}, sizes, {loops, network}}; }
  std::vector<Candidate> find() { return find_candidates(inputs()); }
  Excess excess_if(const Schedule& schedule, double seconds) const {
    const MeasuredFlush measured{candidate_of(schedule, inputs()).work, seconds};
    return excess_of(std::vector{measured}, inputs().costs);
  }
  static const Candidate& fastest(const std::vector<Candidate>& all) {
    return *std::ranges::min_element(all, {}, &Candidate::seconds);
  }
};

TEST_F(Candidates, AFlushThatTookAsLongAsExpectedChangesNothing) {
  add_pairs(4);
  const auto all = find();
  EXPECT_EQ(excess_if(all[0].schedule, all[0].seconds).exchange, 0);
  const auto now = renewed(all, inputs());
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(now[k].seconds, all[k].seconds);
}

TEST_F(Candidates, AFlushThatTookLongerMakesExchangesDearerInAllSchedules) {
  add_pairs(4);
  network.links[0].latency = 1e-9;
  const auto all = find();
  EXPECT_EQ(&fastest(all), &all[0]);
  CandidateInputs slower = inputs();
  slower.costs.excess = excess_if(all[0].schedule, 1e-3 + all[0].seconds);
  const auto now = renewed(all, slower);
  EXPECT_NEAR(now[0].seconds, 1e-3 + all[0].seconds, 1e-12);
  EXPECT_GT(now[1].seconds, all[1].seconds);
  EXPECT_LT(now[1].seconds, 0.9 * now[0].seconds);
  EXPECT_EQ(fastest(now).work.exchanges(), now[1].work.exchanges());
}

/// Costs that are much too high may promise less than no time.
TEST_F(Candidates, AFlushIsExpectedToTakeAtLeastHalfOfWhatIsKnown) {
  add_pairs(2);
  const FlushWork work = candidate_of({Schedule::Kind::off, {}}, inputs()).work;
  Costs costs = inputs().costs;
  const double known = expected_seconds(work, costs);
  costs.excess.flush = -0.25 * known;
  EXPECT_DOUBLE_EQ(expected_seconds(work, costs), 0.75 * known);
  costs.excess.flush = -2 * known;
  EXPECT_DOUBLE_EQ(expected_seconds(work, costs), 0.5 * known);
}

/// A schedule that exchanges deeper halos once finds them again, unless others have written them.
TEST_F(Candidates, HalosThatOthersHaveWrittenAreExchangedInEverySchedule) {
  test::queue_loop(queue, ring.edges, op_arg_dat(&ring.q, 0, &ring.ends, OP_READ),
                   op_arg_dat(&ring.res, 0, &ring.ends, OP_INC));
  loops.assign(1, {{1e-8, 1e-8, 1e-8}});
  EXPECT_EQ(find()[0].work.exchanges(), 0);
  CandidateInputs in = inputs();
  in.halos.changes = {FoundHalos::Change::written, FoundHalos::Change::none};
  EXPECT_EQ(find_candidates(in)[0].work.exchanges(), 1);
  in.halos.valid = {2, 0};
  EXPECT_EQ(find_candidates(in)[0].work.exchanges(), 0);
}

TEST_F(Candidates, OffComesFirstAndSchedulesDiffer) {
  add_pairs(4);
  const auto all = find();
  ASSERT_GE(all.size(), 3u);
  EXPECT_LE(all.size(), 2 + most_cuts);
  EXPECT_EQ(all[0].schedule.kind, Schedule::Kind::off);
  EXPECT_EQ(all[1].schedule.kind, Schedule::Kind::on);
  EXPECT_GT(all[0].work.exchanges(), all[1].work.exchanges());
  EXPECT_LT(all[0].work.iterations(), all[1].work.iterations());
}

TEST_F(Candidates, WithoutLatencyRedundantIterationsGainNothing) {
  add_pairs(4);
  const auto all = find();
  EXPECT_EQ(fastest(all).schedule.kind, Schedule::Kind::off);
}

TEST_F(Candidates, WithALongLatencyTheFewestExchangesAreTheFastest) {
  add_pairs(4);
  network.links[0].latency = 1e-3;
  const auto all = find();
  for (const Candidate& other : all)
    EXPECT_GE(other.work.exchanges(), fastest(all).work.exchanges());
}

/// A long chain costs iterations that grow with the square of its length, so that the best one is
/// neither the shortest nor the longest.
TEST_F(Candidates, CutsAreFasterThanBothWhereLayersAreDearAndLatencyIsToo) {
  add_pairs(6);
  int cuts = 0;
  for (int step = 1; step <= 20; ++step) {
    network.links[0].latency = 0.5e-6 * step;
    const auto all = find();
    const bool best = fastest(all).schedule.kind == Schedule::Kind::cuts;
    if (!best) continue;
    ++cuts;
    EXPECT_LT(fastest(all).seconds, all[0].seconds);
    EXPECT_LT(fastest(all).seconds, all[1].seconds);
  }
  EXPECT_GT(cuts, 0);
}

TEST_F(Candidates, GroupsCoverTheQueueAndKeepToTheDepthOfChains) {
  add_pairs(6);
  network.links[0].latency = 1e-3;
  const auto all = find_candidates({queue, {{0, 0}}, {4, false}, sizes, {loops, network}});
  for (const Candidate& one : all) {
    std::size_t next = 0;
    for (const RecordRange& group : one.schedule.groups) {
      EXPECT_EQ(group.begin, next);
      next = group.end;
    }
    EXPECT_EQ(next, one.schedule.groups.empty() ? 0 : queue.size());
    const auto cut = cut_for(queue, one.schedule, {4, false});
    EXPECT_LE(analyse_for(queue, one.schedule, cut, {0, 0}, {}).rows, 4);
  }
}

/// Single loops as groups are the schedule `off`: that is what groups mean.
TEST_F(Candidates, GroupsOfOneLoopAreAnalysedAsLoopsByThemselves) {
  add_pairs(3);
  const auto cut = cut_chains(queue);
  Schedule single{Schedule::Kind::cuts, loops_of(queue, {0, queue.size()})};
  const Analysis a = analyse_for(queue, single, cut, {0, 0}, {});
  const Analysis b = analyse_for(queue, {Schedule::Kind::off, {}}, cut, {0, 0}, {});
  EXPECT_EQ(a.loops, b.loops);
  EXPECT_EQ(a.chains.size(), b.chains.size());
  EXPECT_EQ(a.valid_after, b.valid_after);
}

TEST_F(Candidates, TheExplanationNamesLoopsExchangesAndIterations) {
  add_pairs(2);
  loops.assign(queue.size(), {{2e-8, 1e-8, 1e-8}});
  const auto all = find();
  const std::string text = explain(queue, all[1], all[0], {loops, network});
  EXPECT_NE(text.find("loops 0..3 chained: saves "), std::string::npos) << text;
  EXPECT_NE(text.find("% iterations, tiles 2.00x"), std::string::npos) << text;
}

TEST_F(Candidates, HalosThatDoNotExistYetAreTakenToGrowAsBefore) {
  EXPECT_EQ(sizes.sets[0].rows_within(6), 160);
  EXPECT_EQ(sizes.sets[0].rows_sent(0, 8), 80);
  EXPECT_EQ(sizes.sets[0].neighbours_up_to(12), 2);
}

TEST_F(Candidates, SizesTravelAsWords) {
  HaloSizes other = sizes;
  for (SetSizes& set : other.sets) std::ranges::fill(set.within, 0.0);
  const std::vector<std::int64_t> made = sizes.words();
  const std::span<const std::int64_t> words(made);
  auto next = words.begin();
  other.take(next);
  EXPECT_EQ(next, words.end());
  EXPECT_EQ(other.sets[1].within, sizes.sets[1].within);
}

TEST_F(Candidates, OnlySizesOfNewLevelsTravel) {
  HaloSizes known = sizes, deeper = sizes;
  for (SetSizes& set : known.sets) set.within.front() = 77;
  for (SetSizes& set : deeper.sets) {
    set.within.push_back(130);
    for (auto* rows : {&set.sent, &set.received, &set.neighbours}) rows->push_back(13);
  }
  const core::Level level = deeper.take_levels_of(known);
  EXPECT_EQ(level, static_cast<core::Level>(known.sets.front().sent.size()));
  EXPECT_EQ(deeper.sets[0].within.front(), 77);
  EXPECT_EQ(deeper.words(level).size(), 4 * deeper.sets.size());

  HaloSizes other = deeper;
  for (SetSizes& set : other.sets) set.received.back() = set.within.front() = 0;
  const std::vector<std::int64_t> made = deeper.words(level);
  const std::span<const std::int64_t> words(made);
  auto next = words.begin();
  other.take(next, level);
  EXPECT_EQ(next, words.end());
  EXPECT_EQ(other.sets[1].received.back(), 13);
  EXPECT_EQ(other.sets[1].within.front(), 0);
  EXPECT_EQ(known.take_levels_of(deeper), level);
}

}  // namespace
}  // namespace op2::sched
