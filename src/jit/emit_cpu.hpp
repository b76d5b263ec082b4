// SPDX-License-Identifier: BSD-3-Clause
// The C++ of one loop on a CPU: the kernel's text and the range function around it.
#pragma once

#include <string>

#include <jit/lanes.hpp>
#include <jit/loop_shape.hpp>

namespace op2::jit {

/// Name of the range function (core::RangeFunction) that emitted code defines; no kernel may have
/// it.
inline constexpr const char* range_symbol = "__op2_loop";

/// Symbol through which emitted code reads the constant `name`; its address is given when linking.
std::string constant_symbol(const std::string& name);

/// C++20 that defines `range_symbol`. The kernel's text is in it as it is, behind a `#line` that
/// names the kernel. Equal shapes and lanes yield equal text. Cost: linear in the length of the
/// result.
std::string emit_cpu(const LoopShape& shape, const Lanes& lanes);

}  // namespace op2::jit
