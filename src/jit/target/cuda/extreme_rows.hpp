// SPDX-License-Identifier: BSD-3-Clause
// Minima and maxima of rows through maps, which threads join atomically: the device's part as
// source.
#pragma once

namespace op2::jit {

inline constexpr const char* extreme_library_name = "op2_extremes";

/// Behind the device library.
extern const char* const extreme_library;

}  // namespace op2::jit
