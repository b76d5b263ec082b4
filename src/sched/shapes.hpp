// SPDX-License-Identifier: BSD-3-Clause
// From queued arguments and declared constants to the shapes that the code generator knows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <core/loop_record.hpp>
#include <core/mesh.hpp>
#include <jit/jit.hpp>
#include <jit/loop_nest.hpp>

namespace op2::sched {

/// Numbers dats and maps within the loop, in order of first appearance.
std::vector<jit::ArgShape> arg_shapes(std::span<const core::LoopArg> args);

/// Positions (in the call) of the arguments that may be off in other calls.
std::vector<std::int32_t> optional_args(std::span<const core::LoopArg> args);

/// All declared constants and all variables that sources of function-pointer kernels name.
std::vector<jit::Constant> constants_of(const core::Mesh& mesh);

/// A kernel as a nest calls it, without arguments. Cost and errors: as jit::call_of.
jit::KernelCall call_of(const core::Mesh& mesh, op_kernel kernel,
                        const jit::CompileLimit& limit = {});

}  // namespace op2::sched
