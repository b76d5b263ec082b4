// SPDX-License-Identifier: BSD-3-Clause
// What generated kernels call: loads of rows, atomic additions, folds of reductions, and the
// comparison of a kernel's parameters with its loop.
#pragma once

namespace op2::jit {

/// The name under which generated code includes it.
inline constexpr const char* device_library_name = "op2_device";

/// CUDA C++20.
extern const char* const device_library;

}  // namespace op2::jit
