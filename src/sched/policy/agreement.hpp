// SPDX-License-Identifier: BSD-3-Clause
// What the ranks agree on before they choose a schedule: the greatest costs that any of them has
// measured, the slowest network, the largest halos.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/messages/communicator.hpp>
#include <core/queue.hpp>
#include <core/topology.hpp>
#include <sched/cost/candidates.hpp>

namespace op2::sched {

struct PolicyInputs {
  std::vector<LoopCost> costs;  ///< per record
  Network network;
  double plan_seconds = 0;
  HaloSizes sizes;
  core::Caches caches;             ///< bytes
  int threads = 1;                 ///< of a rank
  std::vector<double> times = {};  ///< seconds of flushes that were timed
};

/// Loops over sets that have no elements on any rank cost nothing. After an agreement.
void know_empty_loops(const core::Queue& queue, PolicyInputs& inputs);

/// The greatest of each number over the ranks; of a cost that some rank has measured, the greatest
/// that was measured. Collective: one reduction.
void agree(comm::Communicator& ranks, PolicyInputs& inputs);

/// The same for what a rank does, where `work` counts single rows. Collective: one reduction.
void agree(comm::Communicator& ranks, FlushWork& work);

/// Ranks that send rows to this one or get rows from it, ascending. Symmetric.
std::vector<int> neighbours_of(const comm::HaloPlan& plan);

/// Overhead, latency and bandwidth as this rank sees them when it exchanges messages with its real
/// neighbours, with all ranks at once, so that what they share is in it. Collective. Cost: nine
/// exchanges of messages up to 64 KiB.
Network measure_network(comm::Communicator& ranks, const std::vector<int>& neighbours);

}  // namespace op2::sched
