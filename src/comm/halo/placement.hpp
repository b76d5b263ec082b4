// SPDX-License-Identifier: BSD-3-Clause
// Moves the rows of one set between their declaring ranks and their owners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <comm/halo/declared_pieces.hpp>
#include <comm/halo/sorted_ids.hpp>
#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

/// The owned elements of a rank have ordinals: positions in the ascending order of their global
/// indices. Because blocks ascend with the ranks, the elements that come from one declaring rank
/// have consecutive ordinals.
class Placement {
 public:
  /// Of a set that the only rank declares and owns.
  Placement() : stays_(true) {}

  /// Collective.
  /// @param owners  of the declared elements
  Placement(Communicator& communicator, const Blocks& set, const Owners& owners);

  /// Whether rows by ordinal are those that the rank declares, because it is the only one.
  bool stays() const { return stays_; }

  /// Global indices of the owned elements, by ordinal; none if they stay.
  const std::vector<GlobalId>& owned() const { return owned_.ids(); }

  /// The ordinal of an element, or SortedIds::none if it is not owned here.
  std::int32_t ordinal_of(GlobalId id) const { return owned_.find(id); }

  /// Collective. Rows by ordinal from the rows of the declared block.
  Bytes to_owners(Communicator& communicator, std::span<const std::byte> declared,
                  std::size_t row_bytes) const;

  /// Collective. The declared block from rows, which are sent if other ranks declare them.
  /// @param row_of  rows by ordinal; outlives the result, as rows do
  DeclaredPieces to_declaring_ranks(Communicator& communicator, const std::byte* rows,
                                    std::span<const std::int32_t> row_of,
                                    std::size_t row_bytes) const;

 private:
  struct Leaving {
    int owner;
    std::vector<std::int32_t> declared;  ///< positions in the block, ascending
  };
  struct Arriving {
    int rank;
    std::int32_t count;
  };
  const std::vector<std::int32_t>& declared_of(int owner) const;

  std::vector<Leaving> leaving_;    ///< ascending owners
  std::vector<Arriving> arriving_;  ///< ascending ranks: ordinals in order
  SortedIds owned_;
  bool stays_ = false;
};

}  // namespace op2::comm
