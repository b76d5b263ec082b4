// SPDX-License-Identifier: BSD-3-Clause
// Prepares plans for the threads of this process and runs them: compiled code on all threads, host
// functions on one, chains tile by tile if that is profitable.
#pragma once

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/messages/communicator.hpp>
#include <core/measurements/listener.hpp>
#include <core/options.hpp>
#include <core/thread_pool.hpp>
#include <core/topology.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/executor/cpu/parts.hpp>
#include <sched/executor/cpu/slots.hpp>
#include <sched/executor/cpu/tiles.hpp>
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

/// The set of a loop that adds to rows, and a map through which it does.
using AddingLoop = std::pair<const core::Set*, const core::Map*>;

class CpuExecutor : public Executor {
 public:
  /// All references must outlive the executor and its prepared plans.
  CpuExecutor(const core::Options& options, const core::Topology& topology, core::ThreadPool& pool,
              comm::DistributedMesh& rows, const core::Listeners& listeners)
      : options_(options),
        topology_(topology),
        pool_(pool),
        rows_(rows),
        listeners_(listeners),
        parts_(pool.size()) {}

  std::unique_ptr<PreparedPlan> prepare(const Plan& plan, bool repeats) override;
  ExecutorTraits traits() const override {
    return {.orders_by_rows = !options_.reproducible,
            .runs_slices = true,
            .gains_by_repetition = options_.tile.mode != core::TileMode::off};
  }
  void forget_rows() override {
    parts_.forget_rows();
    untiled_.clear();
    slot_tables_.clear();
  }

 private:
  /// Drops tiles that need too many slots.
  void find_slots(const Plan& plan, CpuPlanParts& made);
  template <class Action>
  void timed(const char* what, const Action& action);

  const core::Options& options_;
  const core::Topology& topology_;
  core::ThreadPool& pool_;
  comm::DistributedMesh& rows_;
  const core::Listeners& listeners_;
  PartMaker parts_;
  /// Kinds of loops, those of one plan together, whose tiles were dropped.
  std::set<std::set<AddingLoop>> untiled_;
  SlotTables slot_tables_;
};

}  // namespace op2::sched
