// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/step_sums.hpp>

#include <algorithm>

#include <core/error.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/ordered_sums.hpp>
#include <sched/row_access.hpp>
#include <sched/shapes.hpp>

namespace op2::sched {
StepSums::StepSums(const Step& step, const jit::CudaLoop& code, DeviceTables& tables) {
  const std::vector<jit::AddedDat> added = jit::added_dats(arg_shapes(step.args));
  core::ensure(code.part_sums.size() == added.size(), "code adds to other dats than its step");
  const IndexRange interior = step.rows(Phase::interior), boundary = step.rows(Phase::boundary);
  for (std::size_t k = 0; k < added.size(); ++k) {
    std::vector<RowAccess> columns;
    for (const std::size_t arg : added[k].columns) columns.push_back(row_access(step.args[arg]));
    const core::Dat& dat = *step.args[added[k].arg].dat;
    const core::DeviceAddress parts = tables.parts().parts_of(dat, columns, step.set->rows());
    gathers_.push_back({code.part_sums[k], &dat, parameter_of(dat.rows.device_read()),
                        parameter_of(parts),
                        tables.parts().lists_of(*step.set, columns, interior.end, boundary.end)});
  }
}

LaunchParameter StepSums::parts_of(const core::Dat& dat) const {
  return std::ranges::find(gathers_, &dat, &Gather::dat)->parts;
}

void StepSums::add_kernels(Phase phase, std::vector<KernelLaunch>& launches) const {
  for (const Gather& gather : gathers_) {
    const PartTable& table = gather.tables[phase == Phase::interior ? 0 : 1];
    const std::int64_t values = table.rows_count * gather.dat->dim;
    if (values == 0) continue;
    launches.push_back(
        {gather.kernel,
         blocks_for(values, jit::block_threads),
         {static_cast<LaunchParameter>(values), gather.rows, gather.parts, parameter_of(table.rows),
          parameter_of(table.start), parameter_of(table.parts)}});
  }
}

}  // namespace op2::sched
