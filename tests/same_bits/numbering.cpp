// SPDX-License-Identifier: BSD-3-Clause
#include <same_bits/numbering.hpp>

#include <algorithm>
#include <numeric>
#include <random>

namespace op2::test {

Indices new_indices(int size, Numbering numbering, unsigned seed) {
  Indices index(static_cast<std::size_t>(size));
  std::iota(index.begin(), index.end(), 0);
  if (numbering == Numbering::reversed) std::ranges::reverse(index);
  if (numbering == Numbering::shuffled) std::ranges::shuffle(index, std::mt19937(seed));
  return index;
}

}  // namespace op2::test
