// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/message_layer.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <core/arithmetic.hpp>
#include <core/text.hpp>

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

/// The first two lines that differ; two empty ones if none do.
std::pair<std::string_view, std::string_view> first_difference(std::string_view a,
                                                               std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const auto line_a = core::next_part(a, '\n'), line_b = core::next_part(b, '\n');
    if (line_a != line_b) return {line_a, line_b};
  }
  return {};
}

/// "loop 'name'": up to the second quote.
std::string_view loop_of(std::string_view line) {
  const auto open = line.find('\'');
  const auto close = open == line.npos ? open : line.find('\'', open + 1);
  return close == line.npos ? std::string_view() : line.substr(0, close + 1);
}

std::string_view source_hash(std::string_view line) {
  const auto begin = line.find("source=");
  if (begin == line.npos) return {};
  return line.substr(begin, line.find_first_of(" ,;)", begin) - begin);
}

bool only_the_sources_differ(std::string_view a, std::string_view b) {
  return !loop_of(a).empty() && loop_of(a) == loop_of(b) && !source_hash(a).empty() &&
         !source_hash(b).empty() && source_hash(a) != source_hash(b);
}

std::string described(const Position& position, std::string_view line) {
  constexpr std::size_t longest = 500;  // bytes: one line may be the whole list of arguments
  if (line.size() > longest)
    return fmt::format("rank {} is at: {} ...", position.rank, line.substr(0, longest));
  if (line.empty()) return fmt::format("rank {} is at: no further call", position.rank);
  return fmt::format("rank {} is at: {}", position.rank, line);
}

bool is_declaration(std::string_view line) {
  return line.starts_with(declared_prefix);
}

std::string declared_by(const Position& position, std::string_view line) {
  if (!is_declaration(line)) return fmt::format("rank {} declares nothing more", position.rank);
  return fmt::format("rank {} {}", position.rank, line);
}

constexpr std::string_view ending_call = "op_exit";  ///< its signature

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

Error collective_mismatch(const Position& a, const Position& b) {
  if (a.rank > b.rank) return collective_mismatch(b, a);
  const auto [line_a, line_b] = first_difference(a.steps, b.steps);
  if (only_the_sources_differ(line_a, line_b))
    return Error(
        ErrorCode::kernel_differs,
        fmt::format("ranks {} and {} have different sources of one kernel: {}; {}; start the "
                    "same program with the same kernel files on every rank",
                    a.rank, b.rank, described(a, line_a), described(b, line_b)));
  if (is_declaration(line_a) || is_declaration(line_b))
    return Error(ErrorCode::collective_mismatch,
                 fmt::format("ranks declare different data: {}; {}; declare the same dats, with "
                             "equal sets, types and dims, in the same order on every rank",
                             declared_by(a, line_a), declared_by(b, line_b)));
  if (line_a == ending_call || line_b == ending_call)
    return Error(ErrorCode::rank_ended,
                 fmt::format("a rank ends the program while others go on: {}; {}; call op_exit on "
                             "every rank, after the same calls",
                             described(a, line_a), described(b, line_b)));
  if (line_a.empty() && line_b.empty())
    return Error(
        ErrorCode::collective_mismatch,
        fmt::format("collective mismatch: ranks {} and {} make different calls of equal "
                    "description (fingerprints {:016x} and {:016x}), {}; every rank must make the "
                    "same calls in the same order with the same arguments",
                    a.rank, b.rank, a.fingerprint, b.fingerprint,
                    described(a, std::string_view(a.steps).substr(0, a.steps.find('\n')))));
  return Error(ErrorCode::collective_mismatch,
               fmt::format("collective mismatch: {}; {}; every rank must make the same calls in "
                           "the same order",
                           described(a, line_a), described(b, line_b)));
}

}  // namespace op2::comm
