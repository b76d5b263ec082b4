// SPDX-License-Identifier: BSD-3-Clause
// A plan prepared for the threads of this process: runs its steps one by one, or tile by tile.
#pragma once

#include <utility>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/measurements/listener.hpp>
#include <core/thread_pool.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/executor/cpu/parts.hpp>
#include <sched/executor/cpu/slots.hpp>
#include <sched/executor/cpu/tiles.hpp>
#include <sched/executor/exchanges.hpp>
#include <sched/executor/executor.hpp>

namespace op2::sched {

/// Runs the iterations of a phase of a step, with compiled code or with the kernel's host function.
/// The globals of this call are bound. Throws only what a host function throws.
void run_parts(const Step& step, const StepCode& code, const StepParts& parts,
               const StepBindings& bindings, const StepSlots& slots, Phase phase,
               core::ThreadPool& pool);

/// What CpuExecutor prepares for a plan, pass by pass.
struct CpuPlanParts {
  PreparedPlan::Exchanges exchanges;
  std::vector<StepParts> parts;        ///< per step
  std::vector<ChainTiles> tiles;       ///< per chain
  PlanSlots slots;                     ///< none unless reproducible
  std::vector<StepBindings> bindings;  ///< per step
};

class CpuPlan : public PreparedPlan {
 public:
  /// @param ranks  has the clock
  CpuPlan(const Plan& plan, CpuPlanParts made, core::ThreadPool& pool,
          const comm::Communicator& ranks, const core::Listeners& listeners)
      : PreparedPlan(plan, std::move(made.exchanges)),
        made_(std::move(made)),
        pool_(pool),
        ranks_(ranks),
        listeners_(listeners) {}

  void run(std::size_t chain, Phase phase, core::Queue& queue, const Finished& finished) override;
  std::byte* collect(std::size_t step, const GlobalArg& reduction) override {
    return made_.bindings[step].partial(reduction, 0);
  }
  std::string describe(const core::Queue& queue) const override;

 private:
  /// The phase that is being run.
  struct Running {
    std::size_t chain;
    Phase phase;
    core::Queue& queue;
    const Finished& finished;
    double since;  ///< the next step begins where the last one ended
  };
  struct TilesOnThreads;
  void run_tiled(Running& r, const TiledSteps& tiled);
  void run_item(const TiledSteps& tiled, const TileItem& item, Phase phase, int thread) const;
  void run_alone(Running& r, std::size_t step);
  void bind_for_call(const Running& r, std::size_t step);
  void finish(Running& r, std::size_t step);
  void make_progress(const Running& r);
  void report_span(const std::string& name, double seconds) const;

  CpuPlanParts made_;
  core::ThreadPool& pool_;
  const comm::Communicator& ranks_;
  const core::Listeners& listeners_;
  /// Of each thread in each step of the tiles that run: shape [threads x stride].
  std::vector<double> tile_seconds_;
};

}  // namespace op2::sched
