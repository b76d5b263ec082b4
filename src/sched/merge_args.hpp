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

/// Arguments of several loops for the same row are merged: direct ones to a dat, with any access,
/// and indirect ones that are only read. The merged access is that of all kernels together: OP_READ
/// if all only read, OP_WRITE if the first one replaces the row, otherwise OP_RW or the common
/// access. Globals and arguments that are off are not merged.
/// @param records  of the loops, ascending, at least one
MergedArgs merge_args(const core::Queue& queue, std::span<const std::size_t> records);

/// The arguments of loops whose increments are gathered, as they were declared, then the merged
/// ones of the others.
/// @param records   of the loops: first those that are gathered
/// @param gathered  how many; appended to it: where the arguments of each end
MergedArgs merge_gathered(const core::Queue& queue, std::span<const std::size_t> records,
                          std::size_t gathered, std::vector<std::int32_t>& ends);

}  // namespace op2::sched
