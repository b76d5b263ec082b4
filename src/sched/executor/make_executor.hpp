// SPDX-License-Identifier: BSD-3-Clause
// Chooses the executor of a session. A separate file, so that tests can link another choice.
#pragma once

#include <memory>

#include <comm/halo/distributed_mesh.hpp>
#include <core/options.hpp>
#include <core/thread_pool.hpp>
#include <core/topology.hpp>
#include <core/trace.hpp>
#include <sched/executor/executor.hpp>

namespace op2::sched {

/// All references must outlive the executor.
std::unique_ptr<Executor> make_executor(const core::Options& options,
                                        const core::Topology& topology, core::ThreadPool& pool,
                                        comm::DistributedMesh& rows, core::Trace& trace);

}  // namespace op2::sched
