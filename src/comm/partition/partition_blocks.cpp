// SPDX-License-Identifier: BSD-3-Clause
#include <comm/partition/partition.hpp>
#include <core/arithmetic.hpp>

namespace op2::comm {

Owners block_owners(const Blocks& set, int rank) {
  return Owners(set.count(rank), rank);
}

Owners random_owners(const Blocks& set, int rank, int ranks) {
  Owners owners(set.count(rank));
  GlobalId id = set.begin[rank];
  for (std::int32_t& owner : owners)
    owner = static_cast<std::int32_t>(core::splitmix64(id++) % static_cast<std::uint64_t>(ranks));
  return owners;
}

}  // namespace op2::comm
