// SPDX-License-Identifier: BSD-3-Clause
// Where chains are cut, by globals and by exchanges, and what may run while these are in flight.
#include <sched/analysis/analyse.hpp>

#include <gmock/gmock.h>

#include <sched/passes.hpp>
#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

using testing::Each;
using testing::ElementsAre;

struct Analyse : testing::Test {
  test::Ring ring;
  core::Queue queue;

  void flux() {
    test::queue_loop(queue, ring.edges, op_arg_dat(&ring.q, 0, &ring.ends, OP_READ),
                     op_arg_dat(&ring.res, 0, &ring.ends, OP_INC));
  }
  void update() {
    test::queue_loop(queue, ring.cells, op_arg_dat(&ring.res, OP_RW), op_arg_dat(&ring.q, OP_RW));
  }
  void copy() {
    test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_READ),
                     op_arg_dat(&ring.res, OP_WRITE));
  }
  Analysis analysis(const AnalysisOptions& options) {
    const std::vector<core::Level> valid(ring.mesh.dats().size(), 0);
    return analyse(queue, cut_chains(queue), valid, options);
  }
  /// Records in each chain.
  std::vector<std::size_t> chains(const AnalysisOptions& options) {
    std::vector<std::size_t> sizes;
    for (const Chain& chain : analysis(options).chains)
      sizes.push_back(chain.records.end - chain.records.begin);
    return sizes;
  }
};

TEST_F(Analyse, OneExchangeServesAChain) {
  for (int step = 0; step < 2; ++step) {
    flux();
    update();
  }
  EXPECT_THAT(chains({}), ElementsAre(4));
  EXPECT_EQ(analysis({}).chains[0].exchanged.size(), 2U);
}

/// What the copy writes is needed on owned rows only.
TEST_F(Analyse, ALoopRunsAsFarAsANeighbourOverTheSameSet) {
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
  copy();
  flux();
  const auto extent = [&](const AnalysisOptions& options) {
    return analysis(options).loops[1].extent;
  };
  EXPECT_EQ(extent({.widens = false}), 0);
  EXPECT_EQ(extent({}), 2);
  EXPECT_EQ(analysis({}).loops[0], analysis({}).loops[1]);
  EXPECT_EQ(extent({.halos = Halos::none}), 0);
  EXPECT_EQ(extent({.halos = Halos::per_loop}), 0);
  EXPECT_EQ(analysis({}).valid_after, analysis({.widens = false}).valid_after);
}

TEST_F(Analyse, LoopByLoopAChainEndsWhereTheNextExchangeIs) {
  update();
  for (int step = 0; step < 2; ++step) {
    flux();
    update();
  }
  EXPECT_THAT(chains({.halos = Halos::per_loop}), ElementsAre(1, 2, 2));
}

/// The messages for the flux are under way while the copy runs.
TEST_F(Analyse, LoopByLoopAnExchangeBeginsBeforeLoopsThatLeaveItsDatsAsTheyAre) {
  copy();
  flux();
  const Analysis made = analysis({.halos = Halos::per_loop});
  ASSERT_EQ(made.chains.size(), 1U);
  ASSERT_EQ(made.chains[0].exchanged.size(), 1U);
  EXPECT_EQ(made.chains[0].exchanged[0].dat, &ring.q);
  EXPECT_EQ(made.chains[0].layers, 1);
  EXPECT_EQ(made.loops[0].extent, 0);
  EXPECT_EQ(made.loops[0].interior, 0);
  EXPECT_EQ(made.loops, analysis({}).loops);
}

TEST_F(Analyse, GroupsBeginWithTheirFirstExchangeToo) {
  copy();
  flux();
  update();
  const std::vector<core::Level> valid(ring.mesh.dats().size(), 0);
  const Analysis made = analyse(queue, cut_chains(queue), valid, {}, {{0, 1}, {1, 3}});
  ASSERT_EQ(made.chains.size(), 1U);
  EXPECT_EQ(made.chains[0].records.end, 3U);
  EXPECT_EQ(made.loops[0].interior, 0);
}

/// The chain before a cut may reduce what the loop after it reads.
TEST_F(Analyse, LoopByLoopNoExchangeBeginsBeforeACut) {
  const double zero = 0;
  core::Global& total = ring.mesh.add_global(1, Type::f64, &zero, "total");
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_READ), op_arg_gbl(&total, OP_INC));
  test::queue_loop(queue, ring.edges, op_arg_dat(&ring.q, 0, &ring.ends, OP_READ),
                   op_arg_dat(&ring.res, 0, &ring.ends, OP_INC), op_arg_gbl(&total, OP_READ));
  EXPECT_THAT(chains({.halos = Halos::per_loop}), ElementsAre(1, 1));
}

/// What a chain has begun with, it has sent.
TEST_F(Analyse, LoopByLoopAnExchangeDoesNotJoinAnother) {
  core::Dat& other = ring.mesh.add_dat(&ring.cells, 1, Type::f64, nullptr, "other", false);
  flux();
  test::queue_loop(queue, ring.edges, op_arg_dat(&other, 0, &ring.ends, OP_READ),
                   op_arg_dat(&ring.res, 0, &ring.ends, OP_INC));
  EXPECT_THAT(chains({.halos = Halos::per_loop}), ElementsAre(1, 1));
}

TEST_F(Analyse, LoopByLoopNoLoopRunsFurtherThanItMust) {
  flux();
  update();
  const Analysis one = analysis({.halos = Halos::per_loop}), all = analysis({});
  EXPECT_EQ(one.loops[0].extent, 1);
  EXPECT_EQ(one.loops[1].extent, 0);
  EXPECT_EQ(one.loops, all.loops);  // nothing after the update reads its halo
}

TEST_F(Analyse, LoopByLoopALoopMayFollowInTheInteriorOfTheOneBefore) {
  flux();
  update();
  const Analysis made = analysis({.halos = Halos::per_loop});
  ASSERT_EQ(made.chains.size(), 1U);
  EXPECT_LT(made.loops[0].interior, made.loops[0].extent);
  EXPECT_NE(made.loops[1].interior, core::no_level);
  EXPECT_LT(made.loops[1].interior, made.loops[0].interior);  // cells that no later flux increments
}

TEST_F(Analyse, WithoutAnExchangeThereIsNoInterior) {
  copy();
  EXPECT_EQ(analysis({}).loops[0].interior, core::no_level);
  EXPECT_EQ(analysis({.halos = Halos::per_loop}).loops[0].interior, core::no_level);
}

TEST_F(Analyse, WithoutHalosNothingIsExchangedAndAllLoopsRunTheSameElements) {
  flux();
  update();
  flux();
  const Analysis made = analysis({.halos = Halos::none});
  EXPECT_TRUE(made.chains[0].exchanged.empty());
  for (const LoopLevels& loop : made.loops) EXPECT_EQ(loop, (LoopLevels{core::no_level, 0}));
  EXPECT_THAT(made.valid_after, Each(0));
}

TEST_F(Analyse, DataOnASetWithALocalMapAreNotExchangedForItsEmptyLayer) {
  core::Dat& length = ring.mesh.add_dat(&ring.edges, 1, Type::f64, nullptr, "length", false);
  core::Layout layout = *ring.edges.layout;
  layout.local_map = true;
  ring.edges.take_layout(layout);
  test::queue_loop(queue, ring.edges, op_arg_dat(&length, OP_READ),
                   op_arg_dat(&ring.res, 0, &ring.ends, OP_RW));
  const std::vector<core::Level> valid(3, 0);
  for (const Halos halos : {Halos::per_chain, Halos::per_loop}) {
    const Analysis made = analyse(queue, cut_chains(queue), valid, {.halos = halos});
    EXPECT_EQ(made.loops[0].extent, 1);
    EXPECT_TRUE(made.chains[0].exchanged.empty());
  }
  EXPECT_THAT(describe(queue, analysis({})), testing::HasSubstr("local map"));
}

TEST_F(Analyse, AssignmentsBelongToTheLoopThatFollows) {
  const double zero = 0;
  core::Global& total = ring.mesh.add_global(1, Type::f64, &zero, "total");
  queue.push_assignment(total, &zero);
  update();
  queue.push_assignment(total, &zero);
  flux();
  queue.push_assignment(total, &zero);
  EXPECT_THAT(chains({.halos = Halos::per_loop}), ElementsAre(2, 3));
}

struct Cut : testing::Test {
  test::Ring ring;
  core::Queue queue;
  double zero = 0;
  core::Global& total = ring.mesh.add_global(1, Type::f64, &zero, "total");
  void reduce() {
    test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_READ), op_arg_gbl(&total, OP_INC));
  }
  void use() {
    test::queue_loop(queue, ring.cells, op_arg_gbl(&total, OP_READ), op_arg_dat(&ring.q, OP_RW));
  }
};

TEST_F(Cut, AQueueIsOneChain) {
  use();
  reduce();
  EXPECT_EQ(cut_chains(queue).size(), 1u);
}

TEST_F(Cut, ReadingAReducedGlobalCutsTheChain) {
  reduce();
  use();
  use();
  const auto chains = cut_chains(queue);
  ASSERT_EQ(chains.size(), 2u);
  EXPECT_EQ(chains[1].begin, 1u);
  EXPECT_EQ(chains[1].end, 3u);
}

TEST_F(Cut, AssignmentsTakeNoPartInTheAnalysis) {
  queue.push_assignment(total, &zero);
  reduce();
  const auto description = describe_chain(queue, {0, 2});
  ASSERT_EQ(description.loops.size(), 2u);
  EXPECT_TRUE(description.loops[0].args.empty() && !description.loops[0].reduction);
  EXPECT_TRUE(description.loops[1].reduction);
}

TEST_F(Cut, DatsAreNumberedWithinTheChain) {
  test::queue_loop(queue, ring.edges, op_arg_dat(&ring.res, 0, &ring.ends, OP_INC));
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_READ), op_arg_dat(&ring.res, OP_RW));
  const auto description = describe_chain(queue, {0, 2});
  EXPECT_EQ(description.dats, (std::vector<core::Dat*>{&ring.res, &ring.q}));
  EXPECT_EQ(description.loops[0].args[0].map, ring.ends.index);
  EXPECT_EQ(description.loops[1].args[1].dat, 0);
  EXPECT_EQ(description.loops[1].args[1].map, -1);
}

TEST_F(Cut, ArgumentsThatAreOffTakeNoPart) {
  test::queue_loop(queue, ring.cells, op_opt_arg_dat(0, &ring.q, -1, OP_ID, 1, "double", OP_RW));
  EXPECT_TRUE(describe_chain(queue, {0, 1}).loops[0].args.empty());
}

}  // namespace
}  // namespace op2::sched
