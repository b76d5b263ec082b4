// SPDX-License-Identifier: BSD-3-Clause
// Whether loops are tiled: by the model, and by a trial with given times.
#include <sched/executor/cpu/tile_model.hpp>

#include <array>

#include <gtest/gtest.h>

namespace op2::sched {
namespace {

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

TEST(TileTrial, StaysWithWhatWasFaster) {
  for (const bool tiles_are_faster : {true, false}) {
    TileTrial trial(true);
    int with = 0;
    while (!trial.decided()) {
      with += trial.wants_tiles() ? 1 : 0;
      trial.add(trial.wants_tiles() == tiles_are_faster ? 1.0 : 2.0);
    }
    EXPECT_EQ(with, 3);
    EXPECT_EQ(trial.wants_tiles(), tiles_are_faster);
  }
}

/// Runs a whole trial.
/// @param with, without  seconds of the three executions in tiles and of those loop by loop
bool tiles_win(std::array<double, 3> with, std::array<double, 3> without) {
  TileTrial trial(true);
  std::size_t tried[2] = {0, 0};
  while (!trial.decided()) {
    const bool tiles = trial.wants_tiles();
    const std::size_t turn = tried[tiles ? 1 : 0]++;
    trial.add(tiles ? with.at(turn) : without.at(turn));
  }
  return trial.wants_tiles();
}

TEST(TileTrial, TheBestOfThreeTimesCounts) {
  EXPECT_TRUE(tiles_win({9, 1, 9}, {2, 2, 2}));
  EXPECT_FALSE(tiles_win({2, 2, 2}, {9, 9, 1}));
}

TEST(TileTrial, TilesLoseOnlyIfTheyAreClearlySlower) {
  EXPECT_TRUE(tiles_win({1.02, 1.02, 1.02}, {1, 1, 1}));
  EXPECT_FALSE(tiles_win({1.05, 1.05, 1.05}, {1, 1, 1}));
}

TEST(TileTrial, TimesAfterTheDecisionChangeNothing) {
  for (const bool tiles_are_faster : {true, false}) {
    TileTrial trial(true);
    while (!trial.decided()) trial.add(trial.wants_tiles() == tiles_are_faster ? 1.0 : 2.0);
    for (int run = 0; run < 10; ++run) trial.add(run % 2 == 0 ? 1e-6 : 1e6);
    EXPECT_EQ(trial.wants_tiles(), tiles_are_faster);
  }
}

TEST(TileTrial, CanBeLeftOut) {
  TileTrial trial(false);
  EXPECT_TRUE(trial.decided());
  EXPECT_TRUE(trial.wants_tiles());
}

}  // namespace
}  // namespace op2::sched
