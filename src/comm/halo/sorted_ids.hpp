// SPDX-License-Identifier: BSD-3-Clause
// An ascending list of global indices with constant-time look-up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

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

}  // namespace op2::comm
