// SPDX-License-Identifier: BSD-3-Clause
// The reference: host functions, element by element, in the declared order, on one thread. Every
// other executor is compared with it, so it shares with them only the plan, the bindings and the
// exchanges.
#pragma once

#include <memory>

#include <comm/halo/distributed_mesh.hpp>
#include <core/measurements/listener.hpp>
#include <core/options.hpp>
#include <core/thread_pool.hpp>
#include <sched/executor/executor.hpp>

namespace op2::sched {

class ReferenceExecutor : public Executor {
 public:
  /// All references must outlive the executor and its prepared plans. The pool packs halos.
  ReferenceExecutor(const core::Options& options, core::ThreadPool& pool,
                    comm::DistributedMesh& rows, const core::Listeners& listeners)
      : options_(options), pool_(pool), rows_(rows), listeners_(listeners) {}

  std::unique_ptr<PreparedPlan> prepare(const Plan& plan, bool repeats) override;
  bool gains_by_repetition(const Plan&) const override { return false; }
  void wait() override {}
  void forget_rows() override {}

 private:
  const core::Options& options_;
  core::ThreadPool& pool_;
  comm::DistributedMesh& rows_;
  const core::Listeners& listeners_;
};

}  // namespace op2::sched
