// SPDX-License-Identifier: BSD-3-Clause
// Executes plans on the threads of this process: compiled code on all of them, host functions on
// one, chains tile by tile if that is profitable.
#pragma once

#include <memory>
#include <set>
#include <utility>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/messages/communicator.hpp>
#include <core/measurements/listener.hpp>
#include <core/options.hpp>
#include <core/thread_pool.hpp>
#include <core/topology.hpp>
#include <sched/executor/cpu/parts.hpp>
#include <sched/executor/cpu/plan.hpp>
#include <sched/executor/executor.hpp>

namespace op2::sched {

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
  bool gains_by_repetition(const Plan& plan) const override;
  ExecutorTraits traits() const override {
    return {.orders_by_rows = !options_.reproducible, .runs_slices = true};
  }
  void wait() override {}
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
