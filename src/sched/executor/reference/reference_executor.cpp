// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/reference/reference_executor.hpp>

#include <algorithm>
#include <utility>

#include <core/seconds_since.hpp>
#include <sched/describe.hpp>
#include <sched/executor/exchanges.hpp>
#include <sched/executor/payload.hpp>
#include <sched/executor/reference/host_loop.hpp>

namespace op2::sched {
namespace {

/// The rows of a step in a phase; one by one in the order of their global indices if the order
/// matters and the rows have another.
IndexRanges rows_in_order(const Step& step, Phase phase) {
  const IndexRange rows = step.rows(phase);
  const auto& index = step.set->numbers;
  if (!step.runs_as_declared()) return {rows};
  IndexRanges sorted;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) sorted.push_back({row, row + 1});
  std::ranges::sort(sorted, {}, [&](const IndexRange& row) { return index[row.begin]; });
  return sorted;
}

class ReferencePlan : public PreparedPlan {
 public:
  ReferencePlan(const Plan& plan, std::vector<std::unique_ptr<comm::HaloExchange>> exchanges)
      : plan_(plan), exchanges_(std::move(exchanges)) {
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
  void wait() override {}

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
    const auto begin = core::Clock::now();
    const bool is_first = phase == Phase::interior || step.rows(Phase::interior).empty();
    if (is_first) bind_globals(step, queue, bindings_[s]);
    const QueuedValues values(plan_.code[s].variables);
    for (const IndexRange& rows : rows_in_order(step, phase)) {
      const std::int64_t border = std::clamp<std::int64_t>(step.set->size, rows.begin, rows.end);
      run_rows(s, {rows.begin, border}, true);
      run_rows(s, {border, rows.end}, false);
    }
    plan_.rows[s].row->seconds += core::seconds_since(begin);
  }

  void run_rows(std::size_t s, IndexRange rows, bool counts) {
    const Step& step = plan_.steps.all[s];
    const core::ArgBinding* bound = bindings_[s].of(0, counts);
    if (rows.empty()) return;
    if (!counts || !step.tracks_elements()) return run_host_step(step, rows, bound);
    run_and_track(step, bindings_[s], {rows}, step.set->numbers, [&](std::int64_t row) {
      run_host_step(step, {row, row + 1}, bound);
    });
  }

  const Plan& plan_;
  std::vector<std::unique_ptr<comm::HaloExchange>> exchanges_;
  std::vector<StepBindings> bindings_;
};

}  // namespace

std::unique_ptr<PreparedPlan> ReferenceExecutor::prepare(const Plan& plan, bool) {
  return std::make_unique<ReferencePlan>(plan,
                                         make_exchanges(plan, rows_, options_.exchange, pool_));
}

}  // namespace op2::sched
