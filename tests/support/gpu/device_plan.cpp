// SPDX-License-Identifier: BSD-3-Clause
#include "device_plan.hpp"

#include <algorithm>
#include <utility>

#include <sched/books.hpp>
#include <sched/describe.hpp>
#include <sched/executor/exchanges.hpp>
#include <sched/executor/reference/host_loop.hpp>
#include <sched/executor/sequential_step.hpp>

#include "device_executor.hpp"

namespace op2::test::gpu {
namespace {

/// Arguments of a step on the device; adds what they access. The arrays are announced as the loop
/// accesses them, and are current behind the main stream's work.
class ArgBinder {
 public:
  ArgBinder(const sched::Step& step, DeviceIndices& indices, std::vector<core::ArgBinding> args)
      : step_(step), indices_(indices), args_(std::move(args)) {
    for (std::size_t k = 0; k < args_.size(); ++k)
      if (step.args[k].active) bind(step.args[k], args_[k]);
  }
  std::vector<core::ArgBinding> args() { return std::move(args_); }
  std::vector<Access> accesses() { return std::move(accesses_); }

 private:
  void bind(const core::LoopArg& arg, core::ArgBinding& binding) {
    if (arg.dat != nullptr) bind_dat(*arg.dat, arg.access, binding);
    if (arg.map != nullptr) bind_map(*arg.map, arg.column, binding);
    if (arg.kind != OP_ARG_IDX) return;
    const core::Set& set = arg.map != nullptr ? *core::record_of(arg.map->to) : *step_.set;
    binding.base = const_cast<std::int32_t*>(indices_.of(set));
    add(binding.base, set.numbers.size() * sizeof(std::int32_t), Mode::read);
  }
  void bind_dat(core::Dat& dat, op_access access, core::ArgBinding& binding) {
    const bool reads = access == OP_READ;
    binding.base = reads ? dat.rows.device_read().value : dat.rows.device_write().get().value;
    add(binding.base, dat.rows.bytes(), reads ? Mode::read : Mode::read_write);
  }
  void bind_map(const core::Map& map, int column, core::ArgBinding& binding) {
    std::byte* entries = map.entries.device_read().value;
    add(entries, map.entries.bytes(), Mode::read);
    binding.index = reinterpret_cast<const std::int32_t*>(entries) + column;
    binding.index_stride = map.dim;
  }
  void add(void* data, std::size_t bytes, Mode mode) {
    if (data != nullptr) accesses_.push_back({data, bytes, mode});
  }

  const sched::Step& step_;
  DeviceIndices& indices_;
  std::vector<core::ArgBinding> args_;
  std::vector<Access> accesses_;
};

/// Whether code or executor ask for the indices of rows, to remember which element set a payload.
bool needs_indices(const sched::Step& step, const sched::StepCode& code) {
  return step.tracks_elements(code) ||
         std::ranges::any_of(step.args, [](const core::LoopArg& arg) { return arg.any_order; });
}

}  // namespace

DevicePlan::DevicePlan(const sched::Plan& plan, Exchanges exchanges, DeviceSpace& space,
                       DeviceIndices& indices)
    : plan_(plan), exchanges_(std::move(exchanges)), space_(space), indices_(indices) {
  for (const sched::Step& step : plan.steps.all)
    blocks_.push_back(step.runs() ? std::make_unique<StepBlock>(space, step) : nullptr);
}

DevicePlan::~DevicePlan() {
  try {
    release_values();
  } catch (const std::exception&) {  // the next call that uses the device throws as well
  }
}

void DevicePlan::run(std::size_t chain, sched::Phase phase, core::Queue& queue,
                     const Finished& finished) {
  const auto& begin = plan_.steps.begin;
  for (std::size_t s = begin[chain]; s < begin[chain + 1]; ++s) {
    if (plan_.steps.all[s].runs()) run_step(s, phase, queue);
    sched::count_iterations(plan_.rows[s], phase, sched::Way::alone);
    if (phase == sched::Phase::boundary) finished(s);
  }
  if (phase == sched::Phase::interior) exchanges_[chain]->send();
}

void DevicePlan::run_step(std::size_t s, sched::Phase phase, core::Queue& queue) {
  const sched::Step& step = plan_.steps.all[s];
  const bool is_first =
      phase == sched::Phase::interior || step.rows(sched::Phase::interior).empty();
  if (is_first) blocks_[s]->start(queue);
  if (!step.rows(phase).empty()) launch_step(s, phase);
}

void DevicePlan::launch_step(std::size_t s, sched::Phase phase) {
  const sched::Step& step = plan_.steps.all[s];
  const sched::StepCode& code = plan_.code[s];
  ArgBinder binder(step, indices_, blocks_[s]->bound_reads());
  std::vector<Access> accesses = binder.accesses();
  if (!blocks_[s]->empty()) accesses.push_back(blocks_[s]->access());
  StepKernel kernel{&step,
                    &code,
                    binder.args(),
                    blocks_[s]->partials(),
                    {},
                    sched::rows_in_order(step, code, phase),
                    step.set->size};
  if (needs_indices(step, code)) {
    const std::size_t rows = step.set->numbers.size();
    kernel.global_index = {indices_.of(*step.set), rows};
    if (rows > 0)
      accesses.push_back({const_cast<std::int32_t*>(indices_.of(*step.set)),
                          rows * sizeof(std::int32_t), Mode::read});
  }
  launch(space_.main_stream(), step.kernels.front().kernel->name, std::move(accesses),
         [kernel = std::move(kernel)] {
           const sched::QueuedValues values(kernel.code->variables);
           kernel.run();
         });
}

sched::ExchangeSize DevicePlan::exchange_size(std::size_t chain) const {
  return sched::size_of(exchanges_[chain].get());
}

std::string DevicePlan::describe(const core::Queue& queue) const {
  std::string text;
  for (std::size_t s = 0; s < plan_.steps.all.size(); ++s)
    text += sched::describe_step(queue, plan_, s) + "\n";
  return text;
}

}  // namespace op2::test::gpu
