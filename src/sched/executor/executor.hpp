// SPDX-License-Identifier: BSD-3-Clause
// The interface of executors: CPU threads, the reference, or a device. An executor prepares what it
// needs to run a plan (thread plans, tiles, bindings, messages) and keeps it beside the plan, which
// is const.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <comm/halo/halo_exchange.hpp>
#include <core/queue.hpp>
#include <sched/analysis/facts.hpp>
#include <sched/plan.hpp>

namespace op2::comm {
class DistributedMesh;
}
namespace op2::core {
class Log;
struct Measurements;
struct Options;
class ThreadPool;
struct Topology;
}  // namespace op2::core
namespace op2::gpu {
class Device;
}
namespace op2::jit {
class Jit;
}

namespace op2::sched {

/// A plan bound to the memory and the threads of an executor. Valid as long as the plan, the rows
/// and the maps stay where they are. One thread calls it.
///
/// A chain with an exchange: pack_and_start, run(interior), finish_and_unpack, run(boundary);
/// any other chain: run(boundary). An executor may queue these calls and run them later, in an
/// order with the same result; `collect` returns when its step has run, Executor::wait when all
/// have.
class PreparedPlan {
 public:
  /// One per chain; null if nothing is exchanged before it.
  using Exchanges = std::vector<std::unique_ptr<comm::HaloExchange>>;

  /// Called with the position of each step of the chain, in their order, when its last iterations
  /// were run (or queued) and its reductions can be collected.
  using Finished = std::function<void(std::size_t step)>;

  /// @param plan  outlives it
  PreparedPlan(const Plan& plan, Exchanges exchanges)
      : plan_(plan), exchanges_(std::move(exchanges)) {}
  virtual ~PreparedPlan() = default;

  /// Packs the layers that the chain exchanges and starts the messages. Rows may change afterwards.
  /// An executor may send later, in the interior phase or when the messages are waited for.
  /// @param fingerprint  of the rank's collective signature; sent with every message
  virtual void pack_and_start(std::size_t chain, std::uint64_t fingerprint) {
    exchanges_[chain]->start(fingerprint);
  }

  /// Runs one phase of the steps of a chain. The values of the queue and the program's constants
  /// may change when it returns.
  /// @param queue     has the values of this call
  /// @param finished  called in the boundary phase
  /// @throws what a kernel's host function throws; communication_failure, collective_mismatch
  virtual void run(std::size_t chain, Phase phase, core::Queue& queue,
                   const Finished& finished) = 0;

  /// Waits for the messages, compares the fingerprints and unpacks.
  /// @throws Error collective_mismatch, communication_failure
  virtual void finish_and_unpack(std::size_t chain) { exchanges_[chain]->finish(); }

  /// This rank's result for a reduction of a step: the value, shape [dim]; for payloads with the
  /// global index of the element at `GlobalArg::element`. Valid until the step runs again; may be
  /// changed. On one rank an executor may give a lazy global its value itself and return null.
  virtual std::byte* collect(std::size_t step, const GlobalArg& reduction) = 0;

  /// Steps whose loops should be separate kernels, since some row gathers too many increments that
  /// would be atomic then. Local.
  virtual std::vector<std::size_t> steps_with_high_degree_rows() const { return {}; }

  /// Null if nothing is exchanged before the chain.
  const comm::HaloExchange* exchange(std::size_t chain) const { return exchanges_[chain].get(); }

  /// How the steps are executed, for OP2_DUMP=schedule.
  virtual std::string describe(const core::Queue& queue) const;

 protected:
  /// The end of a step's line in `describe`: ": on the host".
  virtual std::string how_step_runs(std::size_t /*step*/) const { return {}; }

  const Plan& plan_;
  const Exchanges exchanges_;
};

/// What plans for an executor may contain, and how it prepares them. Uniform.
struct ExecutorTraits {
  bool orders_by_rows = false;  ///< it runs steps of Order::by_rows
  bool runs_slices = false;     ///< it runs and exchanges single rows of halos (Analysis::slices)
  bool gains_by_repetition = false;  ///< `prepare` gives a better result for plans that repeat
  /// Plans are prepared in memory beside that of the host, which they may use up. Then nothing has
  /// run if `prepare` throws out_of_memory, and running a prepared plan needs no more.
  bool has_own_memory = false;
};

class Executor {
 public:
  virtual ~Executor() = default;

  virtual ExecutorTraits traits() const { return {}; }

  /// Collective: opens channels. Cost: a pass over the maps for every new thread plan; some
  /// executions of the plan if `repeats`.
  /// @param plan     outlives the result
  /// @param repeats  the plan is executed often, so that expensive preparation pays
  /// @throws Error out_of_memory  perhaps on this rank alone: it takes part in nothing collective
  /// any more, and the others do all that they would have done with it
  virtual std::unique_ptr<PreparedPlan> prepare(const Plan& plan, bool repeats) = 0;

  /// Returns when everything that was started has run.
  /// @throws Error device_failure
  virtual void wait() {}

  /// Frees what plans share beside dats. To be called when rows or maps have moved, or memory is
  /// short; after all prepared plans were destroyed.
  virtual void forget_rows() {}
};

/// What the engine of a session works with; everything outlives it.
struct Resources {
  const core::Options& options;
  const core::Topology& topology;
  core::ThreadPool& pool;
  comm::DistributedMesh& rows;
  jit::Jit& jit;        ///< for the target of the session
  jit::Jit* host_jit;   ///< for what that target cannot run; null: it is the CPU
  gpu::Device* device;  ///< null: none
  core::Measurements& measurements;
  core::Log& log;
  Prover prove;  ///< null: sources prove nothing
};

/// Chooses the executor of a session. In a file of its own, so that tests can link another choice.
/// @throws Error device_failure, out_of_memory
std::unique_ptr<Executor> make_executor(const Resources& resources);

}  // namespace op2::sched
