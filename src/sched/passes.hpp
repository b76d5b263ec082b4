// SPDX-License-Identifier: BSD-3-Clause
// Values of passes as text, for OP2_DUMP, and what must hold of them, for debug builds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <core/queue.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

struct Code;

/// What a rank is about to execute, for its collective signature, so that a mismatch can name both
/// sides. A line per record: name, call site, set with its global size, arguments, and a hash of
/// the kernel's source. Equal on ranks that queued the same. Cost: a hash of every source.
std::string describe_queue(const core::Queue& queue);

/// 64 bits of a hash of `text`.
std::uint64_t fingerprint_of(const std::string& text);

// Values of passes as text, a line per loop or step: a pass that OP2_DUMP can show has a row in
// core/options.cpp and a function here.

std::string describe(const core::Queue& queue, const std::vector<RecordRange>& cut);
/// Extents, interiors, exchanged layers and validity afterwards, as levels.
std::string describe(const core::Queue& queue, const Analysis& analysis);
std::string describe(const core::Queue& queue, const std::vector<Order>& order);
std::string describe(const core::Queue& queue, const Steps& steps);

/// Where the loops of steps were called: "loop 'flow' (flow.cpp:12) and 2 others". Assignments,
/// which no exchange is for, are left out.
std::string describe_calls(const core::Queue& queue, std::span<const Step> steps);

/// A line of a schedule, without its end.
std::string describe_step(const core::Queue& queue, const Plan& plan, std::size_t step);

// What must hold of the value of each pass. All throw an internal Error that names the pass, the
// field and the numbers.

/// One for each record, of its set; or none at all.
void verify(const core::Queue& queue, const std::vector<const core::Colouring*>& colourings);

/// Chains cover the records one after the other; each has at least one.
void verify(const core::Queue& queue, const std::vector<RecordRange>& cut);

/// As for the cut; no interior exceeds its extent, and none exists without an exchange; exchanged
/// layers ascend and are halos.
void verify(const core::Queue& queue, const Analysis& analysis);

/// Every record is in one step, steps in the order of their records and chains; fused loops are of
/// one set, one order and equal levels; each argument of a kernel has its position.
void verify(const core::Queue& queue, const Steps& steps, const Analysis& analysis);

/// One code per step, unless steps are to be made again; a step without code is not fused, and
/// its kernel has a host function.
void verify(const core::Queue& queue, const Code& code, const Steps& steps);

/// Whether the engine verifies what passes make.
#ifdef NDEBUG
inline constexpr bool verifies_plans = false;
#else
inline constexpr bool verifies_plans = true;
#endif

}  // namespace op2::sched
