// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/reference/reference_executor.hpp>

#include <utility>

#include <core/clock.hpp>
#include <sched/loop_statistics.hpp>
#include <sched/describe.hpp>
#include <sched/executor/exchanges.hpp>
#include <sched/executor/sequential_step.hpp>

namespace op2::sched {
namespace {

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
  void release_values() override {}

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
