// SPDX-License-Identifier: BSD-3-Clause
// Other numbers for the elements of a mesh, and the block of them that a rank declares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <op2/op2.hpp>

namespace op2::test {

enum class Numbering { given, reversed, shuffled };

/// The new index of each element of a set.
using Indices = std::vector<int>;

/// @param seed  of a shuffled numbering; the same on all ranks
Indices new_indices(int size, Numbering numbering, unsigned seed);

/// Rows of `dim` values, at the new indices of their elements.
template <class T>
std::vector<T> renumbered(const std::vector<T>& rows, int dim, const Indices& index) {
  std::vector<T> moved(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::size_t row = k / static_cast<std::size_t>(dim),
                      at = k % static_cast<std::size_t>(dim);
    moved[static_cast<std::size_t>(index[row]) * static_cast<std::size_t>(dim) + at] = rows[k];
  }
  return moved;
}

/// A map of arity `arity` between sets with new indices.
inline std::vector<int> renumbered_map(std::vector<int> targets, int arity, const Indices& from,
                                       const Indices& to) {
  for (int& target : targets) target = to[static_cast<std::size_t>(target)];
  return renumbered(targets, arity, from);
}

/// The rows of `dim` values that this rank declares.
template <class T>
std::vector<T> block_of(const std::vector<T>& rows, int dim) {
  const auto count = static_cast<std::int64_t>(rows.size()) / dim;
  const std::int64_t rank = op_rank(), ranks = op_ranks();
  return {rows.begin() + count * rank / ranks * dim,
          rows.begin() + count * (rank + 1) / ranks * dim};
}

}  // namespace op2::test
