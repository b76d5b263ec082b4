// SPDX-License-Identifier: BSD-3-Clause
// Moves the rows of one set between their declaring ranks and their owners.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

/// An ascending list of global indices with constant-time look-up.
///
/// Indices are in buckets of equal width, four to eight in each if they are evenly distributed; a
/// bucket is searched by bisection. Memory: 9 bytes per index.
class SortedIds {
 public:
  static constexpr std::int32_t none = -1;

  SortedIds() = default;
  /// @param ids  ascending, without repetition, fewer than 2^31
  explicit SortedIds(std::vector<GlobalId> ids) : ids_(std::move(ids)) {
    if (ids_.empty()) return;
    const auto range = static_cast<std::uint64_t>(ids_.back() - ids_.front());
    while (range >> shift_ > ids_.size() / 4) ++shift_;
    begin_.assign((range >> shift_) + 2, 0);
    for (const GlobalId id : ids_) ++begin_[bucket_of(id) + 1];
    for (std::size_t b = 1; b < begin_.size(); ++b) begin_[b] += begin_[b - 1];
  }

  const std::vector<GlobalId>& ids() const { return ids_; }

  /// Position of a global index, or `none`.
  std::int32_t find(GlobalId id) const {
    if (ids_.empty() || id < ids_.front() || id > ids_.back()) return none;
    const auto bucket = begin_.begin() + static_cast<std::ptrdiff_t>(bucket_of(id));
    const auto found = std::lower_bound(ids_.begin() + bucket[0], ids_.begin() + bucket[1], id);
    const bool there = found != ids_.begin() + bucket[1] && *found == id;
    return there ? static_cast<std::int32_t>(found - ids_.begin()) : none;
  }

 private:
  std::size_t bucket_of(GlobalId id) const {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(id - ids_.front()) >> shift_);
  }

  std::vector<GlobalId> ids_;
  int shift_ = 0;                    ///< a bucket covers 2^shift indices
  std::vector<std::int32_t> begin_;  ///< shape [buckets + 1]: position of the first of each
};

/// Declared rows that one rank owns.
struct RowsOfOwner {
  std::span<const std::int32_t> positions;  ///< in the declared block, ascending
  const std::byte* rows;                    ///< null: in `received`, one after the other
  std::span<const std::int32_t> row_of;     ///< the row at each position
  Bytes received = {};
};

/// Rows in the declared order, one piece after the other: no copy of all of them is needed. Local.
/// Refers to rows and index maps, which must not change meanwhile.
class DeclaredPieces {
 public:
  /// Every position is in one of the parts.
  DeclaredPieces(std::vector<RowsOfOwner> parts, std::size_t row_bytes)
      : row_bytes_(row_bytes), parts_(std::move(parts)) {}
  /// row_of[k] is the row at position k; empty: rows are as declared.
  DeclaredPieces(const std::byte* rows, std::span<const std::int32_t> row_of, std::size_t row_bytes)
      : row_bytes_(row_bytes), rows_(rows), row_of_(row_of) {}

  /// The next rows.
  /// @param storage  holds them, if they are not one after the other already
  std::span<const std::byte> next(std::int64_t count, Bytes& storage);

  /// The same, copied. @param to  shape [count x row_bytes]
  void copy_next(std::int64_t count, std::byte* to);

  void skip(std::int64_t count) { position_ += count; }

 private:
  void copy_from_part(const RowsOfOwner& rows, std::int64_t count, std::byte* to) const;

  std::size_t row_bytes_;
  std::int64_t position_ = 0;             ///< of the next row
  const std::byte* rows_ = nullptr;       ///< null: in parts
  std::span<const std::int32_t> row_of_;  ///< empty: as declared
  std::vector<RowsOfOwner> parts_;
};

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
