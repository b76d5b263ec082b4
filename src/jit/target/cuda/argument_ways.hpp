// SPDX-License-Identifier: BSD-3-Clause
// How each argument of a nest reaches its data on a GPU, where all elements run at once.
#pragma once

#include <span>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// Rows up to this dim that are only read are loaded into registers as a whole. Longer ones are
/// read where they are: copies of rows that kernels index at run time would be in slow local
/// memory.
inline constexpr int largest_loaded_row = 16;

enum class ArgumentWay {
  off,
  number,    ///< index of the element: a local variable
  global,    ///< a value that is read
  reduced,   ///< the thread's part of a reduction, in a local variable
  loaded,    ///< a row in registers
  in_place,  ///< a row in memory
  added      ///< a row of zeros that is added to memory after the call, atomically
};

/// A dat that some argument modifies, other than by increments alone, is accessed in place by all
/// its arguments. Increments through maps are added; those of the element's own row too if the dat
/// is also incremented through a map.
std::vector<ArgumentWay> ways_of(std::span<const ArgShape> args);

}  // namespace op2::jit
