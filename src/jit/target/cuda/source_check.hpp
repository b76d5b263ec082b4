// SPDX-License-Identifier: BSD-3-Clause
// What kernels should not contain although NVRTC accepts it, found in their tokens.
#pragma once

#include <vector>

#include <jit/compile_result.hpp>
#include <jit/loop_nest.hpp>

namespace op2::jit {

/// The errors and warnings that compiling for a CPU gives too: static variables that are not const,
/// inline assembly, memory that is allocated, virtual functions, functions of <cmath> defined anew.
/// Also in parts that conditions of the preprocessor exclude, where inline assembly, an error
/// otherwise, is a warning; not in what macros make.
std::vector<Diagnostic> check_sources(const LoopNest& nest);

}  // namespace op2::jit
