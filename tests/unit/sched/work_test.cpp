// SPDX-License-Identifier: BSD-3-Clause
// The forecast of tiles against those that the executor makes of the same chains.
#include <sched/cost/work.hpp>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <jit/target/cpu/cpu_target.hpp>
#include <sched/analysis/analyse.hpp>
#include <sched/analysis/fuse.hpp>
#include <sched/executor/cpu/tiles.hpp>
#include <support/random_chains.hpp>
#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

/// One rank's random loops over the cells and edges of a ring, and over some of its cells.
class RandomLoops {
 public:
  explicit RandomLoops(unsigned seed) : random_(seed), ring_(test::pick(random_, 600, 20'000)) {
    core::Mesh& mesh = ring_.mesh;
    const int few = test::pick(random_, 1, ring_.cells.size / 10);
    some_ = &mesh.add_set({0, few, few}, "some");
    at_ = &mesh.add_map(some_, &ring_.cells, 1, test::Ring::identity(few).data(), "at");
    for (const int dim : {2, 3})
      dats_.push_back(&mesh.add_dat(&ring_.cells, dim, Type::f64, nullptr, "more", false));
    dats_.insert(dats_.end(), {&ring_.q, &ring_.res});
    of_edges_ = &mesh.add_dat(&ring_.edges, 1, Type::f64, nullptr, "of edges", false);
    const int loops = test::pick(random_, 2, 12);
    for (int k = 0; k < loops; ++k) add_loop();
    make_plan();
  }

  const core::Queue& queue() const { return queue_; }
  const Plan& plan() const { return plan_; }

  HaloSizes sizes() const {
    HaloSizes sizes;
    for (const core::Set* set : {&ring_.cells, &ring_.edges, some_}) {
      SetSizes all;
      for (core::Level h = core::deepest_tracked; h <= 0; ++h)
        all.within.push_back(h < 0 ? 0 : set->size);
      sizes.sets.push_back(all);
    }
    return sizes;
  }

  TileRules rules() {
    TileRules rules{{}, {}, test::pick(random_, 1, 3)};
    rules.caches.own = test::pick(random_, 1, 40) * 1024;
    rules.caches.shared = rules.caches.own * test::pick(random_, 1, 20);
    return rules;
  }

 private:
  void add_loop() {
    core::Dat& first = dat();
    core::Dat* second = &dat();
    while (second == &first) second = &dat();
    switch (test::pick(random_, 0, 4)) {
      case 0:
        test::queue_loop(queue_, ring_.cells,
                         op_arg_dat(&first, test::one_of(random_, {OP_RW, OP_WRITE})),
                         op_arg_dat(second, OP_READ));
        break;
      case 1:
        test::queue_loop(queue_, *some_, op_arg_dat(&first, 0, at_, OP_INC),
                         op_arg_dat(second, 0, at_, OP_READ));
        break;
      case 2:
        test::queue_loop(
            queue_, ring_.edges, op_arg_dat(of_edges_, OP_RW),
            op_arg_dat(&first, 0, &ring_.ends, test::one_of(random_, {OP_READ, OP_INC})));
        break;
      default:
        test::queue_loop(queue_, ring_.edges, op_arg_dat(&first, 0, &ring_.ends, OP_INC),
                         op_arg_dat(&first, 1, &ring_.ends, OP_INC),
                         op_arg_dat(second, test::pick(random_, 0, 1), &ring_.ends, OP_READ));
    }
  }
  core::Dat& dat() { return *dats_[static_cast<std::size_t>(test::pick(random_, 0, 3))]; }

  void make_plan() {
    const std::vector<core::Level> valid(ring_.mesh.dats().size(), 0);
    plan_.analysis = analyse(queue_, {{0, queue_.size()}}, valid, {Halos::none});
    const std::vector<Order> order(queue_.size(), Order::any);
    const FusionRules rules{true, [](const auto&) { return true; },
                            [](const auto&) { return false; }};
    plan_.steps = make_steps(queue_, plan_.analysis, order, rules);
    code_.target = jit::cpu_target_name;
    plan_.code.assign(plan_.steps.all.size(), {&code_, {}});
  }

  test::Random random_;
  test::Ring ring_;
  core::Set* some_;
  core::Map* at_;
  core::Dat* of_edges_;
  std::vector<core::Dat*> dats_;
  core::Queue queue_;
  jit::CompiledLoop code_;
  Plan plan_;
};

/// Per loop of the queue.
std::vector<bool> forecast_of(const RandomLoops& loops, const TileRules& rules) {
  std::vector<bool> tiled(loops.queue().size(), false);
  const FlushWork work = work_of(loops.queue(), loops.plan().analysis, loops.sizes(), rules);
  for (const ChainWork& chain : work.chains)
    for (const LoopWork& loop : chain.loops) tiled[loop.loop] = loop.boundary.way == Way::tiled;
  return tiled;
}

std::vector<bool> tiles_of(const RandomLoops& loops, const TileRules& rules) {
  const Plan& plan = loops.plan();
  std::vector<bool> tiled(loops.queue().size(), false);
  for (const ChainTiles& chain : make_tiles(plan, {rules.tiling, rules.caches, rules.threads}))
    for (const TiledSteps& some : chain.boundary)
      for (const std::size_t step : some.steps)
        for (const KernelUse& loop : plan.steps.all[step].kernels) tiled[loop.record] = true;
  return tiled;
}

TEST(TileForecast, IsWhatTheExecutorDoes) {
  constexpr unsigned chains = 300;
  unsigned tiled = 0;
  for (unsigned seed = 1; seed <= chains; ++seed) {
    RandomLoops loops(seed);
    const TileRules rules = loops.rules();
    const auto forecast = forecast_of(loops, rules);
    EXPECT_EQ(forecast, tiles_of(loops, rules)) << "seed " << seed;
    if (std::ranges::count(forecast, true) > 0) ++tiled;
  }
  EXPECT_GT(tiled, chains / 5);
  EXPECT_LT(tiled, chains * 4 / 5);
}

}  // namespace
}  // namespace op2::sched
