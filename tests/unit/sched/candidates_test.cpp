// SPDX-License-Identifier: BSD-3-Clause
#include <sched/cost/candidates.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <core/layout.hpp>
#include <core/queue.hpp>
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
  auto now = all;
  reevaluate(now, inputs());
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(now[k].seconds, all[k].seconds);
}

TEST_F(Candidates, AFlushThatTookLongerMakesExchangesDearerInAllSchedules) {
  add_pairs(4);
  network.on_node.latency = 1e-9;
  const auto all = find();
  EXPECT_EQ(&fastest(all), &all[0]);
  CandidateInputs slower = inputs();
  slower.costs.excess = excess_if(all[0].schedule, 1e-3 + all[0].seconds);
  auto now = all;
  reevaluate(now, slower);
  append_new(now, slower);
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

/// Of parts that are much larger than their halos.
struct Tiles : Candidates {
  void enlarge(double rows) {
    for (SetSizes& set : sizes.sets)
      for (double& within : set.within) within += rows;
  }
  FlushWork work_of(const Schedule& schedule, const TileRules& rules) {
    CandidateInputs in = inputs();
    in.tiles = rules;
    return candidate_of(schedule, in).work;
  }
  /// In which it has more iterations.
  static const PhaseWork& phase_of(const LoopWork& loop) {
    return loop.interior.iterations > loop.boundary.iterations ? loop.interior : loop.boundary;
  }
  /// Of each loop the part of its traffic; none: it does not run in tiles.
  std::vector<double> spared(const Schedule& schedule, const TileRules& rules) {
    std::vector<double> parts;
    for (const ChainWork& chain : work_of(schedule, rules).chains)
      for (const LoopWork& loop : chain.loops)
        parts.push_back(phase_of(loop).way == Way::tiled ? phase_of(loop).spared : none);
    EXPECT_EQ(parts.size(), queue.size());
    return parts;
  }
  static constexpr double none = -1;
  static constexpr Schedule on{Schedule::Kind::on, {}};
  const TileRules by_model{{}, {1 << 20, 32 << 20}, 1};
};

TEST_F(Tiles, RunWhereTheDataOfLongChainsExceedTheCaches) {
  add_pairs(4);
  EXPECT_THAT(spared(on, by_model), testing::Each(none));
  enlarge(1e7);
  EXPECT_THAT(spared(on, by_model),
              testing::Each(testing::AllOf(testing::Gt(0.6), testing::Lt(0.9))));
  TileRules rules = by_model;
  rules.threads = 4096;  // each with a cache
  EXPECT_THAT(spared(on, rules), testing::Each(none));
  rules = by_model;
  rules.caches.shared = std::int64_t{1} << 40;
  EXPECT_THAT(spared(on, rules), testing::Each(none));
}

TEST_F(Tiles, RunWhereTheUserSaysSo) {
  add_pairs(4);
  EXPECT_THAT(spared(on, {{core::TileMode::fixed, 8}, by_model.caches, 1}),
              testing::Each(testing::Gt(0)));
  enlarge(1e7);
  EXPECT_THAT(spared(on, {{core::TileMode::off}, by_model.caches, 1}), testing::Each(none));
}

/// Its chains are of two loops, the first of which adds to what the other one reads.
TEST_F(Tiles, OfOffSpareLessThanThoseOfLongChains) {
  add_pairs(4);
  enlarge(1e7);
  EXPECT_THAT(spared({Schedule::Kind::off, {}}, by_model),
              testing::Each(testing::AllOf(testing::Gt(0.3), testing::Lt(0.6))));
}

/// Bytes of q, res and the map are one after the other 8, 32 and 8 for each row.
TEST_F(Tiles, SpareWhatLoopsWouldLoadAndStoreAgain) {
  add_pairs(1);
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.res, OP_WRITE),
                   op_arg_dat(&ring.q, OP_READ));
  test::queue_loop(queue, ring.edges, op_arg_dat(&ring.res, 0, &ring.ends, OP_READ),
                   op_arg_dat(&ring.q, 0, &ring.ends, OP_INC));
  loops.assign(queue.size(), {{1e-8, -1, -1}});
  enlarge(1e7);
  const double first = 8 + 8 + 2 * 32;  // the map, q, res
  const double fused = 2 * 32 + 2 * 8;  // the write comes after a read in the same step
  const double last = 8 + 32 + 2 * 8;
  const double once = 8 + 2 * 8 + 2 * 32;
  for (const double part : spared(on, by_model))
    EXPECT_NEAR(part, 1 - once / (first + fused + last), 1e-3);
  std::vector<Way> without;
  for (const LoopWork& loop : work_of(on, by_model).chains.at(0).loops)
    without.push_back(phase_of(loop).untiled);
  EXPECT_THAT(without, testing::ElementsAre(Way::alone, Way::fused, Way::fused, Way::alone));
}

TEST_F(Tiles, ADatThatAStepWritesBeforeItReadsIsNotLoaded) {
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.res, OP_WRITE));
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.res, OP_READ),
                   op_arg_dat(&ring.q, OP_WRITE));
  test::queue_loop(queue, ring.edges, op_arg_dat(&ring.res, 0, &ring.ends, OP_INC),
                   op_arg_dat(&ring.q, 0, &ring.ends, OP_INC));
  loops.assign(queue.size(), {{1e-8, -1, -1}});
  enlarge(1e7);
  const double fused = 32 + 8, edges = 8 + 2 * 32 + 2 * 8, once = 8 + 2 * 32 + 2 * 8;
  const TileRules always{{core::TileMode::fixed, 1000}, by_model.caches, 1};
  for (const double part : spared(on, always)) EXPECT_NEAR(part, 1 - once / (fused + edges), 1e-3);
}

TEST_F(Tiles, EndAtLoopsInColours) {
  add_pairs(2);
  enlarge(1e7);
  const core::Colouring two{&ring.cells, 2, false, {}};
  const core::Queue declared = std::move(queue);
  queue = declared.in_colours(std::vector<const core::Colouring*>{nullptr, &two, nullptr, nullptr});
  loops.assign(queue.size(), {{1e-8, -1, -1}});
  const auto in_tiles = testing::Gt(0.3);
  EXPECT_THAT(spared(on, by_model), testing::ElementsAre(none, none, none, in_tiles, in_tiles));
}

/// Nothing else speaks for chains here.
TEST_F(Tiles, MakeChainsPayBeforeOneHasRun) {
  add_pairs(4);
  enlarge(1e7);
  loops.assign(queue.size(), {{1e-8, -1, -1}});
  CandidateInputs in = inputs();
  EXPECT_EQ(fastest(find_candidates(in)).schedule.kind, Schedule::Kind::off);
  in.tiles = by_model;
  const auto all = find_candidates(in);
  EXPECT_NE(fastest(all).schedule.kind, Schedule::Kind::off);
  EXPECT_LT(fastest(all).seconds, 0.97 * all[0].seconds);
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
  network.on_node.latency = 1e-3;
  const auto all = find();
  for (const Candidate& other : all)
    EXPECT_GE(other.work.exchanges(), fastest(all).work.exchanges());
}

TEST_F(Candidates, WhoseSingleRowsWereCountedKeepTheirWork) {
  add_pairs(2);
  auto all = find();
  all[1].schedule.single_rows = true;
  all[1].work.chains.resize(1);
  const double iterations = all[1].work.iterations();
  loops.assign(queue.size(), {{1e-7, 1e-7, 1e-7}});
  const double before = all[1].seconds;
  reevaluate(all, inputs());
  EXPECT_EQ(all[1].work.iterations(), iterations);
  EXPECT_NE(all[1].seconds, before);
}

/// A long chain costs iterations that grow with the square of its length, so that the best one is
/// neither the shortest nor the longest.
TEST_F(Candidates, CutsAreFasterThanBothWhereLayersAreDearAndLatencyIsToo) {
  add_pairs(6);
  int cuts = 0;
  for (int step = 1; step <= 20; ++step) {
    network.on_node.latency = 0.5e-6 * step;
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
  network.on_node.latency = 1e-3;
  const auto all = find_candidates({queue, {{0, 0}}, {4, false}, sizes, {loops, network}});
  for (const Candidate& candidate : all) {
    std::size_t next = 0;
    for (const RecordRange& group : candidate.schedule.groups) {
      EXPECT_EQ(group.begin, next);
      next = group.end;
    }
    EXPECT_EQ(next, candidate.schedule.groups.empty() ? 0 : queue.size());
    const auto cut = cut_for(queue, candidate.schedule, {4, false});
    EXPECT_LE(analyse_for(queue, candidate.schedule, cut, {0, 0}, {}).rows, 4);
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

/// They will be distinguished as soon as a plan has such an interior.
TEST(HaloSizes, InteriorsThatAreNotDistinguishedYetAreTakenToShrinkAsBefore) {
  core::Layout layout = core::Layout::without_halos(100);
  layout.prefix[static_cast<std::size_t>(-1 - core::deepest_tracked)] = 90;
  layout.prefix[static_cast<std::size_t>(-2 - core::deepest_tracked)] = 80;
  layout.deepest = -2;
  layout.limit = -16;
  const auto within = [&](core::Level h) {
    comm::HaloPlan plan{0, 0, {}, {}};
    plan.sets.resize(1);
    plan.sets[0].layout = layout;
    return sizes_of(plan).sets[0].rows_within(h);
  };
  EXPECT_EQ(within(-2), 80);
  EXPECT_EQ(within(-3), 70);
  EXPECT_EQ(within(-9), 10);
  EXPECT_EQ(within(-16), 0);
  layout.limit = -4;  // deeper ones never are
  EXPECT_EQ(within(-4), 60);
  EXPECT_EQ(within(-5), 0);
  layout.deepest = core::deepest_in_declared_order;  // nor are any others of such a set
  EXPECT_EQ(within(-1), 90);
  EXPECT_EQ(within(-2), 0);
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

}  // namespace
}  // namespace op2::sched
