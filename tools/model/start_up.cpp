// SPDX-License-Identifier: BSD-3-Clause
#include "start_up.hpp"

#include <bit>

namespace op2::model {
namespace {

constexpr double bytes_of_kernel = 60e3;

}  // namespace

StartUp start_up(const core::RunRecord& record, const Cut& cut, const Machine& machine) {
  const int rounds = cut.parts == 1 ? 0 : std::bit_width(static_cast<unsigned>(cut.parts - 1));
  const Link& link = machine.ranks_per_node > 0 ? machine.across : machine.on_node;
  const double broadcast =
      rounds * (link.latency + 2 * link.overhead + bytes_of_kernel * link.seconds_per_byte);
  const double partition = cut.parts == 1
                               ? record.partition.seconds
                               : (cut.cut_seconds + cut.halo_seconds) * rounds / cut.parts;
  return {partition, record.compile_seconds + record.kernels * broadcast, record.plan_seconds};
}

}  // namespace op2::model
