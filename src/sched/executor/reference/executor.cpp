// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/reference/executor.hpp>

#include <algorithm>
#include <utility>

#include <core/clock.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/executor/exchanges.hpp>
#include <sched/executor/payload.hpp>
#include <sched/executor/reference/host_loop.hpp>
#include <sched/loop_statistics.hpp>
#include <sched/passes.hpp>

namespace op2::sched {
namespace {

/// With the CPU's code if there is any, otherwise with host functions.
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
  const core::ArgBinding* bound = bindings.args_of(0, counts);
  if (!counts || !step.tracks_elements(code)) return run_range(step, code, rows, bound);
  run_and_track(step, bindings, {rows}, step.set->global_indices,
                [&](std::int64_t row, const core::ArgBinding* with) {
                  run_range(step, code, {row, row + 1}, with);
                });
}

/// The rows that a step runs in a phase: one by one, ascending by global index, if the order
/// matters and the rows have another. Cost: O(rows log rows) then, otherwise none.
IndexRanges rows_in_order(const Step& step, const StepCode& code, Phase phase) {
  const IndexRange rows = step.rows(phase);
  const auto& index = step.set->global_indices;
  if (!step.runs_as_declared(code)) return step.rows_in({rows});
  IndexRanges sorted;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) sorted.push_back({row, row + 1});
  std::ranges::sort(sorted, {}, [&](const IndexRange& row) { return index[row.begin]; });
  return step.rows_in(sorted);
}

/// @param bindings  of one thread, with blocks for iterations that do not count
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

class ReferencePlan : public PreparedPlan {
 public:
  ReferencePlan(const Plan& plan, std::vector<std::unique_ptr<comm::HaloExchange>> exchanges,
                const core::Listeners& listeners)
      : plan_(plan), exchanges_(std::move(exchanges)), listeners_(listeners) {
    for (const Step& step : plan.steps.all)
      bindings_.push_back(step.runs() ? bind(step, 1, true) : StepBindings{});
  }

  void pack_and_start(std::size_t chain, std::uint64_t fingerprint) override {
    exchanges_[chain]->start(fingerprint);
  }
  void finish_and_unpack(std::size_t chain) override { exchanges_[chain]->finish(); }

  void run(std::size_t chain, Phase phase, core::Queue& queue, const Finished& finished) override {
    for (std::size_t s = plan_.steps.begin[chain]; s < plan_.steps.begin[chain + 1]; ++s) {
      if (plan_.steps.all[s].runs()) run_step(s, phase, queue);
      if (phase == Phase::boundary) finished(s);
    }
  }

  std::byte* collect(std::size_t step, const GlobalArg& reduction) override {
    return bindings_[step].partial(reduction, 0);
  }

  ExchangeSize exchange_size(std::size_t chain) const override {
    return size_of(exchanges_[chain].get());
  }

  std::string describe(const core::Queue& queue) const override {
    std::string text;
    for (std::size_t s = 0; s < plan_.steps.all.size(); ++s)
      text += describe_step(queue, plan_, s) + "\n";
    return text;
  }

 private:
  void run_step(std::size_t s, Phase phase, core::Queue& queue) {
    const Step& step = plan_.steps.all[s];
    const core::StepEvent event(listeners_, plan_.rows[s].row->name.c_str());
    const auto begin = core::Clock::now();
    const bool is_first = phase == Phase::interior || step.rows(Phase::interior).empty();
    if (is_first) bind_globals(step, queue, bindings_[s]);
    run_in_order(step, plan_.code[s], bindings_[s], phase);
    count_iterations(plan_.rows[s], phase, Way::alone);
    add_time(plan_.rows[s], phase, Way::alone, core::seconds_since(begin), listeners_);
  }

  const Plan& plan_;
  std::vector<std::unique_ptr<comm::HaloExchange>> exchanges_;
  std::vector<StepBindings> bindings_;
  const core::Listeners& listeners_;
};

}  // namespace

std::unique_ptr<PreparedPlan> ReferenceExecutor::prepare(const Plan& plan, bool) {
  return std::make_unique<ReferencePlan>(
      plan, make_exchanges(plan, rows_, options_.exchange, pool_), listeners_);
}

}  // namespace op2::sched
