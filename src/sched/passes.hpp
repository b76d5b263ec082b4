// SPDX-License-Identifier: BSD-3-Clause
// How passes are run: each is a function from earlier values to its own. Its time goes to the
// trace, its value to OP2_DUMP if that names it, and in debug builds it is verified.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <core/log.hpp>
#include <core/measurements/listener.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <sched/analysis/facts.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

struct Code;

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

/// "jit, SIMD width 8", "jit" or "cuda".
std::string describe_code(const jit::CompiledLoop& code);

// What must hold of the value of each pass. All throw an internal Error that names the pass, the
// field and the numbers.

/// One for each argument of the queue.
void verify(const core::Queue& queue, const Facts& facts);

/// One for each record, of its set; or none at all.
void verify(const core::Queue& queue, const std::vector<const core::Colouring*>& colourings);

/// Chains cover the records one after the other; each has at least one.
void verify(const core::Queue& queue, const std::vector<RecordRange>& cut);

/// As for the cut; no interior exceeds its extent, and none exists without an exchange; exchanged
/// layers ascend and are halos.
void verify(const core::Queue& queue, const Analysis& analysis);

/// One for each record.
void verify(const core::Queue& queue, const std::vector<Order>& order);

/// Every record is in one step, steps in the order of their records and chains; fused loops are of
/// one set, one order and equal levels; each argument of a kernel has its position.
void verify(const core::Queue& queue, const Steps& steps, const Analysis& analysis);

/// One code per step, unless steps are to be made again; a step without code is not fused, and
/// its kernel has a host function.
void verify(const core::Queue& queue, const Code& code, const Steps& steps);

#ifdef NDEBUG
inline constexpr bool verifies_plans = false;
#else
inline constexpr bool verifies_plans = true;
#endif

class Passes {
 public:
  /// All references must outlive it.
  Passes(const core::Queue& queue, const core::Listeners& listeners, core::Log& log,
         const core::Dump& dump, bool is_root)
      : queue_(queue), listeners_(listeners), log_(log), dump_(dump), is_root_(is_root) {}

  /// @param earlier  the value of another pass by which that of this one is verified
  template <class Make, class... Earlier>
  auto run(const char* pass, const Make& make, const Earlier&... earlier) const {
    const auto begin = core::Clock::now();
    auto value = make();
    core::report_span(listeners_, "plan", pass, begin);
    if constexpr (verifies_plans) verify(queue_, value, earlier...);
    if constexpr (requires { describe(queue_, value); })
      if (is_root_ && dump_.contains(pass)) log_.dump(describe(queue_, value));
    return value;
  }

 private:
  const core::Queue& queue_;
  const core::Listeners& listeners_;
  core::Log& log_;
  const core::Dump& dump_;
  const bool is_root_;
};

}  // namespace op2::sched
