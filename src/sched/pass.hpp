// SPDX-License-Identifier: BSD-3-Clause
// Runs the passes that make a plan: each is a function from earlier values to its own; its time
// goes to the trace, its value to OP2_DUMP if that names it, and in debug builds it is verified.
#pragma once

#include <string_view>
#include <utility>

#include <core/log.hpp>
#include <core/queue.hpp>
#include <core/measurements/listener.hpp>
#include <sched/describe.hpp>

namespace op2::sched {

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

  /// @param verify  throws an internal Error that names the pass and what is wrong with its value
  template <class Make, class Verify>
  auto run(const char* pass, const Make& make, const Verify& verify) const {
    const auto begin = core::Clock::now();
    auto value = make();
    core::report_span(listeners_, "plan", pass, begin);
    if constexpr (verifies_plans) verify(value);
    if constexpr (requires { describe(queue_, value); })
      if (is_root_ && is_named(pass)) log_.dump(describe(queue_, value));
    return value;
  }

 private:
  bool is_named(std::string_view pass) const {
    return (dump_.cut && pass == "cut") ||
           (dump_.analyse && (pass == "analyse" || pass == "slice")) ||
           (dump_.order && pass == "order") || (dump_.fuse && pass == "fuse");
  }

  const core::Queue& queue_;
  const core::Listeners& listeners_;
  core::Log& log_;
  const core::Dump& dump_;
  const bool is_root_;
};

}  // namespace op2::sched
