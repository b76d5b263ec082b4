// SPDX-License-Identifier: BSD-3-Clause
// Which arguments of reproducible code may add to slots instead of rows: so that what several
// elements add to a row can be added in another order than that of their execution.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// An argument that adds through a map to a dat with which the loop does nothing else. Kernels get
/// a row of zeros for it; afterwards that is added to the target, a row or a slot.
struct SlottedArg {
  std::size_t arg;  ///< its position
  /// The first argument of the same dat, map and column: they share a row of zeros.
  std::size_t sum;
  /// The first argument with the same table of targets: through the same map, to a dat to which the
  /// loop adds through the same columns.
  std::size_t targets;
};

/// In the order of their positions.
std::vector<SlottedArg> slotted_args(std::span<const ArgShape> args);

}  // namespace op2::jit
