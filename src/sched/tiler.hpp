// SPDX-License-Identifier: BSD-3-Clause
// From the steps of a plan to tiles: which loops can be executed together, what they touch, and
// whether it pays.
#pragma once

#include <core/options.hpp>
#include <core/queue.hpp>
#include <core/topology.hpp>
#include <sched/plan.hpp>
#include <sched/step_builder.hpp>

namespace op2::sched {

class Tiler {
 public:
  /// All references must outlive the tiler.
  Tiler(const core::Options& options, const core::Topology& topology, int threads,
        StepBuilder& steps)
      : options_(options), topology_(topology), threads_(threads), steps_(steps) {}

  /// Finds the loops of a plan that can be tiled, and tiles them where that is expected to pay.
  /// Local. Cost: some executions of the plan, see plan_tiles.
  void add_tiles(const core::Queue& queue, Plan& plan);

 private:
  void add_tiles(const core::Queue& queue, const ChainPlan& chain, Plan& plan, Half half,
                 std::vector<TiledLoops>& tiled);
  TileShape shape_for(const TileTraffic& traffic) const;

  const core::Options& options_;
  const core::Topology& topology_;
  const int threads_;
  StepBuilder& steps_;
};

}  // namespace op2::sched
