// SPDX-License-Identifier: BSD-3-Clause
// How kernels are compiled, as far as no request decides it. No Clang in it, so that a fingerprint
// is at hand without loading Clang.
#pragma once

#include <string>
#include <vector>

#include <jit/backend.hpp>
#include <jit/llvm/machine.hpp>

namespace op2::jit {

/// Arguments of `clang -cc1` but for the names of files.
std::vector<std::string> clang_arguments(const Machine& machine, const Sanitizers& sanitizers);

/// The headers that kernels may include: common_headers.hpp, and those for a CPU.
std::vector<IncludedFile> shim_headers();

/// Largest stack frame of a range function.
inline constexpr int max_frame_bytes = 256 * 1024;

/// 16 hexadecimal digits that change with the headers, the flags and the rules of optimisation.
std::string toolchain_fingerprint();

}  // namespace op2::jit
