// SPDX-License-Identifier: BSD-3-Clause
// The messages of a reduction: blocks of one size, so that no mistake of a rank can make a
// collective of the message layer fail, each of which says how it is folded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <comm/messages/communicator.hpp>

namespace op2::comm {

/// Some words of a reduction. Two blocks are folded word by word: the order of ranks and the shape
/// of the tree do not matter.
struct ReductionBlock {
  static constexpr std::size_t capacity = 61;

  /// Of the fingerprints of all ranks folded so far the greatest, and the greatest complement.
  std::uint64_t greatest, greatest_complement;
  std::uint64_t sums;  ///< words [0, sums) are summed up, of the others the greatest counts
  std::array<std::int64_t, capacity> words;

  explicit ReductionBlock(std::uint64_t fingerprint = 0)
      : greatest(fingerprint), greatest_complement(~fingerprint), sums(0), words{} {}

  void fold(const ReductionBlock& other);

  /// Whether all ranks that were folded have one fingerprint.
  bool agrees() const { return greatest == ~greatest_complement; }
};

/// The words in blocks; at least one, whose fingerprint is the given one. Minima travel as maxima
/// of complements.
std::vector<ReductionBlock> packed(const WordReduction& words, std::uint64_t fingerprint);

/// @param words  gets the folded values, in the lengths that it has
void unpack(const std::vector<ReductionBlock>& blocks, WordReduction& words);

}  // namespace op2::comm
