// SPDX-License-Identifier: BSD-3-Clause
// Numbers items in the order of first appearance, e.g. the dats of a loop or chain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace op2::sched {

/// The number of `item`, which is appended to `seen` if it is new. Cost O(seen).
template <class T>
std::int32_t number_of(std::vector<T>& seen, const T& item) {
  const auto found = std::find(seen.begin(), seen.end(), item);
  const auto number = static_cast<std::int32_t>(found - seen.begin());
  if (found == seen.end()) seen.push_back(item);
  return number;
}

}  // namespace op2::sched
