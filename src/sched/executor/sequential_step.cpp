// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/sequential_step.hpp>

#include <algorithm>

#include <jit/target/cpu/cpu_target.hpp>
#include <sched/executor/payload.hpp>
#include <sched/executor/reference/host_loop.hpp>
#include <sched/executor/rows_of_step.hpp>

namespace op2::sched {
namespace {

void run_range(const Step& step, const StepCode& code, IndexRange rows,
               const core::ArgBinding* bound) {
  if (code.compiled != nullptr)
    jit::range_of (*code.compiled)(rows.begin, rows.end, bound);
  else
    run_host_step(step, rows, bound);
}

void run_rows(const Step& step, const StepCode& code, const StepBindings& bindings, IndexRange rows,
              bool counts) {
  if (rows.empty()) return;
  const core::ArgBinding* bound = bindings.of(0, counts);
  if (!counts || !step.tracks_elements(code)) return run_range(step, code, rows, bound);
  run_and_track(step, bindings, {rows}, step.set->global_indices,
                [&](std::int64_t row, const core::ArgBinding* with) {
                  run_range(step, code, {row, row + 1}, with);
                });
}

}  // namespace

IndexRanges rows_in_order(const Step& step, const StepCode& code, Phase phase) {
  const IndexRange rows = step.rows(phase);
  const auto& index = step.set->global_indices;
  if (!step.runs_as_declared(code)) return rows_of_step(step, {rows});
  IndexRanges sorted;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) sorted.push_back({row, row + 1});
  std::ranges::sort(sorted, {}, [&](const IndexRange& row) { return index[row.begin]; });
  return rows_of_step(step, sorted);
}

void run_in_order(const Step& step, const StepCode& code, const StepBindings& bindings,
                  Phase phase) {
  const core::RunningHere here(bindings.running);
  const QueuedValues values(code.variables);
  for (const IndexRange& rows : rows_in_order(step, code, phase)) {
    const std::int64_t border = std::clamp<std::int64_t>(step.set->size, rows.begin, rows.end);
    run_rows(step, code, bindings, {rows.begin, border}, true);
    run_rows(step, code, bindings, {border, rows.end}, false);
  }
}

}  // namespace op2::sched
