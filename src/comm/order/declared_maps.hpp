// SPDX-License-Identifier: BSD-3-Clause
// A mesh as declared, without copies of its maps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

/// The rows of a map that this rank declares.
struct DeclaredMap {
  int from, to;  ///< indices of sets
  int arity;
  std::span<const std::int32_t> targets;  ///< global indices, shape [declared x arity]
};

/// A mesh, and the set of it whose elements are to be ordered.
struct DeclaredMaps {
  Communicator& ranks;
  std::vector<const Blocks*> sets;
  std::vector<DeclaredMap> maps;
  int ordered = 0;  ///< index of that set

  const Blocks& blocks_of(int set) const { return *sets[static_cast<std::size_t>(set)]; }
  const Blocks& blocks() const { return blocks_of(ordered); }
  /// The first element of a set that this rank declares.
  GlobalId first_of(int set) const {
    return blocks_of(set).begin[static_cast<std::size_t>(ranks.rank())];
  }
  std::size_t declared() const { return static_cast<std::size_t>(blocks().count(ranks.rank())); }
};

}  // namespace op2::comm
