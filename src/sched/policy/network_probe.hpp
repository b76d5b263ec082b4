// SPDX-License-Identifier: BSD-3-Clause
// What messages to the real neighbours cost, measured with all ranks at once, so that what they
// share is in it.
#pragma once

#include <vector>

#include <comm/halo/halo_plan.hpp>
#include <comm/messages/communicator.hpp>
#include <sched/policy/chain_model.hpp>

namespace op2::sched {

/// Ranks that send rows to this one or get rows from it, ascending. Symmetric.
std::vector<int> neighbours_of(const comm::HaloPlan& plan);

/// Overhead, latency and bandwidth as this rank sees them, the same for all distances. Collective.
/// Cost: nine exchanges of messages up to 64 KiB.
Network measure_network(comm::Communicator& ranks, const std::vector<int>& neighbours);

}  // namespace op2::sched
