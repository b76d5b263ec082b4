// SPDX-License-Identifier: BSD-3-Clause
// Owners of elements that other ranks declare.
#pragma once

#include <span>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

/// Answers for the elements that were asked for and for all declared ones. Memory: the elements
/// asked for that are declared by other ranks.
class OwnerLookup {
 public:
  /// Collective. Cost: two exchanges.
  /// @param set, declared  outlive this object; `declared`: the owners of the elements declared
  /// here
  /// @param asked      global indices, in any order, may repeat
  OwnerLookup(Communicator& communicator, const Blocks& set, const Owners& declared,
              std::span<const GlobalId> asked);

  /// Local. Cost O(1) for a declared element, else O(log elements asked for).
  std::int32_t owner_of(GlobalId id) const;

 private:
  void ask(Communicator& communicator);

  const Blocks& set_;
  const Owners& declared_;
  const int rank_;
  std::vector<GlobalId> away_;  ///< asked for and declared by other ranks; ascending, each once
  Owners owners_;               ///< of those
};

}  // namespace op2::comm
