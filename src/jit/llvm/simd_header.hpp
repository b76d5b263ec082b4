// SPDX-License-Identifier: BSD-3-Clause
// The header <op2_simd> of generated code: between rows in memory and components in vectors.
#pragma once

namespace op2::jit {

extern const char* const simd_header;

}  // namespace op2::jit
