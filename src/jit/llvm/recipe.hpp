// SPDX-License-Identifier: BSD-3-Clause
// How kernels are compiled, as far as no request decides it: the headers that they may include and
// the flags of Clang. No LLVM in it, so that a fingerprint is at hand without loading Clang.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <jit/backend.hpp>
#include <jit/llvm/machine.hpp>

namespace op2::jit {

/// Small stand-ins for the headers of the C and C++ libraries (<cmath>, <math.h>, <stdint.h>, ...):
/// kernels see no file of the machine, and parsing them takes no measurable time.
std::vector<IncludedFile> shim_headers();

/// Arguments of `clang -cc1` but for the names of files.
std::vector<std::string> clang_arguments(const Machine& machine, const CompileRequest& request);

/// Largest stack frame of a range function.
inline constexpr int max_frame_bytes = 256 * 1024;

/// 16 hexadecimal digits that change with the headers and the flags.
std::string recipe_fingerprint();

}  // namespace op2::jit
