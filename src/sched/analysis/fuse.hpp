// SPDX-License-Identifier: BSD-3-Clause
// Fusion: neighbouring loops over the same set, of which one uses what another accesses directly,
// become one step, so that their common data pass through the registers once. Decided on
// descriptors, before anything is compiled. Local; uniform.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <core/queue.hpp>
#include <jit/target/target.hpp>
#include <sched/analysis/chain_analysis.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// The step of some loops, without levels and marks of payloads. Arguments for the same row are
/// merged: direct ones to a dat, with any access, and indirect ones that are only read. The merged
/// access is that of all kernels together: OP_READ if all only read, OP_WRITE if the first one
/// replaces the row, otherwise OP_RW or the common access. Globals and arguments that are off are
/// not merged.
/// @param records   of the loops, ascending, at least one that is not gathered
/// @param gathered  the first ones, whose increments are gathered: their arguments come first, as
///                  they were declared
Step merged_step(const core::Queue& queue, std::span<const std::size_t> records,
                 std::size_t gathered = 0);

/// That of one loop alone, with its payloads marked for any order of the elements.
Step step_of(const core::Queue& queue, std::size_t record);

/// Which loops may be part of a fused step.
struct FusionRules {
  bool on = true;
  /// Whether a loop is compiled, not run as the kernel's host function.
  std::function<bool(const core::LoopRecord&)> is_compiled;
  /// Groups of records that were compiled and stay apart (see CodeFinder).
  std::function<bool(const std::vector<std::size_t>&)> stays_apart;
  std::shared_ptr<const jit::TargetRules> target = std::make_shared<jit::TargetRules>();
  bool gathers = false;  ///< rows may gather what loops add to them, as the target says
  /// Whether an argument of a record leaves zeros in its rows. Empty: nobody knows.
  std::function<bool(const ArgSource&)> leaves_zero{};
  bool reproducible = false;  ///< sums of float and double are rounded once; NaN is an extreme
};

/// Whether a loop could join others that form a step, and something would be saved, by what they
/// access: they run the same elements in the same phase on every rank, no iteration depends on
/// another one of them, and some dat is accessed directly by it and by one of them. Uniform.
/// Cost: O(arguments of the group * arguments of the loop).
/// @param group  records of the queue; not empty
bool gains_by_fusion(const core::Queue& queue, const std::vector<LoopLevels>& levels,
                     std::span<const std::size_t> group, std::size_t next);

/// A loop joins those before it if an iteration of theirs depends on no other iteration of it: what
/// any of them modifies and another uses is accessed directly by all, and no global links them.
/// Loops that add through maps are gathered by loops over the target set that follow them and
/// access what was added directly.
std::vector<LoopGroup> fusion_groups(const core::Queue& queue, const Chain& chain,
                                     const std::vector<LoopLevels>& levels,
                                     const std::vector<Order>& order, const FusionRules& rules);

/// The steps of all chains.
Steps make_steps(const core::Queue& queue, const Analysis& analysis,
                 const std::vector<Order>& order, const FusionRules& rules);

}  // namespace op2::sched
