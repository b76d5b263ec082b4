// SPDX-License-Identifier: BSD-3-Clause
// Parts of the device library that only some loops include, as source. They follow the library.
#pragma once

namespace op2::jit {

/// Minima and maxima of rows through maps, which threads join atomically.
inline constexpr const char* extreme_library_name = "op2_extremes";
extern const char* const extreme_library;

/// Sums in order (ordered_sums.hpp).
inline constexpr const char* ordered_library_name = "op2_ordered";
extern const char* const ordered_library;

}  // namespace op2::jit
