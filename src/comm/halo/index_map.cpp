// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include <comm/halo/halo_plan.hpp>
#include <comm/halo/row_copy.hpp>

namespace op2::comm {

void IndexMap::from_declared(Communicator& communicator, std::span<const std::byte> declared,
                             std::size_t row_bytes, std::byte* rows) const {
  if (as_declared()) {
    if (!declared.empty()) std::memcpy(rows, declared.data(), declared.size());
  } else if (placement.stays()) {
    scatter_rows(rows, declared.data(), row_of, row_bytes);
  } else {
    const Bytes owned = placement.to_owners(communicator, declared, row_bytes);
    scatter_rows(rows, owned.data(), row_of, row_bytes);
  }
}

void IndexMap::to_declared(Communicator& communicator, const std::byte* rows, std::size_t row_bytes,
                           std::span<std::byte> declared) const {
  if (as_declared()) {
    if (!declared.empty()) std::memcpy(declared.data(), rows, declared.size());
  } else if (placement.stays()) {
    gather_rows(declared.data(), rows, row_of, row_bytes);
  } else {
    Bytes owned(row_of.size() * row_bytes);
    gather_rows(owned.data(), rows, row_of, row_bytes);
    placement.to_declaring_ranks(communicator, owned, row_bytes, declared);
  }
}

}  // namespace op2::comm
