// SPDX-License-Identifier: BSD-3-Clause
// Names of the standard library that kernels have besides the functions of mathematics: those of
// src/jit/kernel_library. Whether kernels have the overload that a program calls, the check of the
// embedded source finds out (source_check.hpp).
#pragma once

#include <string_view>

namespace op2::embed {

/// The header of a function or function template that is in namespace std only; null if kernels do
/// not have it.
const char* header_of_template(std::string_view name);

/// The header of a function that C has too; null if kernels do not have it.
const char* header_of_c_function(std::string_view name);

/// The header of a class or class template in namespace std; null if kernels do not have it.
const char* header_of_class(std::string_view name);

}  // namespace op2::embed
