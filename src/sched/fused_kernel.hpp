// SPDX-License-Identifier: BSD-3-Clause
// The kernels of several loops as one kernel, which calls them one after the other. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <sched/plan.hpp>

namespace op2::sched {

struct FusedKernel {
  std::string name;  ///< an identifier
  std::string text;
  std::vector<core::LoopArg> args;  ///< what several loops reach in the same way comes once
  std::vector<ArgSource> sources;   ///< of `args`
};

/// Precondition: `can_be_part` of each.
FusedKernel fuse_kernels(std::span<const LoopStep* const> loops);

/// Whether the text and the arguments of a loop can be part of another kernel: no directives of the
/// preprocessor, which would act on other texts, no vector arguments, no 64-bit integers, whose
/// type in the kernel has several names.
bool can_be_part(const LoopStep& loop);

}  // namespace op2::sched
