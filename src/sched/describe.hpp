// SPDX-License-Identifier: BSD-3-Clause
// The values of passes as text: for OP2_DUMP, a line per loop or step, and for lines about waits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <core/queue.hpp>
#include <sched/executor/cpu/loop_parts.hpp>
#include <sched/executor/cpu/make_tiles.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

std::string describe(const core::Queue& queue, const std::vector<RecordRange>& cut);
/// Extents, interiors, exchanged layers and validity afterwards, as levels.
std::string describe(const core::Queue& queue, const Analysis& analysis);
std::string describe(const core::Queue& queue, const std::vector<Order>& order);
std::string describe(const core::Queue& queue, const Steps& steps);

/// Where the loops of steps were called: "loop 'flow' (flow.cpp:12) and 2 others". Assignments,
/// which no exchange is for, are left out.
std::string describe_calls(const core::Queue& queue, std::span<const Step> steps);

// Lines of a schedule; without a line break if more may follow.
std::string describe_exchange(const Chain& chain, std::int64_t messages, std::int64_t bytes);
std::string describe_tiles(const char* phase, const TiledSteps& tiled);
std::string describe_step(const core::Queue& queue, const Plan& plan, std::size_t step);
std::string describe_parts(const StepParts& parts);

/// "jit, SIMD width 8", "jit" or "cuda".
std::string describe_code(const jit::CompiledLoop& code);

}  // namespace op2::sched
