// SPDX-License-Identifier: BSD-3-Clause
// The functions that are launched, op2_loop and op2_fold.
#pragma once

#include <string>

#include <jit/loop_nest.hpp>

namespace op2::jit {

std::string loop_kernel(const LoopNest& nest);

/// Empty if the nest has no reductions.
/// @param ordered  sums of float and double are integers (ordered_sums.hpp), and NaN is an extreme
std::string fold_kernel(const LoopNest& nest, bool ordered = false);

}  // namespace op2::jit
