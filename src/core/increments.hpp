// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace op2::core {

/// How loops on a GPU add to rows through maps (OP2_GPU_INC).
enum class Increments {
  automatic,  ///< the code generator chooses for each loop
  rows,       ///< each element adds its rows, atomically
  pull        ///< each row gathers what elements add to it, where a loop allows that
};

}  // namespace op2::core
