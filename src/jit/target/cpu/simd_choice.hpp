// SPDX-License-Identifier: BSD-3-Clause
// Whether a loop on a CPU may execute several elements at once, one in each lane of the vectors.
#pragma once

#include <vector>

#include <jit/loop_nest.hpp>
#include <jit/simd.hpp>

namespace op2::jit {

/// What the arguments of a nest allow. Elements of different lanes must not see each other's
/// changes: a dat that the loop modifies is either accessed by one argument, directly, or
/// incremented through maps and not read. What the kernels do may still keep the compiler from it.
/// Pure; equal wherever `vector_bytes` is.
/// @param vector_bytes  of the CPU's widest vectors; 0: it has none
SimdChoice simd_choice(const std::vector<ArgShape>& args, int vector_bytes);

}  // namespace op2::jit
