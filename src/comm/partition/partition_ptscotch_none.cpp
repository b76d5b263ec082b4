// SPDX-License-Identifier: BSD-3-Clause
#include <comm/partition/partition.hpp>

namespace op2::comm {

std::optional<Owners> kway_owners(Communicator&, const BlockMesh&, int, bool, std::string& reason) {
  reason = "this build has no PT-Scotch (CMake: OP2_WITH_PTSCOTCH)";
  return {};
}

}  // namespace op2::comm
