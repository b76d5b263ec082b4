// SPDX-License-Identifier: BSD-3-Clause
// Runs a kernel's host function element by element, in order, on one thread: for the reference
// executor, and for kernels that cannot be compiled.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <core/loop_abi.hpp>
#include <core/loop_record.hpp>
#include <core/mesh.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Executes elements [begin, end) with one binding per argument, as generated code would.
/// Precondition: the kernel has a host function.
void run_host_loop(op_kernel kernel, std::span<const core::LoopArg> args, std::int64_t begin,
                   std::int64_t end, const core::ArgBinding* bindings);

/// The same for a step. Precondition: it is not fused; fused ones have code.
void run_host_step(const Step& step, IndexRange rows, const core::ArgBinding* bindings);

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

}  // namespace op2::sched
