// SPDX-License-Identifier: BSD-3-Clause
// The arguments of several loops as those of one. Pure.
#pragma once

#include <span>
#include <vector>

#include <core/queue.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

struct MergedArgs {
  std::vector<core::LoopArg> args;
  std::vector<ArgSource> sources;  ///< of `args`
  std::vector<KernelUse> kernels;  ///< one per loop
};

/// Arguments by which loops see the same row become one: direct ones to a dat, whatever the access,
/// and indirect ones that all of them only read. Its access is that of all kernels together:
/// OP_READ if all only read, OP_WRITE if the first one replaces it, else OP_RW or the common one.
/// Globals and arguments that are off stay apart.
/// @param records  of the loops, ascending, at least one
MergedArgs merge_args(const core::Queue& queue, std::span<const std::size_t> records);

}  // namespace op2::sched
