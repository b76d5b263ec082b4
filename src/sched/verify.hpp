// SPDX-License-Identifier: BSD-3-Clause
// What must hold of the value of each pass. Checked in debug builds after the pass, and of the
// whole plan before it is executed. All throw an internal Error that names the pass, the field and
// the numbers.
#pragma once

#include <cstdint>
#include <vector>

#include <core/queue.hpp>
#include <sched/facts.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// One for each argument of the queue.
void verify_facts(const core::Queue& queue, const Facts& facts);

/// Chains cover the records one after the other; each has at least one.
void verify_colourings(const core::Queue& queue,
                       const std::vector<const core::Colouring*>& colourings);
void verify_cut(const core::Queue& queue, const std::vector<RecordRange>& cut);

/// As for the cut; no interior exceeds its extent, and none exists without an exchange; exchanged
/// layers ascend and are halos.
void verify_analysis(const core::Queue& queue, const Analysis& analysis);

void verify_order(const core::Queue& queue, const std::vector<Order>& order);

/// Every record is in one step, steps in the order of their records and chains; fused loops are of
/// one set, one order and equal levels; each argument of a kernel has its position.
void verify_steps(const core::Queue& queue, const Analysis& analysis, const Steps& steps);

/// One code per step; a fused step without code has host functions for all its kernels.
void verify_code(const Steps& steps, const std::vector<StepCode>& code);

/// A number for each field of a plan, so that a change after verification is found.
struct PlanSeal {
  std::uint64_t key, analysis, steps, code, rows;
};
PlanSeal seal_of(const Plan& plan);

/// @throws Error internal, which names the field that changed and the pass that made it
void verify_unchanged(const Plan& plan, const PlanSeal& seal);

}  // namespace op2::sched
