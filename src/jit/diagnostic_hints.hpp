// SPDX-License-Identifier: BSD-3-Clause
// Advice for the user on messages of the compiler.
#pragma once

#include <string>
#include <vector>

#include <jit/backend.hpp>
#include <op2/kernel.hpp>

namespace op2::jit {

/// Whether it is an OP_KERNEL.
inline bool is_macro(const op_kernel_core& kernel) {
  return kernel.parameters != nullptr;
}

/// The folder of the file that declares the kernel, in which its headers are searched. If the
/// compiler was given a relative name of the file: from the working directory, or, if that does not
/// have the header of an OP_KERNEL, from the folder of the program.
std::string folder_of(const op_kernel_core& kernel);

/// Advice, e.g. "; declared constants: gam; did you mean 'gam'?" or "; add #include <cstdio>"; may
/// be empty.
/// @param constants  names of all declared constants
std::string hint_for(const Diagnostic& diagnostic, const op_kernel_core& kernel,
                     const std::vector<std::string>& constants);

}  // namespace op2::jit
