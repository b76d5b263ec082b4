// SPDX-License-Identifier: BSD-3-Clause
// The halo plan of one rank, its nested sets W_h: which elements it has rows for, in which order,
// and which ranks own them (docs/design/halo-algebra.md). Grown on demand; existing rows never
// move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <comm/halo/locality.hpp>
#include <comm/halo/placement.hpp>
#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>
#include <core/error.hpp>
#include <core/layout.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <op2/types.hpp>

namespace op2::comm {

/// Rows [begin, begin + count) of a level that `rank` owns.
struct ImportRange {
  int rank;
  std::int32_t begin, count;
};

/// Own rows that `rank` has at a level, in the order of its import range.
struct ExportList {
  int rank;
  std::vector<std::int32_t> rows;
};

/// One level h > 0 of one set; ranks ascend in both lists.
struct HaloLevel {
  std::vector<ImportRange> imports;
  std::vector<ExportList> exports;
};

/// A global index with its owner, as it travels.
struct Element {
  GlobalId id;
  std::int32_t owner;
  friend bool operator==(const Element&, const Element&) = default;
};

/// An iteration that accesses an owned element.
struct Reference {
  std::int32_t row;  ///< of the owned element
  Element iteration;
};

struct IndexMap {
  Placement placement;
  /// Of the owned element with the given ordinal; empty: the ordinal.
  std::vector<std::int32_t> row_of;
  core::Layout layout;
  std::vector<HaloLevel> levels;  ///< levels[h - 1] is level h; none without neighbours

  /// Whether the rows are those that this rank declares, in their order.
  bool as_declared() const { return placement.stays() && row_of.empty(); }

  /// Local row of an owned element.
  std::int32_t owned_row(GlobalId id) const {
    const std::int32_t ordinal = placement.ordinal_of(id);
    core::ensure(ordinal != SortedIds::none,
                 "a rank asks another for an element that it does not own");
    return row_of[ordinal];
  }
  std::int32_t row_at(std::int32_t ordinal) const {
    return row_of.empty() ? ordinal : row_of[ordinal];
  }
  GlobalId id_at(std::int32_t row) const {
    return layout.global_id.empty() ? row : layout.global_id[row];
  }

  /// Puts declared rows where they belong; other rows stay as they are. Collective.
  /// @param rows  shape [rows of the layout x row_bytes]
  void from_declared(Communicator& communicator, std::span<const std::byte> declared,
                     std::size_t row_bytes, std::byte* rows) const;
  /// The declared rows of this rank, which refer to `rows`. Collective.
  DeclaredPieces declared_pieces(Communicator& communicator, const std::byte* rows,
                                 std::size_t row_bytes) const;
};

struct LocalMap {
  int from, to;
  int arity;
  /// Local rows of the targets: shape [rows of W_(depth - 1) of `from` x arity]. Below depth 2, a
  /// target that has no row yet is -1 - its position in `remote_targets`. Without neighbours, if
  /// both sets are as declared, the declared entries hold and none are here.
  std::vector<std::int32_t> entries;
  std::vector<Element> remote_targets;
  std::vector<Reference> remote_references;  ///< iterations of other ranks, ascending rows
};

struct HaloPlan {
  int rank;
  core::Level depth;  ///< the highest level; even, or every_level without neighbours
  std::vector<IndexMap> sets;
  std::vector<LocalMap> maps;

  const IndexMap& index_map(const op_set_core& set) const { return sets[set.index]; }
};

/// How owned elements are ordered: by their levels, and those of equal level so.
struct Numbering {
  core::RenumberMode mode = core::RenumberMode::off;  ///< off: by their global indices
  std::vector<std::int64_t> weight;  ///< of each set, see LocalMesh; needed unless off
  /// Of each set: all its owned elements are ordered by their global indices, whatever their level.
  /// No map starts from such a set. Uniform; empty: there is none.
  std::vector<char> keeps_order{};
  /// Needed for the canonical order. Its places are those of the elements that this rank declares.
  CanonicalOrder canonical{};
  core::Level deepest = core::deepest_tracked;  ///< level that is distinguished; even, at most -2
};

/// The owned elements in their order, and the levels up to 2. Levels are distinguished down to
/// Numbering::deepest, but only to core::deepest_of_small_parts unless the parts of all ranks are
/// much larger than their boundaries. Collective. Cost: O(mesh / ranks * levels tracked) and a few
/// sparse exchanges.
/// @param mesh    rows declared by this rank
/// @param owners  of the declared elements, for each set
HaloPlan build_halo_plan(Communicator& communicator, const BlockMesh& mesh,
                         const std::vector<Owners>& owners, const Numbering& numbering = {});

/// The plan of the only rank, which has no neighbours: all elements in the order of
/// `locality_orders`. Local. Cost: that of the order, and a pass over the maps that change.
/// @param mesh  as declared
HaloPlan plan_without_neighbours(const LocalMesh& mesh, core::RenumberMode mode);

/// Adds layers (two levels each) until there are levels up to `level`. Collective. Cost: five
/// sparse exchanges between neighbours for each layer, and work in proportion to the layer.
void grow_halo_plan(Communicator& communicator, HaloPlan& plan, core::Level level);

/// Whether levels below core::deepest_of_small_parts are worth it for a part of so many elements,
/// of all sets, of which so many are in its outermost layer (depth 1 and 2): in sixteen layers like
/// that are at most half of them.
bool is_large_part(std::int64_t elements, std::int64_t outermost);

/// Marks the layouts of sets with a local map (core::ChainLoop), for which the ranks agree that it
/// leads to owned elements everywhere. Collective. Cost: a reduction of a word for each set that
/// has a single map of one column and is not a target; nothing without such a set.
/// @param plan  has maps with their remote targets
void find_local_maps(Communicator& communicator, HaloPlan& plan);

/// In bytes, on this rank.
struct HaloMemory {
  std::int64_t rows;   ///< halo rows of dats and maps, with their global indices and owners
  std::int64_t lists;  ///< what maintains them: global indices for kernels, export lists, import
                       ///< ranges, references from other ranks, memory reserved and not used
};

/// No rows without neighbours. Local; cost O(lists).
HaloMemory halo_memory(const HaloPlan& plan, const core::Mesh& mesh);

}  // namespace op2::comm
