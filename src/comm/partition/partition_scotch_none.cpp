// SPDX-License-Identifier: BSD-3-Clause
#include <comm/partition/partition.hpp>

namespace op2::comm {

std::optional<Owners> serial_kway_owners(const BlockMesh&, int, int) {
  return {};
}

}  // namespace op2::comm
