// SPDX-License-Identifier: BSD-3-Clause
// The halo exchanges of a plan.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <comm/halo/distributed_mesh.hpp>
#include <core/options.hpp>
#include <core/thread_pool.hpp>
#include <sched/executor/executor.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

using MakePacker = std::function<std::unique_ptr<comm::Packer>(std::size_t chain)>;

/// Of all chains. Collective: opens channels, in the order of the chains.
PreparedPlan::Exchanges make_exchanges(const Plan& plan, comm::DistributedMesh& rows,
                                       core::Grouping grouping, const MakePacker& make_packer);
/// The same, packed on the host: each thread of the pool copies an equal part of every segment; few
/// rows are copied by the calling thread.
PreparedPlan::Exchanges make_exchanges(const Plan& plan, comm::DistributedMesh& rows,
                                       core::Grouping grouping, core::ThreadPool& pool);

}  // namespace op2::sched
