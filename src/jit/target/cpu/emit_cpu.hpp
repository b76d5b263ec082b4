// SPDX-License-Identifier: BSD-3-Clause
// The C++ of one loop on a CPU: the kernels' sources and the range function around them.
#pragma once

#include <string>
#include <vector>

#include <jit/loop_nest.hpp>
#include <jit/simd.hpp>

namespace op2::jit {

/// Name of the range function (core::RangeFunction) that emitted code defines; reserved.
inline constexpr const char* range_symbol = "__op2_loop";

/// What the code depends on beside the nest and its vectors.
struct CpuCodeForm {
  bool contract = true;  ///< a * b + c may be rounded once; otherwise a pragma in each unit says so
  bool reproducible = false;  ///< see reproducible_form.hpp
};

/// Translation units in C++20: one for a single kernel; otherwise one for each kernel and, after
/// them, that of the loop. The last defines `range_symbol`. A kernel's source is unchanged in its
/// unit, after a `#line` that names the kernel. Equal nests and choices yield equal units. Cost:
/// linear in the length of the result.
std::vector<std::string> emit_cpu(const LoopNest& nest, const SimdChoice& simd,
                                  const CpuCodeForm& form = {});

/// The unit of one kernel among several; no other call of the nest matters.
std::string emit_kernel(const LoopNest& nest, std::size_t call, bool contract = true,
                        bool is_scalar = false);

}  // namespace op2::jit
