// SPDX-License-Identifier: BSD-3-Clause
// The C++ of one loop on a CPU: the kernels' sources and the range function around them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <jit/loop_nest.hpp>
#include <jit/simd.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {

/// Name of the range function (core::RangeFunction) that emitted code defines; reserved.
inline constexpr const char* range_symbol = "__op2_loop";

/// What the code depends on beside the nest and its vectors.
struct CpuCodeForm {
  bool contract = true;  ///< a * b + c may be rounded once; otherwise a pragma in each unit says so
  bool reproducible = false;  ///< see emit_reductions.hpp
};

/// Translation units in C++20: one for a single kernel; otherwise one for each kernel and, after
/// them, that of the loop. The last defines `range_symbol`. A kernel's source is unchanged in its
/// unit, after a `#line` that names the kernel. Equal nests and choices yield equal units. Cost:
/// linear in the length of the result.
std::vector<std::string> emit_cpu(const LoopNest& nest, const SimdChoice& simd,
                                  const CpuCodeForm& form = {});

/// The unit of one kernel among several; no other call of the nest matters.
std::string emit_kernel(const LoopNest& nest, std::size_t call, bool contract = true,
                        bool is_scalar = false);

// How generated code calls the kernels of a nest. A single kernel is in the translation unit of its
// loop. Each of several has a separate unit, so that nothing in its source, not even a macro, can
// clash with another's; there, a function with a C name calls it. All units are linked and inlined
// before the loop is optimised.

/// Statements that call the kernels one after the other.
/// @param pointers  one for each of the nest's arguments, to its data
/// @param indent    of the statements
std::string calls_of(const LoopNest& nest, const std::vector<std::string>& pointers,
                     const std::string& indent);

// The parameters of the functions inside a range function, and what they find in its bindings.

/// Blocks of reduced globals up to this dim are kept in local variables, hence in registers: a
/// store to memory in every iteration would be slow and prevent vectorisation.
inline constexpr int largest_local_block = 16;

inline bool is_local_block(const ArgShape& arg) {
  return is_global(arg) && writes(arg) && arg.dim <= largest_local_block;
}

/// A parameter of an inner function, and its value in the range function.
struct Parameter {
  std::string declaration;
  std::string value;
};

/// One pointer for each distinct dat, because only different dats never alias; one for each
/// distinct map, each global and each table of indices.
std::vector<Parameter> parameters_of(const std::vector<ArgShape>& args);

/// The row of an indirect argument, read from its map.
std::string map_entry(const ArgShape& arg);

}  // namespace op2::jit
