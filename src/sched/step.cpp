// SPDX-License-Identifier: BSD-3-Clause
#include <sched/plan.hpp>

#include <algorithm>

namespace op2::sched {

bool Step::tracks_elements() const {
  return set != nullptr && set->distributed() &&
         std::ranges::any_of(args, &core::LoopArg::is_payload);
}

IndexRange Step::rows(Phase phase) const {
  const std::int64_t end = set->within(levels.extent);
  // The element that sets a global last is found in one phase.
  const bool is_one_phase = std::ranges::any_of(args, &core::LoopArg::is_payload);
  const std::int64_t interior =
      is_one_phase ? 0 : std::min<std::int64_t>(end, set->within(levels.interior));
  return phase == Phase::interior ? IndexRange{0, interior} : IndexRange{interior, end};
}

std::int64_t Step::redundant_iterations() const {
  return std::max<std::int64_t>(0, set->within(levels.extent) - set->size);
}

}  // namespace op2::sched
