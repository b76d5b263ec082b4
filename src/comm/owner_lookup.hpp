// SPDX-License-Identifier: BSD-3-Clause
// Owners of elements that other ranks hold.
#pragma once

#include <span>
#include <vector>

#include <comm/block_mesh.hpp>
#include <comm/communicator.hpp>

namespace op2::comm {

/// Answers for the elements that were asked for and for all held ones. Memory: the elements asked
/// for that are held elsewhere.
class OwnerLookup {
 public:
  /// Collective. Cost: two exchanges.
  /// @param set, held  outlive this object; `held` has the owners of the held elements
  /// @param asked      global numbers, repeated as often as one likes
  OwnerLookup(Communicator& communicator, const Blocks& set, const Owners& held,
              std::span<const GlobalId> asked);

  /// Local. Cost O(1) for a held element, else O(log elements asked for).
  std::int32_t owner_of(GlobalId id) const;

 private:
  void ask(Communicator& communicator);

  const Blocks& set_;
  const Owners& held_;
  const int rank_;
  std::vector<GlobalId> away_;  ///< asked for and held elsewhere; ascending, each once
  Owners owners_;               ///< of those
};

}  // namespace op2::comm
