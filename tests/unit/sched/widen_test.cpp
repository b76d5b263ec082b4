// SPDX-License-Identifier: BSD-3-Clause
// Which loops run further than their results are needed. All dats are valid on owned rows.
#include <sched/widen.hpp>

#include <gmock/gmock.h>

#include <support/airfoil_chain.hpp>
#include <support/chain_builder.hpp>

namespace op2::test {
namespace {

using testing::ElementsAre;

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
  const sched::ChainDemand demand = sched::chain_demand(chain, valid);
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
