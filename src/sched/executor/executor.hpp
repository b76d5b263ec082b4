// SPDX-License-Identifier: BSD-3-Clause
// What executes plans: threads of the CPU, the reference, or a device. An executor makes of a plan
// what it needs to run it (shares of threads, tiles, bound memory, messages) and keeps that beside
// the plan, which stays const.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <core/queue.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// What one halo exchange of this rank moves.
struct ExchangeSize {
  std::int64_t messages = 0;  ///< sent
  std::int64_t bytes = 0;     ///< sent
  std::int64_t rows = 0;      ///< packed
};

/// A plan bound to the memory and the threads of an executor. Valid as long as the plan, the rows
/// and the maps stay where they are. One thread calls it.
///
/// A chain with an exchange: pack_and_start, run(interior), finish_and_unpack, run(boundary);
/// any other chain: run(boundary). An executor may queue all of it and run it later, in an order
/// with the same result; `wait` and `collect` return when what they are asked for has run.
class PreparedPlan {
 public:
  /// Called with the position of each step of the chain, in their order, when its last iterations
  /// were run (or queued) and its reductions can be collected.
  using Finished = std::function<void(std::size_t step)>;

  virtual ~PreparedPlan() = default;

  /// Packs the layers that the chain misses and starts the messages. Rows may change afterwards.
  /// @param fingerprint  of the rank's collective signature; sent with every message
  virtual void pack_and_start(std::size_t chain, std::uint64_t fingerprint) = 0;

  /// Runs the steps of a chain, as far as they go in this phase.
  /// @param queue     has the values of this call
  /// @param finished  called in the boundary phase
  /// @throws what a kernel's host function throws; communication_failure, collective_mismatch
  virtual void run(std::size_t chain, Phase phase, core::Queue& queue,
                   const Finished& finished) = 0;

  /// Waits for the messages, compares the fingerprints and unpacks.
  /// @throws Error collective_mismatch, communication_failure
  virtual void finish_and_unpack(std::size_t chain) = 0;

  /// What all iterations of this rank have found for a reduction of a step: the value, shape [dim];
  /// with the global index of the element at `GlobalArg::element` after it, for payloads. Valid
  /// until the step runs again; may be changed.
  virtual std::byte* collect(std::size_t step, const GlobalArg& reduction) = 0;

  /// Returns when all that was started has run.
  virtual void wait() = 0;

  virtual ExchangeSize exchange_size(std::size_t chain) const = 0;

  /// How the steps are executed, for OP2_DUMP=schedule.
  virtual std::string describe(const core::Queue& queue) const = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// Collective: opens channels. Cost: a pass over the maps for every new way of sharing a loop;
  /// some executions of the plan if `repeats`.
  /// @param plan     outlives what is made of it
  /// @param repeats  the plan is executed often: what takes long to prepare pays
  virtual std::unique_ptr<PreparedPlan> prepare(const Plan& plan, bool repeats) = 0;

  /// Whether `prepare` makes something better of this plan if it repeats. Uniform.
  virtual bool gains_by_repetition(const Plan& plan) const = 0;

  /// To be called when rows or maps have moved and all plans are gone.
  virtual void forget_rows() = 0;
};

}  // namespace op2::sched
