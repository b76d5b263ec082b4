// SPDX-License-Identifier: BSD-3-Clause
#include <sched/plan.hpp>

#include <algorithm>
#include <utility>

namespace op2::sched {
namespace {

/// Searches the reductions only, which are few: this runs in every phase of every call.
bool has_payload(const Step& step) {
  return std::ranges::any_of(step.reductions,
                             [](const GlobalArg& global) { return global.shape.is_payload(); });
}

}  // namespace

Order Step::order_of(const StepCode& code) const {
  return code.compiled == nullptr && has_payload(*this) ? Order::by_global_index : order;
}

bool Step::tracks_elements(const StepCode& code) const {
  return set != nullptr && !set->is_single_rank && has_payload(*this) &&
         order_of(code) == Order::by_global_index;
}

bool Step::runs_as_declared(const StepCode& code) const {
  return order_of(code) == Order::by_global_index && !set->global_indices.empty() &&
         (set->is_single_rank || has_payload(*this));
}

std::vector<SetArgs> Step::accesses() const {
  std::vector<SetArgs> all;
  const std::vector<jit::ArgRange> ranges = jit::arg_ranges(gathered, args.size());
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    const auto& [begin, end] = ranges[k];
    const core::Set* of = k < gathered.size() ? kernels[k].set : set;
    all.push_back({of, std::span(args).subspan(begin, end - begin)});
  }
  return all;
}

const core::Set& Step::set_of(std::size_t arg) const {
  for (std::size_t loop = 0; loop < gathered.size(); ++loop)
    if (std::cmp_less(arg, gathered[loop])) return *kernels[loop].set;
  return *set;
}

IndexRange Step::rows(Phase phase) const {
  const std::int64_t end = set->within(levels.extent);
  // The element that sets a global last is found in one phase.
  const std::int64_t interior =
      has_payload(*this) ? 0 : std::min<std::int64_t>(end, set->within(levels.interior));
  return phase == Phase::interior ? IndexRange{0, interior} : IndexRange{interior, end};
}

std::int64_t Step::iterations(Phase phase) const {
  return slice == nullptr ? rows(phase).size() : count_in(*slice, rows(phase));
}

std::int64_t Step::redundant_iterations() const {
  const IndexRange beyond{set->size, set->within(levels.extent)};
  return slice == nullptr ? std::max<std::int64_t>(0, beyond.size()) : count_in(*slice, beyond);
}

}  // namespace op2::sched
