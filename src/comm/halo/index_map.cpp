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

DeclaredPieces IndexMap::declared_pieces(Communicator& communicator, const std::byte* rows,
                                         std::size_t row_bytes) const {
  if (!placement.stays())
    return placement.to_declaring_ranks(communicator, rows, row_of, row_bytes);
  return {rows, row_of, row_bytes};
}

void IndexMap::to_declared(Communicator& communicator, const std::byte* rows, std::size_t row_bytes,
                           std::span<std::byte> declared) const {
  const auto count = static_cast<std::int64_t>(declared.size() / row_bytes);
  declared_pieces(communicator, rows, row_bytes).copy_next(count, declared.data());
}

}  // namespace op2::comm
