// SPDX-License-Identifier: BSD-3-Clause
// The halo exchanges of a plan, packed by the host's threads.
#pragma once

#include <memory>
#include <vector>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/halo/halo_exchange.hpp>
#include <core/options.hpp>
#include <core/thread_pool.hpp>
#include <sched/executor/executor.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// One per chain; null if nothing is exchanged. Collective: opens channels, in the order of the
/// chains. Each thread of the pool copies an equal part of every segment; few rows are copied by
/// the calling thread.
std::vector<std::unique_ptr<comm::HaloExchange>> make_exchanges(const Plan& plan,
                                                                comm::DistributedMesh& rows,
                                                                core::Grouping grouping,
                                                                core::ThreadPool& pool);

/// @param exchange  null: none
ExchangeSize size_of(const comm::HaloExchange* exchange);

}  // namespace op2::sched
