// SPDX-License-Identifier: BSD-3-Clause
// Executes the chains of a plan: the halves of their loops around an exchange of halos, tile by
// tile where the plan has tiles.
#pragma once

#include <cstddef>
#include <cstdint>

#include <comm/messages/communicator.hpp>
#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <core/trace.hpp>
#include <op2/runtime.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

class ChainRunner {
 public:
  /// All references must outlive it.
  ChainRunner(core::ThreadPool& pool, comm::Communicator& communicator, core::Trace& trace)
      : pool_(pool), communicator_(communicator), trace_(trace) {}

  /// Executes a chain of the plan. Collective.
  /// @param stamp  goes with the messages of the chain
  void run(ChainPlan& chain, Plan& plan, core::Queue& queue, std::uint64_t stamp);

  const op_chain_statistics& statistics() const { return statistics_; }

 private:
  /// What is being executed.
  struct Chain {
    ChainPlan& chain;
    Plan& plan;
    core::Queue& queue;
  };
  /// How the iterations of a loop are executed.
  enum class Way { alone, in_tiles };

  void combine_globals(const Chain& c);
  void count_exchange(const ChainPlan& chain);
  void run_half(const Chain& c, Half half);
  void run_together(const Chain& c, TiledLoops& tiled, Half half);
  void run_in_tiles(const Chain& c, TiledLoops& tiled, Half half);
  void run_record(const Chain& c, std::size_t k, Half half, Way way);
  void iterate(const Chain& c, std::size_t k, Half half);
  void finish(const Chain& c, std::size_t k);
  void make_progress(const Chain& c, Half half);

  core::ThreadPool& pool_;
  comm::Communicator& communicator_;
  core::Trace& trace_;
  op_chain_statistics statistics_{};
};

}  // namespace op2::sched
