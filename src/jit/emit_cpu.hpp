// SPDX-License-Identifier: BSD-3-Clause
// The C++ of one loop on a CPU: the kernels' sources and the range function around them.
#pragma once

#include <string>
#include <vector>

#include <jit/lanes.hpp>
#include <jit/loop_nest.hpp>

namespace op2::jit {

/// Name of the range function (core::RangeFunction) that emitted code defines; no kernel may have
/// it.
inline constexpr const char* range_symbol = "__op2_loop";

/// The constants that kernels of a nest name, each once, in order of first appearance.
std::vector<ConstantShape> constants_of(const LoopNest& nest);

/// Symbol through which emitted code reads a constant; its address is given when linking. Constants
/// of one name are told apart by their places in `constants_of`.
std::string constant_symbol(const LoopNest& nest, const ConstantShape& constant);

/// Translation units in C++20: one for a single kernel; else one for each kernel and, behind them,
/// that of the loop. The last defines `range_symbol`. A kernel's source is in its unit as it is,
/// behind a `#line` that names the kernel. Equal nests and lanes yield equal units. Cost: linear in
/// the length of the result.
std::vector<std::string> emit_cpu(const LoopNest& nest, const Lanes& lanes);

/// All units, for display.
std::string joined(const std::vector<std::string>& units);

}  // namespace op2::jit
