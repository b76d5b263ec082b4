// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/host_step.hpp>

#include <array>

#include <sched/executor/cpu/run_parts.hpp>

namespace op2::sched {
namespace {

PlanSlots slots_of(const core::Mesh& mesh, const Step& step, const StepParts& parts,
                   bool reproducible) {
  if (!reproducible) return {std::vector<StepSlots>(1), {}};
  SlotTables none;
  return make_slots(mesh, std::array{ScheduledStep{&step, {&parts.interior}, {&parts.boundary}}},
                    none);
}

}  // namespace

HostStep::HostStep(const Step& step, const StepCode& code, const core::Mesh& mesh,
                   core::ThreadPool& pool, bool reproducible)
    : step_(step),
      code_(code),
      pool_(pool),
      parts_(PartMaker(reproducible ? pool.size() : 1).parts_of(step, code)),
      slots_(slots_of(mesh, step, parts_, reproducible)) {
  std::vector<core::ArgBinding> slotted;
  if (reproducible) slotted = bindings_of(step, slots_.steps.front());
  bindings_ = sched::bind(step, parts_.threads, parts_.some_do_not_count, slotted);
}

void HostStep::run(Phase phase) {
  for (const core::LoopArg& arg : step_.args) {
    if (!arg.is_active_dat()) continue;
    if (arg.modifies())
      static_cast<void>(arg.dat->rows.host_write());
    else
      arg.dat->rows.host_read();
  }
  run_parts(step_, code_, parts_, bindings_, slots_.steps.front(), phase, pool_);
}

}  // namespace op2::sched
