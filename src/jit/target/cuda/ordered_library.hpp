// SPDX-License-Identifier: BSD-3-Clause
// The device's part of sums in order (ordered_sums.hpp), as source.
#pragma once

namespace op2::jit {

inline constexpr const char* ordered_library_name = "op2_ordered";

/// Behind the device library.
extern const char* const ordered_library;

}  // namespace op2::jit
