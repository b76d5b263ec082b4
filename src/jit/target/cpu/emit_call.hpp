// SPDX-License-Identifier: BSD-3-Clause
// How generated code calls the kernels of a nest. A single kernel is in the translation unit of its
// loop. Each of several has a separate unit, so that nothing in its source, not even a macro, can
// clash with another's; there, a function with a C name calls it. All units are linked and inlined
// before the loop is optimised.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// The C name of the function that calls the kernel of a call in a separate unit.
std::string call_symbol(std::size_t call);

/// Declarations of these functions; empty for a single kernel.
std::string call_declarations(const LoopNest& nest);

/// The definition of the function named `call_symbol(call)`.
std::string call_definition(const LoopNest& nest, std::size_t call);

/// Statements that call the kernels one after the other.
/// @param pointers  one for each of the nest's arguments, to its data
/// @param indent    of the statements
std::string calls_of(const LoopNest& nest, const std::vector<std::string>& pointers,
                     const std::string& indent);

/// Whether calls need the struct op2_pointer in the unit of the loop.
bool converts_pointers(const LoopNest& nest);

}  // namespace op2::jit
