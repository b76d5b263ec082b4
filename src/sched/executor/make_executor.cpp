// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/make_executor.hpp>

#include <sched/executor/cpu/cpu_executor.hpp>
#include <sched/executor/reference/reference_executor.hpp>

namespace op2::sched {

std::unique_ptr<Executor> make_executor(const core::Options& options,
                                        const core::Topology& topology, core::ThreadPool& pool,
                                        comm::DistributedMesh& rows, core::Trace& trace) {
  if (options.target == core::Target::reference)
    return std::make_unique<ReferenceExecutor>(options, pool, rows);
  return std::make_unique<CpuExecutor>(options, topology, pool, rows, trace);
}

}  // namespace op2::sched
