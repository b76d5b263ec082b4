// SPDX-License-Identifier: BSD-3-Clause
// Steps that have tiles run in them, others one by one, and the results are equal.
#include <sched/executor/cpu/executor.hpp>

#include <gtest/gtest.h>

#include <jit/target/cpu/cpu_target.hpp>
#include <sched/analysis/fuse.hpp>
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
  jit::CompiledLoop code;
  Plan plan;
  core::ThreadPool pool{1, core::Topology{{{0}}}};
  core::Listeners listeners;
  std::unique_ptr<comm::Communicator> ranks = comm::make_self_communicator();
  int calls = 0, runs = 0;
  std::unique_ptr<CpuPlan> prepared;

  explicit TwoLoops(bool tiled) {
    code.target = jit::cpu_target_name;
    code.entry = reinterpret_cast<void*>(&add_one);
    for (int loop = 0; loop < loops; ++loop) {
      test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW), op_arg_dat(&ring.q, OP_RW));
      plan.steps.all.push_back(step_of(queue, static_cast<std::size_t>(loop)));
      plan.steps.all.back().levels = {core::no_level, 0};
      plan.code.push_back({&code, {}});
      plan.rows.emplace_back().row = &table.row("loop");
    }
    plan.steps.begin = {0, loops};
    plan.analysis.chains.push_back({{0, loops}, {}, 0});
    prepared = std::make_unique<CpuPlan>(plan, parts(tiled), pool, *ranks, listeners);
  }

  CpuPlanParts parts(bool tiled) {
    CpuPlanParts made;
    made.exchanges.resize(1);
    PartMaker maker(1);
    for (int loop = 0; loop < loops; ++loop) {
      const auto k = static_cast<std::size_t>(loop);
      made.parts.push_back(maker.parts_of(plan.steps.all[k], plan.code[k]));
      made.bindings.push_back(bind(plan.steps.all[k], 1, false));
      made.bindings.back().args[1].base = &calls;
    }
    made.slots.steps.resize(loops);
    made.tiles.resize(1);
    if (tiled) made.tiles[0].boundary.push_back({0, loops, {0, 1}, tile_plan()});
    return made;
  }

  static TilePlan tile_plan() {
    TileProblem problem{{cells}, {}, {}, 0, cells};
    for (int loop = 0; loop < loops; ++loop)
      problem.loops.push_back({0, {0, cells}, cells, {{nullptr, 0, cells, 0}}});
    return plan_tiles(problem, {1, tiles});
  }

  /// @return calls of the loops' code
  int run() {
    calls = 0;
    prepared->run(0, Phase::boundary, queue, [](std::size_t) {});
    ++runs;
    EXPECT_EQ(reinterpret_cast<const double*>(ring.q.data)[cells - 1], loops * runs);
    return calls;
  }
};

TEST(CpuPlan, RunsStepsInTilesIfItHasThem) {
  TwoLoops in_tiles(true), one_by_one(false);
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_EQ(in_tiles.run(), 2 * TwoLoops::tiles);
    EXPECT_EQ(one_by_one.run(), 2);
  }
}

TEST(CpuPlan, TellsWhenEachStepHasFinishedInTheBoundaryPhaseAlone) {
  TwoLoops loops(true);
  std::vector<std::size_t> finished;
  const auto note = [&](std::size_t step) { finished.push_back(step); };
  loops.prepared->run(0, Phase::interior, loops.queue, note);
  EXPECT_TRUE(finished.empty());
  loops.prepared->run(0, Phase::boundary, loops.queue, note);
  EXPECT_EQ(finished, (std::vector<std::size_t>{0, 1}));
}

}  // namespace
}  // namespace op2::sched
