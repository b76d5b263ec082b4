// SPDX-License-Identifier: BSD-3-Clause
// The functions of a nest that a GPU launches (kernel_parameters.hpp), as CUDA C++.
#pragma once

#include <string>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// How what elements add gets to rows through maps.
enum class Adding {
  atomically,
  by_rows,  ///< rows gather it (gather.hpp)
  in_order  ///< as parts that rows add in order; all sums and extremes are those of the CPU
};

/// op2_loop or op2_pull, op2_gather0 and so on, and op2_fold, as far as the nest has them.
/// Preconditions: `runs_on_device`. By rows: `can_pull`, or `can_gather`; in order:
/// bytes_of_sums <= most_bytes_of_sums.
std::string emit_kernels(const LoopNest& nest, Adding adding);

}  // namespace op2::jit
