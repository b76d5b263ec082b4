// SPDX-License-Identifier: BSD-3-Clause
#include "start_up.hpp"

namespace op2::model {
namespace {

constexpr double bytes_of_kernel = 60e3;

}  // namespace

StartUp start_up(const core::RunRecord& record, const Cut& cut, const Machine& machine) {
  const Link& link = machine.ranks_per_node > 0 ? machine.across : machine.on_node;
  const double broadcast = tree_seconds(cut.parts, link, bytes_of_kernel);
  const double partition =
      cut.parts == 1 ? record.partition.seconds
                     : (cut.cut_seconds + cut.halo_seconds) * rounds(cut.parts) / cut.parts;
  return {partition, record.compile_seconds + record.kernels * broadcast, record.plan_seconds};
}

}  // namespace op2::model
