// SPDX-License-Identifier: BSD-3-Clause
// How each argument of a nest reaches its data on a GPU, where all elements run at once.
#pragma once

#include <cstdint>
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
  best,      ///< a minimum or maximum with payloads: what the element offers, in a local variable
  payload,   ///< a payload: the same
  reduced,   ///< the thread's part of a reduction, in a local variable
  term,      ///< of an exact sum: the element's value, in a local variable
  compared,  ///< the element's value, with which the thread's minimum or maximum is compared
  loaded,    ///< a row in registers
  stored,    ///< a row in registers that is stored after the call
  in_place,  ///< a row in memory
  added,     ///< a row of zeros that is added to memory after the call, atomically
  extreme,   ///< the element's own value of a row's minimum or maximum, joined with it atomically
  summed,    ///< a row of a sum that the thread keeps, or of zeros that are dropped
  kept,      ///< the row of that sum, after all loops that add to it
  once       ///< a row in memory, or in scratch memory if another thread's execution counts
};

/// Rows of the element that the loop modifies, and accesses by one argument only, are loaded and
/// stored as a whole if that takes fewer accesses; values that the kernel sets without reading them
/// are not loaded. Otherwise a dat that some argument modifies, other than by increments alone, is
/// accessed in place by all its arguments. Increments of dats that are only incremented are added,
/// if any of them goes through a map. Minima and maxima through maps are joined.
/// Precondition: of a dat that is modified otherwise, no element accesses rows of another one.
std::vector<ArgumentWay> ways_of(std::span<const ArgShape> args);

/// The same for sums in order (kernel_parameters.hpp): dats that are only incremented, and only
/// through maps, are added.
std::vector<ArgumentWay> ordered_ways_of(std::span<const ArgShape> args);

/// The same where rows gather increments. Precondition: `can_pull`, or `can_gather`.
/// @param gathered  of the nest
std::vector<ArgumentWay> pull_ways_of(std::span<const ArgShape> args,
                                      std::span<const std::int32_t> gathered);

}  // namespace op2::jit
