// SPDX-License-Identifier: BSD-3-Clause
// The function of a loop that executes whole blocks of elements, one element in each lane.
#pragma once

#include <string>
#include <vector>

#include <jit/loop_nest.hpp>
#include <jit/simd.hpp>
#include <jit/target/cpu/emit_reductions.hpp>

namespace op2::jit {

/// Name of that function.
inline constexpr const char* blocks_function = "op2_blocks";

/// Rows are loaded element by element and transposed, so that each component of an argument is one
/// vector; the kernels run in a loop over the lanes, which the compiler vectorises; results are
/// transposed back. Increments through maps are added in the order of the elements.
/// @param width         elements of a block
/// @param declarations  of the parameters that both functions of a loop share
void emit_blocks(std::string& out, const LoopNest& nest, const ReproducibleForm& form, int width,
                 const std::string& declarations);

// Whether a loop on a CPU may be vectorised over elements, one in each lane.

/// What the arguments of a nest allow. Lanes must not see each other's changes: a dat that the loop
/// modifies is either accessed by one argument, directly, or incremented through maps and not read.
/// The kernels may still prevent vectorisation. Pure; depends on nothing but the parameters.
/// @param vector_bytes  of the CPU's widest vectors; 0: it has none
SimdChoice simd_choice(const std::vector<ArgShape>& args, int vector_bytes);

}  // namespace op2::jit
