// SPDX-License-Identifier: BSD-3-Clause
// The messages of a reduction: blocks of a fixed size, so that no rank can make a collective of the
// message layer fail by a wrong size. Each block says how it is folded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <comm/messages/communicator.hpp>

namespace op2::comm {

/// Some words of a reduction. Blocks are folded word by word; neither the order of ranks nor the
/// shape of the tree matters.
struct ReductionBlock {
  static constexpr std::size_t capacity = 61;

  /// The greatest fingerprint of the ranks folded so far, and the greatest complement of one.
  std::uint64_t greatest, greatest_complement;
  std::uint64_t sums;  ///< words [0, sums) are added; of the others the greatest is kept
  std::array<std::int64_t, capacity> words;

  explicit ReductionBlock(std::uint64_t fingerprint = 0)
      : greatest(fingerprint), greatest_complement(~fingerprint), sums(0), words{} {}

  void fold(const ReductionBlock& other);

  /// Whether all ranks that were folded have one fingerprint.
  bool agrees() const { return greatest == ~greatest_complement; }
};

/// Packs words into blocks: at least one, all with the given fingerprint. Minima are sent as maxima
/// of complements.
std::vector<ReductionBlock> packed(const WordReduction& words, std::uint64_t fingerprint);

/// @param words  gets the folded values; its lengths are those of the packed words
void unpack(const std::vector<ReductionBlock>& blocks, WordReduction& words);

}  // namespace op2::comm
