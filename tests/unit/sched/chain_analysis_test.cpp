// SPDX-License-Identifier: BSD-3-Clause
// Thirteen small chains, most of which the published analysis of halo depths gets wrong, single
// rules of the analysis, and which loops run further than their results are needed. Expected levels
// are on the W axis; `none` is core::no_level.
#include <sched/analysis/chain_analysis.hpp>

#include <gmock/gmock.h>

#include <core/layout.hpp>
#include <core/options.hpp>
#include <support/airfoil_chain.hpp>
#include <support/chain_builder.hpp>

namespace op2::test {
namespace {

using core::Level;
using testing::Each;
using testing::ElementsAre;

constexpr Level none = core::no_level;

core::ChainLevels demand(const Chain& chain, int dats, Level wanted = 0) {
  return sched::chain_demand(chain, std::vector<Level>(dats, wanted));
}

TEST(ChainAnalysis, RequirementsPassThroughDifferentDats) {
  enum { x, a, b, c };
  const auto d = demand(chain_of(loop().read(x, e2n).inc(a, e2n), loop().read(a, e2n).inc(b, e2n),
                                 loop().read(b, e2n).inc(c, e2n)),
                        4);
  EXPECT_THAT(d.extent, ElementsAre(5, 3, 1));
  EXPECT_THAT(d.need, ElementsAre(6, 4, 2, 0));
}

TEST(ChainAnalysis, ADirectReadDoesNotHideAnIndirectOne) {
  enum { x, a, b };
  const auto d = demand(
      chain_of(loop().inc(x, e2n), loop().read(x).write(a), loop().read(x, e2n).inc(b, e2n)), 3);
  EXPECT_THAT(d.extent, ElementsAre(3, 0, 1));
  EXPECT_THAT(d.need, ElementsAre(2, none, 0));
}

TEST(ChainAnalysis, ARequirementPassesThroughADirectLoop) {
  enum { x, a, b };
  const auto d = demand(
      chain_of(loop().inc(x, e2n), loop().read(x).write(a), loop().read(a, e2n).inc(b, e2n)), 3);
  EXPECT_THAT(d.extent, ElementsAre(3, 2, 1));
  EXPECT_THAT(d.need, ElementsAre(2, none, 0));
}

TEST(ChainAnalysis, ReadingAndWritingThroughAMapIsNoOverwrite) {
  enum { x, a };
  const auto d =
      demand(chain_of(loop().inc(x, e2n), loop().rw(x, b2n), loop().read(x, e2n).inc(a, e2n)), 2);
  EXPECT_THAT(d.extent, ElementsAre(5, 3, 1));
  EXPECT_THAT(d.need, ElementsAre(4, 0));
}

TEST(ChainAnalysis, WritingThroughAMapReplacesOnlyItsTargets) {
  enum { x, a };
  const auto d = demand(
      chain_of(loop().inc(x, e2c), loop().write(x, b2c), loop().read(x, e2c).inc(a, e2c)), 2);
  EXPECT_THAT(d.extent, ElementsAre(3, 3, 1));
  EXPECT_THAT(d.need, ElementsAre(2, 0));
}

TEST(ChainAnalysis, ZeroingRunsOnReadableHaloRowsToo) {
  enum { x, a };
  const auto d =
      demand(chain_of(loop().write(x), loop().inc(x, e2n), loop().read(x, e2n).inc(a, e2n)), 2);
  EXPECT_THAT(d.extent, ElementsAre(2, 3, 1));
  EXPECT_THAT(d.need, ElementsAre(none, 0));
}

TEST(ChainAnalysis, IndependentReadersDoNotDeepenTheHalo) {
  enum { x, a, b, c };
  const auto d = demand(chain_of(loop().inc(x, e2n), loop().read(x, e2n).inc(a, e2n),
                                 loop().read(x, e2n).inc(b, e2n), loop().read(x, e2n).inc(c, e2n)),
                        4);
  EXPECT_THAT(d.extent, ElementsAre(3, 1, 1, 1));
  EXPECT_THAT(d.need, ElementsAre(2, 0, 0, 0));
}

TEST(ChainAnalysis, RequirementsPassFromOneMapToAnother) {
  enum { x, a, b };
  const auto d = demand(chain_of(loop().inc(x, e2n), loop().read(x, e2n).inc(a, e2c),
                                 loop().read(a, e2c).inc(b, e2c)),
                        3);
  EXPECT_THAT(d.extent, ElementsAre(5, 3, 1));
  EXPECT_THAT(d.need, ElementsAre(4, 2, 0));
}

TEST(ChainAnalysis, AStageOfAirfoilNeedsTwoLayersOfCoordinates) {
  const auto d = demand(airfoil::step(1), airfoil::dats);
  EXPECT_THAT(d.extent, ElementsAre(0, 2, 1, 1, 0));
  EXPECT_THAT(d.need, ElementsAre(2, none, none, 0, 4));
}

TEST(ChainAnalysis, AnIterationOfAirfoilNeedsThreeLayersOfCoordinates) {
  const auto d = demand(airfoil::step(2), airfoil::dats);
  EXPECT_THAT(d.extent, ElementsAre(2, 4, 3, 3, 2, 2, 1, 1, 0));
  EXPECT_THAT(d.need, ElementsAre(4, none, none, 2, 6));
}

TEST(ChainAnalysis, TwoIterationsOfAirfoilNeedFiveLayersOfCoordinates) {
  const auto d = demand(repeat(airfoil::step(2), 2), airfoil::dats);
  EXPECT_THAT(d.extent, ElementsAre(6, 8, 7, 7, 6, 6, 5, 5, 4, 2, 4, 3, 3, 2, 2, 1, 1, 0));
  EXPECT_THAT(d.need, ElementsAre(8, none, none, 6, 10));
}

TEST(ChainAnalysis, RepeatedUpdatesThatReadNothingModifiedStayShallow) {
  enum { p, flux, weight };
  const auto d = demand(
      repeat(chain_of(loop().inc(p, e2n), loop().read(p, e2n).read(weight).inc(flux, e2n)), 4), 3);
  EXPECT_THAT(d.extent, ElementsAre(3, 1, 3, 1, 3, 1, 3, 1));
  EXPECT_THAT(d.need, ElementsAre(2, 0, 1));
}

TEST(ChainAnalysis, ATrueRecurrenceDeepensTheHaloLinearly) {
  enum { p, flux, weight };
  const auto d = demand(repeat(chain_of(loop().inc(p, e2n).read(flux, e2n),
                                        loop().read(p, e2n).read(weight).inc(flux, e2n)),
                               4),
                        3);
  EXPECT_THAT(d.extent, ElementsAre(15, 13, 11, 9, 7, 5, 3, 1));
  EXPECT_THAT(d.need, ElementsAre(14, 16, 13));
}

TEST(ChainAnalysis, ALoopWhoseResultIsOverwrittenBeforeUseIsDead) {
  const std::vector<Level> zero{0};
  const auto levels = sched::analyse_chain(chain_of(loop().write(0), loop().write(0)), zero, zero);
  EXPECT_THAT(levels.extent, ElementsAre(none, 0));
  EXPECT_THAT(levels.interior, ElementsAre(none, 0));
}

TEST(ChainAnalysis, AReductionKeepsADeadLoopAlive) {
  EXPECT_THAT(demand(chain_of(loop().reduce().write(0), loop().write(0)), 1).extent,
              ElementsAre(0, 0));
}

TEST(ChainAnalysis, WhatNobodyWantsNeedNotBeMade) {
  const auto d = demand(chain_of(loop().read(0, e2n).inc(1, e2n)), 2, none);
  EXPECT_THAT(d.extent, ElementsAre(none));
  EXPECT_THAT(d.need, Each(none));
}

TEST(ChainAnalysis, IncrementsLeaveTheirTargetsValidOnlyWhereComplete) {
  const auto chain = chain_of(loop().read(0, e2n).inc(1, e2n));
  const auto levels =
      sched::analyse_chain(chain, std::vector<Level>{0, 0}, std::vector<Level>{0, 0});
  EXPECT_THAT(levels.valid, ElementsAre(2, 0));
  EXPECT_EQ(levels.rows, 2);
}

TEST(ChainAnalysis, TheCoreRunsWhileTheHaloIsInFlight) {
  const auto chain = chain_of(loop().read(0, e2n).inc(1, e2n), loop().rw(1));
  const auto levels =
      sched::analyse_chain(chain, std::vector<Level>{0, 0}, std::vector<Level>{0, 0});
  EXPECT_THAT(levels.extent, ElementsAre(1, 0));
  EXPECT_THAT(levels.interior, ElementsAre(-1, -2));
}

TEST(ChainAnalysis, ALoopOverRowsInDeclaredOrderLeavesItsReadersToTheBoundaryPhase) {
  Chain chain = chain_of(loop().read(0, e2n).inc(1, e2n), loop().read(1).rw(0),
                         loop().read(0, e2n).inc(2, e2n));
  const std::vector<Level> owned{0, 0, 0};
  EXPECT_THAT(sched::analyse_chain(chain, owned, owned).interior, ElementsAre(-1, -2, -3));
  chain[1].deepest = core::deepest_in_declared_order;
  EXPECT_THAT(sched::analyse_chain(chain, owned, owned).interior, ElementsAre(-1, none, none));
}

TEST(ChainAnalysis, NothingIsPostponedWhereNothingIsExchanged) {
  const auto chain = chain_of(loop().read(0, e2n).inc(1, e2n));
  EXPECT_THAT(
      sched::analyse_chain(chain, std::vector<Level>{2, 0}, std::vector<Level>{0, 0}).interior,
      ElementsAre(1));
}

/// Periodic edges with two nodes, then boundary nodes: the chain of a flow solver's Jacobian.
Chain jacobian(bool local_maps) {
  enum { jac, jaca };
  Chain chain = chain_of(loop().rw(jac, e2n).rw(jaca, e2n), loop().write(jac, b2n).local_map(),
                         loop().rw(jac, b2n).local_map());
  if (!local_maps)
    for (core::ChainLoop& loop : chain) loop.local_map = false;
  return chain;
}

TEST(ChainAnalysis, LocalMapsNeedNoLayerMore) {
  const auto d = demand(jacobian(true), 2);
  EXPECT_THAT(d.extent, ElementsAre(1, 1, 1));
  EXPECT_THAT(d.need, ElementsAre(2, 2));  // a layer
  const auto other = demand(jacobian(false), 2);
  EXPECT_THAT(other.extent, ElementsAre(3, 3, 1));
  EXPECT_THAT(other.need, ElementsAre(4, 4));  // two
}

TEST(ChainAnalysis, RowsThatALocalMapDoesNotReachKeepTheirNeed) {
  enum { x, a };
  const auto d =
      demand(chain_of(loop().rw(x, b2n).local_map(), loop().read(x, e2n).inc(a, e2n)), 2, 1);
  EXPECT_THAT(d.extent, ElementsAre(5, 3));
  EXPECT_THAT(d.need, ElementsAre(4, 1));
}

TEST(ChainAnalysis, ALocalMapLeavesAllOwnedTargetsComplete) {
  const auto chain = chain_of(loop().reduce().inc(0, b2n).local_map(), loop().write(0));
  const std::vector<Level> owned{0};
  EXPECT_THAT(sched::validity_after(std::span(chain).first(1), {{0}, {0}}, owned), ElementsAre(0));
}

TEST(ChainAnalysis, TheTargetsOfALocalMapAreDoneAsFarAsItsCore) {
  Chain chain =
      chain_of(loop().read(0, e2n).inc(1, e2n), loop().rw(1, b2n).local_map(), loop().rw(1));
  const std::vector<Level> owned{0, 0};
  EXPECT_THAT(sched::analyse_chain(chain, owned, owned).interior, ElementsAre(-1, -3, -2));
  chain[1].local_map = false;
  EXPECT_THAT(sched::analyse_chain(chain, owned, owned).interior, ElementsAre(-1, -3, -4));
}

TEST(ChainAnalysis, ACoreThatIsNotTrackedCompletesNothingThroughALocalMap) {
  enum { x, y };
  Chain chain =
      repeat(chain_of(loop().read(x, e2n).inc(y, e2n), loop().read(y, e2n).inc(x, e2n)), 8);
  for (const core::ChainLoop& last : chain_of(loop().rw(x, b2n).local_map(), loop().rw(x)))
    chain.push_back(last);
  const std::vector<Level> owned{0, 0};
  const Level deepest = sched::analyse_chain(chain, owned, owned).interior[16];
  EXPECT_EQ(deepest, -33);  // with its targets in W_-32, which has rows
  chain[16].deepest = core::deepest_tracked;
  EXPECT_THAT(sched::analyse_chain(chain, owned, owned).interior[17], none);
}

/// What has no interior waits for messages, and does not run in tiles.
TEST(ChainAnalysis, EveryLoopHasAnInteriorInTheDeepestChainsOfAirfoilThatAreNotCut) {
  const std::vector<Level> owned(airfoil::dats, 0);
  const Chain queue = repeat(airfoil::step(2), 4);
  const auto levels = [&](std::size_t first, std::size_t loops) {
    return sched::analyse_chain(std::span(queue).subspan(first, loops), owned, owned);
  };
  Level deepest = 0;
  for (std::size_t first = 0; first < airfoil::step(2).size(); ++first) {
    std::size_t most = 1;
    while (levels(first, most + 1).rows <= 2 * core::Options{}.depth_max) ++most;
    EXPECT_GT(most, 20U);
    deepest = std::min(deepest, std::ranges::min(levels(first, most).interior));
  }
  EXPECT_EQ(deepest, -24);
  EXPECT_GT(deepest, core::deepest_tracked);
}

TEST(ChainAnalysis, AnEmptyChainNeedsWhatIsWanted) {
  const auto levels = sched::analyse_chain({}, std::vector<Level>{0}, std::vector<Level>{2});
  EXPECT_THAT(levels.need, ElementsAre(2));
  EXPECT_THAT(levels.valid, ElementsAre(2));
}

enum Set { cells, edges };
enum Dat { q, old, res, sum };

LoopBuilder on_cells() {
  return loop().on(cells);
}
LoopBuilder flux() {
  return loop().on(edges).read(q, e2c).inc(res, e2c);
}

struct Extents {
  std::vector<core::Level> demanded, widened;
};

Extents extents_of(const Chain& chain) {
  const std::vector<core::Level> valid(4, 0);
  const core::ChainLevels demand = sched::chain_demand(chain, valid);
  return {demand.extent, sched::widened_extents(chain, demand, valid)};
}

TEST(Widen, ALoopRunsAsFarAsItsNeighbours) {
  const auto update = on_cells().rw(q), save = on_cells().read(q).write(old);
  const auto area = on_cells().read(q).write(sum);
  const auto [demanded, widened] = extents_of(
      chain_of(update, save, area, loop().on(edges).read(q, e2c).read(sum, e2c).inc(res, e2c)));
  EXPECT_THAT(demanded, ElementsAre(2, 0, 2, 1));
  EXPECT_THAT(widened, ElementsAre(2, 2, 2, 1));
}

TEST(Widen, ALoopThatRunsAsFarAsThePreviousOneFollowsIt) {
  const auto [demanded, widened] = extents_of(chain_of(
      on_cells().rw(q), on_cells().read(q).write(old), on_cells().read(old).write(sum), flux()));
  EXPECT_THAT(demanded, ElementsAre(2, 0, 0, 1));
  EXPECT_THAT(widened, ElementsAre(2, 2, 2, 1));
}

TEST(Widen, ALoopThatCannotFollowStaysWhereThePreviousOneIs) {
  const auto [demanded, widened] =
      extents_of(chain_of(flux(), on_cells().rw(res), on_cells().read(res).write(old),
                          on_cells().read(old).read(q).write(sum), on_cells().rw(q), flux()));
  EXPECT_THAT(demanded, ElementsAre(1, 0, 0, 0, 2, 1));
  EXPECT_THAT(widened, demanded);
}

TEST(Widen, LoopsThatRunEquallyFarAreNotParted) {
  const auto [demanded, widened] = extents_of(
      chain_of(on_cells().read(q).write(old), on_cells().read(old).read(q).read(res).write(sum),
               on_cells().rw(q), flux()));
  EXPECT_THAT(demanded, ElementsAre(0, 0, 2, 1));
  EXPECT_THAT(widened, demanded);
}

TEST(Widen, NoLoopRunsWhereWhatItReadsIsNotValid) {
  const auto [demanded, widened] =
      extents_of(chain_of(flux(), on_cells().rw(q), on_cells().read(res).rw(q).write(old),
                          loop().on(edges).read(q, e2c).inc(sum, e2c)));
  EXPECT_THAT(widened, demanded);
}

TEST(Widen, NeitherDoesOneThatModifiesThroughAMapOrReduces) {
  for (const LoopBuilder& other :
       {on_cells().read(q).inc(old, c2n), on_cells().read(q).write(old).reduce()}) {
    const auto [demanded, widened] = extents_of(chain_of(on_cells().rw(q), other, flux()));
    EXPECT_THAT(widened, demanded);
    EXPECT_NE(demanded[0], demanded[1]);
  }
}

TEST(Widen, LoopsOverOtherSetsAndWithoutACommonDatAreNoNeighbours) {
  for (const LoopBuilder& other :
       {loop().on(edges).read(sum).write(old), on_cells().read(sum).write(old)}) {
    const auto [demanded, widened] = extents_of(chain_of(on_cells().rw(q), other, flux()));
    EXPECT_THAT(demanded, ElementsAre(2, 0, 1));
    EXPECT_THAT(widened, demanded);
  }
}

TEST(Widen, ALoopWhoseResultsNobodyNeedsDoesNotRun) {
  const auto [demanded, widened] = extents_of(chain_of(
      on_cells().rw(q), on_cells().read(q).write(old), on_cells().read(q).write(old), flux()));
  EXPECT_THAT(demanded, ElementsAre(2, core::no_level, 0, 1));
  EXPECT_THAT(widened, ElementsAre(2, core::no_level, 0, 1));
}

}  // namespace
}  // namespace op2::test
