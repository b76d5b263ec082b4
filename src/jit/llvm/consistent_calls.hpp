// SPDX-License-Identifier: BSD-3-Clause
// Kernels that call elementary functions or are contracted, and must have the same bits everywhere.
#pragma once

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace op2::jit {

/// Calls the variants of consistent_names.hpp instead of the C library's functions and of what the
/// optimiser knows about them. To be used before any optimisation, which else evaluates calls of
/// constants with the functions of the compiling process, and replaces pow(x, 2) only where it is
/// scalar. Where the source allows contraction, a * b + c is rounded once, also on processors
/// without such an instruction, which call the C library for it.
/// @return  the functions that have no variant: "sincos"
std::vector<std::string> make_calls_consistent(llvm::Module& module);

}  // namespace op2::jit
