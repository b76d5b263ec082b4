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
/// its own. A text given as such is one function: helpers would hide functions of the same name
/// there, and directives of the preprocessor would act on other texts. The text of a function of
/// the program, behind standard headers, may have helpers too: it says `std::pow` where it means
/// the library's. No vector arguments; no 64-bit integers, whose type in the kernel has several
/// names; no globals set by one element.
bool can_be_part(const LoopStep& loop, const core::Mesh& mesh);

}  // namespace op2::sched
