// SPDX-License-Identifier: BSD-3-Clause
// What generated code passes to the kernels of a nest.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// Whether the argument is the first of several columns that are one parameter of the kernel.
bool is_vector(const LoopNest& nest, const CallArg& arg);

/// Statements that declare an array of pointers for each vector argument of a call.
/// @param pointers  one for each of the nest's arguments, to its data
/// @param indent    of the statements
std::string vector_declarations(const LoopNest& nest, std::size_t call,
                                const std::vector<std::string>& pointers,
                                const std::string& indent);

/// How an expression becomes an actual argument.
/// @param is_any  the kernel's parameter decides the type of the pointer
using PassPointer = std::function<std::string(const std::string& pointer, bool is_any)>;

/// One expression for each parameter of a kernel; nullptr for arguments that are off.
std::vector<std::string> actual_arguments(const LoopNest& nest, std::size_t call,
                                          const std::vector<std::string>& pointers,
                                          const PassPointer& pass);

}  // namespace op2::jit
