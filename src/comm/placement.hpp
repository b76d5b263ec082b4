// SPDX-License-Identifier: BSD-3-Clause
// Moves the rows of one set between the ranks that hold them as declared and those that own them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <comm/block_mesh.hpp>
#include <comm/communicator.hpp>
#include <comm/sorted_ids.hpp>

namespace op2::comm {

/// The owned elements of a rank have ordinals: positions in the ascending order of their global
/// numbers. Because blocks ascend with the ranks, the elements that come from one holder have
/// consecutive ordinals.
class Placement {
 public:
  Placement() = default;

  /// Collective.
  /// @param owners  of the held elements
  Placement(Communicator& communicator, const Blocks& set, const Owners& owners);

  /// Global numbers of the owned elements, by ordinal.
  const std::vector<GlobalId>& owned() const { return owned_.ids(); }

  /// The ordinal of an element, or SortedIds::none if it is not owned here.
  std::int32_t ordinal_of(GlobalId id) const { return owned_.find(id); }

  /// Collective. Rows by ordinal from the rows of the held block.
  Bytes to_owners(Communicator& communicator, std::span<const std::byte> held,
                  std::size_t row_bytes) const;

  /// Collective. The held block from rows by ordinal.
  Bytes to_holders(Communicator& communicator, std::span<const std::byte> owned,
                   std::size_t row_bytes) const;

 private:
  struct Leaving {
    int owner;
    std::vector<std::int32_t> held;  ///< positions in the block, ascending
  };
  struct Arriving {
    int holder;
    std::int32_t count;
  };
  std::vector<Leaving> leaving_;
  std::vector<Arriving> arriving_;  ///< ascending holders: ordinals in order
  SortedIds owned_;
  std::int32_t held_ = 0;
};

}  // namespace op2::comm
