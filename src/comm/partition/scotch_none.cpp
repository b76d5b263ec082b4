// SPDX-License-Identifier: BSD-3-Clause
// A build without Scotch.

#include <comm/halo/locality.hpp>
#include <comm/partition/partition.hpp>

namespace op2::comm {

std::optional<Owners> serial_kway_owners(const BlockMesh&, int, int) {
  return {};
}

Order order_of_small_bandwidth(const Ragged<std::int32_t>&) {
  return {};
}

}  // namespace op2::comm
