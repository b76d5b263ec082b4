// SPDX-License-Identifier: BSD-3-Clause
// A map read backwards: for each target, what leads to it.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace op2::core {

/// In compressed rows: the sources of target t are values[first[t]] to values[first[t + 1] - 1].
template <class Value, class Offset>
struct InverseMap {
  std::vector<Offset> first;  ///< shape [targets + 1]
  std::vector<Value> values;

  std::size_t targets() const { return first.size() - 1; }
  std::span<const Value> sources_of(std::size_t target) const {
    return {values.data() + first[target], values.data() + first[target + 1]};
  }
};

/// Sources of one target stay in the order in which they are listed. Cost: two passes.
/// @param list_pairs  calls its argument with (target, value) for each pair, the same ones in both
///                    passes; targets are in [0, targets), and `Offset` can count all pairs
template <class Value, class Offset, class ListPairs>
InverseMap<Value, Offset> invert(std::size_t targets, const ListPairs& list_pairs) {
  // first[t + 2] counts the pairs of t; after the sums, first[t + 1] is where those of t begin and,
  // once they are stored, where they end.
  InverseMap<Value, Offset> inverse{std::vector<Offset>(targets + 2, 0), {}};
  std::vector<Offset>& first = inverse.first;
  list_pairs([&](auto target, const Value&) { ++first[static_cast<std::size_t>(target) + 2]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  inverse.values.resize(static_cast<std::size_t>(first.back()));
  list_pairs([&](auto target, const Value& value) {
    Offset& next = first[static_cast<std::size_t>(target) + 1];
    inverse.values[static_cast<std::size_t>(next++)] = value;
  });
  first.pop_back();
  return inverse;
}

}  // namespace op2::core
