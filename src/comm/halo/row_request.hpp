// SPDX-License-Identifier: BSD-3-Clause
// Fetches rows that other ranks declare, on demand.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

/// Which rows of one set go from their declaring ranks to the ranks that request them.
class RowRequest {
 public:
  /// Collective. Cost: one exchange.
  /// @param wanted  global indices, ascending, each once
  RowRequest(Communicator& communicator, const Blocks& set, std::span<const GlobalId> wanted);

  /// The wanted rows, in their order. Collective. Cost: one exchange.
  /// @param declared  the rows that this rank declares, of `row_bytes` bytes each
  Bytes rows(std::span<const std::byte> declared, std::size_t row_bytes) const;

 private:
  struct Wish {
    int rank;
    std::vector<std::int32_t> declared;  ///< positions in the own block
  };
  Communicator& communicator_;
  std::vector<Wish> wishes_;
};

}  // namespace op2::comm
