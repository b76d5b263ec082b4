// SPDX-License-Identifier: BSD-3-Clause
// The reference: host functions, element by element, in the declared order, on one thread. Every
// other executor is compared with it, so it shares with them only the plan, the bindings and the
// exchanges; and they run by it the kernels that cannot be compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <comm/halo/distributed_mesh.hpp>
#include <core/loop_abi.hpp>
#include <core/measurements/listener.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/thread_pool.hpp>
#include <sched/executor/executor.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Executes rows of a step, with one binding per argument, by its code; without any (null), which
/// fused steps have, by the kernel's host function, element by element.
void run_rows(const Step& step, core::RangeFunction code, IndexRange rows,
              const core::ArgBinding* bindings);

/// While it lives, variables of the program have the values that they had when the loops were
/// queued, because host functions read the variables themselves. Unchanged ones are not written,
/// since they may be constants.
class QueuedValues {
 public:
  explicit QueuedValues(std::span<const core::NamedVariable> variables);
  ~QueuedValues();
  QueuedValues(const QueuedValues&) = delete;
  QueuedValues& operator=(const QueuedValues&) = delete;

 private:
  struct Changed {
    const core::Variable* variable;
    std::vector<std::byte> now;
  };
  std::vector<Changed> changed_;
};

class ReferenceExecutor : public Executor {
 public:
  /// All references must outlive the executor and its prepared plans. The pool packs halos.
  ReferenceExecutor(const core::Options& options, core::ThreadPool& pool,
                    comm::DistributedMesh& rows, const core::Listeners& listeners)
      : options_(options), pool_(pool), rows_(rows), listeners_(listeners) {}

  std::unique_ptr<PreparedPlan> prepare(const Plan& plan, bool repeats) override;

 private:
  const core::Options& options_;
  core::ThreadPool& pool_;
  comm::DistributedMesh& rows_;
  const core::Listeners& listeners_;
};

}  // namespace op2::sched
