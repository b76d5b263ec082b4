// SPDX-License-Identifier: BSD-3-Clause
// Whether a loop on a CPU may be vectorised over elements, one in each lane.
#pragma once

#include <vector>

#include <jit/loop_nest.hpp>
#include <jit/simd.hpp>

namespace op2::jit {

/// What the arguments of a nest allow. Lanes must not see each other's changes: a dat that the loop
/// modifies is either accessed by one argument, directly, or incremented through maps and not read.
/// The kernels may still prevent vectorisation. Pure; depends on nothing but the parameters.
/// @param vector_bytes  of the CPU's widest vectors; 0: it has none
SimdChoice simd_choice(const std::vector<ArgShape>& args, int vector_bytes);

}  // namespace op2::jit
