// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/core.h>

#include <comm/messages/launcher.hpp>
#include <comm/messages/mpi_communicator.hpp>
#include <core/progress.hpp>
#include <core/tool_log.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "measure.hpp"

namespace op2::model {
namespace {

void print(const char* where, const Link& link) {
  fmt::print("{:<8} latency {:.3f} us, overhead {:.3f} us, {:.2f} GB/s\n", where,
             1e6 * link.latency, 1e6 * link.overhead, 1e-9 / link.seconds_per_byte);
}

Machine measured(comm::Communicator& ranks, const MachineOptions& options) {
  Machine machine;
  machine.origin = fmt::format("measured on-node with {} ranks", ranks.size());
  machine.on_node = measure_messages(ranks);
  const Packing packing = measure_packing(ranks);
  machine.pack_row = packing.row;
  machine.pack_byte = packing.byte;
  machine.unpack_byte = packing.received_byte;
  machine.memory = measure_memory(ranks);
  machine.reduction = measure_reduction(ranks);
  machine.caches = measure_caches(ranks);
  machine.disturbance = measure_disturbance(ranks);
  if (options.ranks_per_node == 0) return machine;
  machine.ranks_per_node = options.ranks_per_node;
  machine.across = {1e-6 * options.latency_us, 1e-6 * options.overhead_us,
                    1e-9 / options.bandwidth_gbs};
  machine.origin += "; across nodes as given";
  return machine;
}

}  // namespace

int machine(const MachineOptions& options) {
  const std::array given{options.ranks_per_node > 0, options.latency_us >= 0,
                         options.overhead_us >= 0, options.bandwidth_gbs >= 0};
  if (const auto count = std::ranges::count(given, true);
      count != 0 && count != std::ssize(given)) {
    if (comm::launched_rank() != 0) return 2;  // one message is enough
    throw Failure(
        "figures across nodes are incomplete: give --ranks-per-node, --latency-us, --overhead-us "
        "and --bandwidth-gbs together, or none of them");
  }
  if (comm::launched_processes() < 2)
    throw Failure(
        "messages need two ranks: 1 was started; use mpirun -n 2 or more, one for each core");
  const auto session = comm::start_mpi({});
  comm::Communicator& ranks = *session->communicator;
  if (ranks.on_node().count != ranks.size()) {
    if (!ranks.is_root()) return 2;  // one message is enough
    throw Failure(
        "the ranks are on several nodes: start all on one, and give what messages between nodes "
        "take by --latency-us, --overhead-us and --bandwidth-gbs");
  }
  core::Log log = core::tool_log("op2-model", ranks.is_root());
  const core::Progress progress(log, "measuring messages and memory");
  const Machine made = measured(ranks, options);
  if (!ranks.is_root()) return 0;
  write_file(options.out, as_json(made));
  print("on node", made.on_node);
  if (made.ranks_per_node > 0) print("across", made.across);
  fmt::print("packing {:.3f} ns per row and {:.4f} ns per byte, unpacking {:.4f} ns per byte\n",
             1e9 * made.pack_row, 1e9 * made.pack_byte, 1e9 * made.unpack_byte);
  fmt::print("memory  {:.2f} GB/s for one rank, {:.2f} for each of {}\n",
             1e-9 * made.memory.front(), 1e-9 * made.memory.back(), made.memory.size());
  fmt::print("waits   longer by {:.1f} % of the work before them, because ranks are disturbed\n",
             100 * made.disturbance);
  fmt::print(stderr, "{}", warning_of(made));
  return 0;
}

}  // namespace op2::model
