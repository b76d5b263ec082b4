// SPDX-License-Identifier: BSD-3-Clause
// Loops that have tiles run in them or one by one, as a trial wants it, and the results are equal.
#include <sched/chain_runner.hpp>

#include <gtest/gtest.h>

#include <support/fake_communicator.hpp>
#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

/// Adds one to a dat of dim 1 and counts how often it was called.
void add_one(std::int64_t begin, std::int64_t end, const core::ArgBinding* args) {
  for (std::int64_t e = begin; e < end; ++e) static_cast<double*>(args[0].base)[e] += 1;
  ++*static_cast<int*>(args[1].base);
}

/// Two loops over all cells of a ring, each adding one to every cell, with a plan of four tiles.
struct TwoLoops {
  static constexpr int loops = 2, tiles = 4, cells = 8;
  test::Ring ring{cells};
  core::Queue queue;
  core::LoopTable table;
  ThreadPlan all = plan_in_order({0, cells}, 1);
  Plan plan;
  core::ThreadPool pool{1, core::Topology{{0}, 1}};
  core::Trace trace{false};
  int calls = 0, runs = 0;

  /// @param with, without  seconds of all executions of the trial but the last
  TwoLoops(double with, double without) {
    for (int loop = 0; loop < loops; ++loop) {
      test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW), op_arg_dat(&ring.q, OP_RW));
      LoopStep& step = plan.steps.emplace_back();
      step.range = add_one;
      step.args.resize(2);
      step.late = {{&all, 1, true}};
      step.late_iterations = cells;
      step.bindings = {{ring.q.data, nullptr, 0}, {&calls, nullptr, 0}};
      step.row = &table.row("loop");
    }
    TiledLoops tiled{0, loops, {0, 1}, tile_plan(), TileTrial(true), {0, 0}, loops};
    for (int run = 0; run < 5; ++run) tiled.trial.add(tiled.trial.wants_tiles() ? with : without);
    plan.chains.push_back({0, loops, {}, nullptr, 0, {}, {}});
    plan.chains.back().late.push_back(std::move(tiled));
  }

  static TilePlan tile_plan() {
    TileProblem problem{{cells}, {}, {}, 0, cells};
    for (int loop = 0; loop < loops; ++loop)
      problem.loops.push_back({0, {0, cells}, cells, {{0, nullptr, 0}}});
    return plan_tiles(problem, {1, tiles});
  }

  /// @return calls of the loops' code
  int run() {
    calls = 0;
    comm::run_fake_ranks(1, [&](comm::Communicator& alone) {
      ChainRunner(pool, alone, trace).run(plan.chains[0], plan, queue, 0);
    });
    ++runs;
    EXPECT_EQ(reinterpret_cast<const double*>(ring.q.data)[cells - 1], loops * runs);
    return calls;
  }
  bool has_tiles() const { return !plan.chains[0].late[0].plan.phases.empty(); }
};

TEST(ChainRunner, StaysWithTilesThatWinTheTrial) {
  TwoLoops loops(0, 1e9);
  EXPECT_EQ(loops.run(), 2);  // the last of the trial, one by one
  EXPECT_EQ(loops.run(), 2 * TwoLoops::tiles);
  EXPECT_EQ(loops.run(), 2 * TwoLoops::tiles);
  EXPECT_TRUE(loops.has_tiles());
}

TEST(ChainRunner, ForgetsTilesThatLoseTheTrial) {
  TwoLoops loops(1e9, 0);
  EXPECT_EQ(loops.run(), 2);
  EXPECT_FALSE(loops.has_tiles());
  EXPECT_EQ(loops.run(), 2);
  EXPECT_EQ(loops.run(), 2);
}

}  // namespace
}  // namespace op2::sched
