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
#include <sched/executor/thread_packer.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// One per chain; null if nothing is exchanged. Collective: opens channels, in the order of the
/// chains.
inline std::vector<std::unique_ptr<comm::HaloExchange>> make_exchanges(const Plan& plan,
                                                                       comm::DistributedMesh& rows,
                                                                       core::Grouping grouping,
                                                                       core::ThreadPool& pool) {
  std::vector<std::unique_ptr<comm::HaloExchange>> exchanges(plan.chains().size());
  for (std::size_t chain = 0; chain < exchanges.size(); ++chain)
    if (const auto& layers = plan.chains()[chain].exchanged; !layers.empty())
      exchanges[chain] = std::make_unique<comm::HaloExchange>(
          rows.communicator(), comm::halo_messages(rows.halo_plan(), layers, grouping),
          make_thread_packer(pool));
  return exchanges;
}

/// @param exchange  null: none
inline ExchangeSize size_of(const comm::HaloExchange* exchange) {
  if (exchange == nullptr) return {};
  return {static_cast<std::int64_t>(exchange->messages()),
          static_cast<std::int64_t>(exchange->bytes()), exchange->packed_rows(),
          static_cast<std::int64_t>(exchange->bytes_received()), exchange->unpacking_seconds()};
}

}  // namespace op2::sched
