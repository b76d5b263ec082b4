// SPDX-License-Identifier: BSD-3-Clause
// Colours of the elements of a set: a loop whose result depends on the order of its elements runs
// as a sequence of loops, one for each colour, within which no two elements use a row in common.
#pragma once

#include <cstdint>
#include <vector>

#include <core/mesh.hpp>

namespace op2::core {

/// Uniform but for `rows`. Lives as long as the session.
struct Colouring {
  const Set* set;
  int count;                        ///< of colours, at least 2
  bool writes;                      ///< also rows that elements only write; false: that they read
  std::vector<std::uint16_t> rows;  ///< the colour of each local row: shape [rows of the set]
};

}  // namespace op2::core
