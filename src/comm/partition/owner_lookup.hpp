// SPDX-License-Identifier: BSD-3-Clause
// Owners of elements that other ranks declare.
#pragma once

#include <span>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

/// Knows the owners of the requested elements and of all declared ones. Memory: the requested
/// elements that other ranks declare.
class OwnerLookup {
 public:
  /// Collective. Cost: two exchanges.
  /// @param set       outlives this object
  /// @param declared  owners of the elements declared here; outlives this object
  /// @param asked     global indices, in any order, may repeat
  OwnerLookup(Communicator& communicator, const Blocks& set, const Owners& declared,
              std::span<const GlobalId> asked);

  /// Local. Cost O(1) for a declared element, otherwise O(log requested elements).
  std::int32_t owner_of(GlobalId id) const;

 private:
  void ask(Communicator& communicator);

  const Blocks& set_;
  const Owners& declared_;
  const int rank_;
  std::vector<GlobalId> away_;  ///< requested, declared by other ranks; ascending, each once
  Owners owners_;               ///< of those
};

}  // namespace op2::comm
