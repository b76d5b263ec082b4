// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace op2::core {

/// Of an element of a loop whose floating-point operations nobody has counted.
inline constexpr double unknown_flops = -1;

}  // namespace op2::core
