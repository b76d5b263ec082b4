// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/executor.hpp>

#include <core/measurements/measurements.hpp>
#include <core/options.hpp>
#include <sched/executor/cpu/executor.hpp>
#include <sched/executor/gpu/executor.hpp>
#include <sched/executor/reference/executor.hpp>

namespace op2::sched {

std::unique_ptr<Executor> make_executor(const Resources& r) {
  const core::Listeners& listeners = r.measurements.listeners;
  if (r.options.target == core::Target::reference)
    return std::make_unique<ReferenceExecutor>(r.options, r.pool, r.rows, listeners);
  if (r.device != nullptr) return make_gpu_executor(r);
  return std::make_unique<CpuExecutor>(r.options, r.topology, r.pool, r.rows, listeners);
}

}  // namespace op2::sched
