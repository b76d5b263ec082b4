// SPDX-License-Identifier: BSD-3-Clause
// The kernels of several loops as one kernel, which calls them one after the other. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <core/mesh.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

struct FusedKernel {
  std::string name;  ///< an identifier
  std::string text;
  std::vector<core::LoopArg> args;  ///< what several loops reach in the same way comes once
  std::vector<ArgSource> sources;   ///< of `args`
};

/// Arguments that the fused kernel would have.
std::size_t count_args(std::span<const LoopStep* const> loops);

/// Precondition: `can_be_part` of each.
/// @param any_const  some of the kernels take pointers to what they read that are not to const
FusedKernel fuse_kernels(std::span<const LoopStep* const> loops, bool any_const);

/// Whether the text and the arguments of a loop can be part of another kernel, in a namespace of
/// its own. The text, behind comments and standard headers, is the kernel alone: helpers would hide
/// functions of the same name there, and directives would act on other texts. That of a function of
/// the program may have helpers too, but none with a name of the library's: it says `std::pow`
/// where it means that one. No vector arguments; no 64-bit integers, whose type in the kernel has
/// several names; no globals set by one element.
/// @param mesh  knows which kernels are functions of the program
bool can_be_part(const LoopStep& loop, const core::Mesh& mesh);

}  // namespace op2::sched
