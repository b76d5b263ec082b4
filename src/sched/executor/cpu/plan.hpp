// SPDX-License-Identifier: BSD-3-Clause
// A plan prepared for the threads of this process.
#pragma once

#include <memory>
#include <vector>

#include <comm/halo/halo_exchange.hpp>
#include <comm/messages/communicator.hpp>
#include <core/measurements/listener.hpp>
#include <core/thread_pool.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/executor/cpu/parts.hpp>
#include <sched/executor/cpu/run.hpp>
#include <sched/executor/cpu/slots.hpp>
#include <sched/executor/cpu/tiles.hpp>
#include <sched/executor/executor.hpp>

namespace op2::sched {

/// What CpuExecutor prepares for a plan, pass by pass.
struct CpuPlanParts {
  std::vector<std::unique_ptr<comm::HaloExchange>> exchanges;  ///< per chain; null: none
  std::vector<StepParts> parts;                                ///< per step
  std::vector<ChainTiles> tiles;                               ///< per chain
  PlanSlots slots;                                             ///< none unless reproducible
  std::vector<StepBindings> bindings;                          ///< per step
};

class CpuPlan : public PreparedPlan {
 public:
  /// @param ranks  has the clock
  CpuPlan(const Plan& plan, CpuPlanParts made, core::ThreadPool& pool,
          const comm::Communicator& ranks, const core::Listeners& listeners);

  void pack_and_start(std::size_t chain, std::uint64_t fingerprint) override;
  void run(std::size_t chain, Phase phase, core::Queue& queue, const Finished& finished) override;
  void finish_and_unpack(std::size_t chain) override;
  std::byte* collect(std::size_t step, const GlobalArg& reduction) override {
    return made_.bindings[step].partial(reduction, 0);
  }
  ExchangeSize exchange_size(std::size_t chain) const override;
  std::string describe(const core::Queue& queue) const override;

 private:
  /// Tiles and their times.
  struct TilesInUse {
    TiledSteps tiled;
    TileTimes times;
  };
  /// The phase that is being run.
  struct Running {
    std::size_t chain;
    Phase phase;
    core::Queue& queue;
    const Finished& finished;
    double since;  ///< the next step begins where the last one ended
  };
  std::vector<TilesInUse> in_use(std::vector<TiledSteps> groups) const;
  void run_tiled(Running& r, TilesInUse& tiles);
  void run_in_tiles(const Running& r, TilesInUse& tiles);
  void run_alone(Running& r, std::size_t step);
  void bind_for_call(const Running& r, std::size_t step);
  void finish(Running& r, std::size_t step);
  void make_progress(const Running& r);
  void report_span(const std::string& name, double seconds) const;

  const Plan& plan_;
  CpuPlanParts made_;
  std::vector<std::vector<TilesInUse>> interior_tiles_, boundary_tiles_;  ///< per chain
  core::ThreadPool& pool_;
  const comm::Communicator& ranks_;
  const core::Listeners& listeners_;
};

}  // namespace op2::sched
