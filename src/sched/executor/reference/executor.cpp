// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/reference/executor.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <core/clock.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/executor/exchanges.hpp>
#include <sched/loop_statistics.hpp>
#include <sched/passes.hpp>

namespace op2::sched {
namespace {

std::int64_t row_of(const core::ArgBinding& binding, std::int64_t element) {
  return binding.index == nullptr ? element : binding.index[element * binding.index_stride];
}

std::int32_t number_of(const core::ArgBinding& binding, std::int64_t row) {
  return binding.base == nullptr ? static_cast<std::int32_t>(row)
                                 : static_cast<const std::int32_t*>(binding.base)[row];
}

/// The kernel's argument for a vector argument that is on; null for any other.
char* vector_of(const core::LoopArg& arg, char** pointers) {
  return arg.active && arg.members > 1 ? reinterpret_cast<char*>(pointers) : nullptr;
}

void* memory_of(const core::Variable& variable) {
  return const_cast<void*>(variable.origin);
}

}  // namespace

QueuedValues::QueuedValues(std::span<const core::NamedVariable> variables) {
  for (const core::NamedVariable& named : variables) {
    const core::Variable& variable = *named.variable;
    if (!variable.has_changed()) continue;
    const auto* now = static_cast<const std::byte*>(variable.origin);
    changed_.push_back({&variable, {now, now + variable.bytes}});
    std::memcpy(memory_of(variable), variable.value.get(), variable.bytes);
  }
}

QueuedValues::~QueuedValues() {
  for (const Changed& each : changed_)
    std::memcpy(memory_of(*each.variable), each.now.data(), each.now.size());
}

void run_rows(const Step& step, core::RangeFunction code, IndexRange rows,
              const core::ArgBinding* bindings) {
  if (code != nullptr) return code(rows.begin, rows.end, bindings);
  const op_kernel kernel = step.kernels.front().kernel;
  const std::span<const core::LoopArg> args = step.args;
  std::vector<char*> pointers(args.size());
  std::vector<char*> parameters;  // of vector arguments: the address of their first pointer
  for (std::size_t k = 0; k < args.size(); ++k)
    if (args[k].members > 0) parameters.push_back(vector_of(args[k], pointers.data() + k));
  std::vector<std::int32_t> numbers(args.size());
  for (std::int64_t element = rows.begin; element < rows.end; ++element) {
    for (std::size_t k = 0; k < args.size(); ++k) {
      if (!args[k].active) continue;
      const std::int64_t row = row_of(bindings[k], element);
      pointers[k] = static_cast<char*>(bindings[k].base);
      if (args[k].kind == OP_ARG_DAT) pointers[k] += row * args[k].dat->size;
      if (args[k].kind == OP_ARG_IDX) {
        numbers[k] = number_of(bindings[k], row);
        pointers[k] = reinterpret_cast<char*>(&numbers[k]);
      }
    }
    for (std::size_t k = 0, p = 0; k < args.size(); ++k)
      if (args[k].members == 1)
        parameters[p++] = pointers[k];
      else if (args[k].members > 1)
        ++p;
    kernel->call(kernel->host, parameters.data());
  }
}

namespace {

core::RangeFunction code_of(const StepCode& code) {
  return code.compiled != nullptr ? jit::range_of(*code.compiled) : nullptr;
}

void run_counting(const Step& step, const StepCode& code, const StepBindings& bindings,
                  IndexRange rows, bool counts) {
  if (rows.empty()) return;
  const core::ArgBinding* bound = bindings.args_of(0, counts);
  if (!counts || !step.tracks_elements(code)) return run_rows(step, code_of(code), rows, bound);
  run_and_track(step, bindings, {rows}, step.set->global_indices,
                [&](std::int64_t row, const core::ArgBinding* with) {
                  run_rows(step, code_of(code), {row, row + 1}, with);
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
    run_counting(step, code, bindings, {rows.begin, border}, true);
    run_counting(step, code, bindings, {border, rows.end}, false);
  }
}

class ReferencePlan : public PreparedPlan {
 public:
  ReferencePlan(const Plan& plan, Exchanges exchanges, const core::Listeners& listeners)
      : PreparedPlan(plan, std::move(exchanges)), listeners_(listeners) {
    for (const Step& step : plan.steps.all)
      bindings_.push_back(step.runs() ? bind(step, 1, true) : StepBindings{});
  }

  void run(std::size_t chain, Phase phase, core::Queue& queue, const Finished& finished) override {
    for (const std::size_t s : plan_.steps.of(chain)) {
      if (plan_.steps.all[s].runs()) run_step(s, phase, queue);
      if (phase == Phase::boundary) finished(s);
    }
  }

  std::byte* collect(std::size_t step, const GlobalArg& reduction) override {
    return bindings_[step].partial(reduction, 0);
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

  std::vector<StepBindings> bindings_;
  const core::Listeners& listeners_;
};

}  // namespace

std::unique_ptr<PreparedPlan> ReferenceExecutor::prepare(const Plan& plan, bool) {
  return std::make_unique<ReferencePlan>(
      plan, make_exchanges(plan, rows_, options_.exchange, pool_), listeners_);
}

}  // namespace op2::sched
