// SPDX-License-Identifier: BSD-3-Clause
// Advice for the user on messages of the compiler.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <jit/backend.hpp>
#include <op2/kernel.hpp>

namespace op2::jit {

/// The standard headers that kernels can include, under their C++ names.
inline constexpr std::array offered_headers{
    "algorithm",  "array",   "cassert", "cfloat",  "climits", "cmath",
    "complex",    "cstddef", "cstdint", "cstdio",  "cstdlib", "cstring",
    "functional", "limits",  "numbers", "numeric", "utility"};

/// The folder of the file that declares the kernel, in which its headers are searched.
std::string folder_of(const op_kernel_core& kernel);

/// Advice, e.g. "; declared constants: gam; did you mean 'gam'?" or "; add #include <cstdio>"; may
/// be empty.
/// @param constants  names of all declared constants
std::string hint_for(const Diagnostic& diagnostic, const op_kernel_core& kernel,
                     const std::vector<std::string>& constants);

}  // namespace op2::jit
