// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/message_layer.hpp>

#include <algorithm>

#include <core/arithmetic.hpp>

namespace op2::comm {

namespace {

/// Calls `use(k, is_sum, word)` for each word of the reduction, the k-th of its messages.
template <class Words, class Use>
void for_each_word(Words& words, const Use& use) {
  std::size_t k = 0;
  for (auto& word : words.sums) use(k++, true, word);
  for (auto& word : words.maxima) use(k++, false, word);
  for (auto& word : words.minima) {
    std::int64_t complement = ~word;
    use(k++, false, complement);
    if constexpr (!std::is_const_v<Words>) word = ~complement;
  }
}

}  // namespace

void ReductionBlock::fold(const ReductionBlock& other) {
  greatest = std::max(greatest, other.greatest);
  greatest_complement = std::max(greatest_complement, other.greatest_complement);
  const std::size_t summed = std::min<std::uint64_t>(sums, capacity);
  for (std::size_t k = 0; k < summed; ++k)
    words[k] = static_cast<std::int64_t>(static_cast<std::uint64_t>(words[k]) +
                                         static_cast<std::uint64_t>(other.words[k]));
  for (std::size_t k = summed; k < capacity; ++k) words[k] = std::max(words[k], other.words[k]);
}

std::vector<ReductionBlock> packed(const WordReduction& words, std::uint64_t fingerprint) {
  constexpr std::size_t capacity = ReductionBlock::capacity;
  const std::size_t count = words.sums.size() + words.minima.size() + words.maxima.size();
  std::vector<ReductionBlock> blocks(std::max<std::size_t>(1, core::pieces_for(count, capacity)),
                                     ReductionBlock(fingerprint));
  for_each_word(words, [&](std::size_t k, bool is_sum, std::int64_t word) {
    blocks[k / capacity].words[k % capacity] = word;
    if (is_sum) ++blocks[k / capacity].sums;
  });
  return blocks;
}

void unpack(const std::vector<ReductionBlock>& blocks, WordReduction& words) {
  constexpr std::size_t capacity = ReductionBlock::capacity;
  for_each_word(words, [&](std::size_t k, bool, std::int64_t& word) {
    word = blocks[k / capacity].words[k % capacity];
  });
}

}  // namespace op2::comm
