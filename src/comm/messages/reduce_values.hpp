// SPDX-License-Identifier: BSD-3-Clause
// Sums, minima and maxima of typed values over all ranks, the same bits for every tree of ranks.
#pragma once

#include <span>

#include <comm/messages/communicator.hpp>
#include <core/exact_sum.hpp>
#include <op2/types.hpp>

namespace op2::comm {

enum class Fold { sum, least, greatest };

/// What NaN is to a minimum or maximum: it counts only if all values are NaN, or if any is.
enum class Nan { loses, wins };

/// Values of this rank; owns nothing.
struct FoldedValues {
  Type type;
  Fold fold;
  int count;
  void* values;  ///< shape [count]; replaced by the result
  /// Of a sum: `values` are core::ExactSum of the type, which are not rounded.
  bool exact = false;
  Nan nan = Nan::loses;

  template <class T>
  std::span<core::ExactSum<T>> exact_sums() const {
    return {static_cast<core::ExactSum<T>*>(values), static_cast<std::size_t>(count)};
  }
};

/// Replaces all values by their sums, minima or maxima over the ranks. Collective: one reduction
/// for all of them, in which types, folds and counts are compared. On one rank nothing changes.
///
/// Sums of integers wrap around; those of float and double are exact and rounded once; those of
/// bool are the logical or. For minima and maxima -0 is less than 0; a NaN is always the same one.
/// @throws Error collective_mismatch, communication_failure
void reduce_values(Communicator& communicator, std::span<const FoldedValues> all);

}  // namespace op2::comm
