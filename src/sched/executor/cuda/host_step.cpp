// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/host_step.hpp>

#include <sched/executor/sequential_step.hpp>

namespace op2::sched {

void HostStep::run(Phase phase) {
  if (step_.rows(phase).empty()) return;
  for (const core::LoopArg& arg : step_.args) {
    if (!arg.is_active_dat()) continue;
    if (arg.modifies())
      static_cast<void>(arg.dat->rows.host_write());
    else
      arg.dat->rows.host_read();
  }
  run_in_order(step_, code_, bindings_, phase);
}

}  // namespace op2::sched
