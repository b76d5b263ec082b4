// SPDX-License-Identifier: BSD-3-Clause
#include <api/processors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <comm/files/open_file.hpp>
#include <comm/messages/records.hpp>
#include <core/text.hpp>

namespace op2::api {
namespace {

/// Equal for processes of one machine, whatever containers they run in.
std::uint64_t machine_of_process() {
  const auto boot = core::read_file("/proc/sys/kernel/random/boot_id");
  return std::hash<std::string>()(boot ? *boot : comm::host_name());
}

/// What others count with.
comm::Bytes packed(const core::Topology& topology) {
  comm::Bytes bytes;
  comm::put(bytes, topology.quota);
  comm::put(bytes, topology.cores);
  const auto cores = std::span(topology.processors).first(static_cast<std::size_t>(topology.cores));
  comm::put_many<int>(bytes, cores);
  comm::put_many<int>(bytes, topology.cache_of);
  return bytes;
}

core::Topology unpacked(const comm::Bytes& bytes) {
  comm::Reader reader(bytes);
  core::Topology topology{{}, 0};
  topology.quota = reader.get<core::Quota>();
  topology.cores = reader.get<int>();
  const auto cores = static_cast<std::size_t>(topology.cores);
  topology.processors = reader.get_many<int>(cores);
  if (!reader.empty()) topology.cache_of = reader.get_many<int>(cores);
  return topology;
}

/// Whether the launcher gave this process alone its part of the machine, as far as it can be told.
bool is_bound(const core::Topology& topology, int processes) {
  return topology.machine_cores > 0 && topology.cores <= topology.machine_cores / processes;
}

}  // namespace

core::Topology share_of_machine(const core::Topology& of_process, comm::Communicator& ranks) {
  const int processes = ranks.on_node().count;
  const auto machines = comm::gather_records(ranks, machine_of_process());
  std::vector<comm::Message> messages;
  for (int rank = 0; rank < ranks.size(); ++rank)
    if (machines[static_cast<std::size_t>(rank)] ==
        machines[static_cast<std::size_t>(ranks.rank())])
      messages.push_back({rank, packed(of_process)});
  std::vector<core::Topology> all;
  std::size_t mine = 0;
  for (const comm::Message& message : ranks.exchange(std::move(messages))) {
    if (message.rank == ranks.rank()) mine = all.size();
    all.push_back(unpacked(message.bytes));
  }
  all[mine] = of_process;
  const auto others = std::max<std::ptrdiff_t>(0, processes - std::ssize(all));
  if (!is_bound(of_process, processes))
    all.insert(all.end(), static_cast<std::size_t>(others), of_process);
  return core::share_of(all, mine);
}

std::string describe(const core::Topology& topology, int threads) {
  const auto mebibytes = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  return fmt::format("{} on {} {}, caches {:.3g} MiB for a core, {:.3g} MiB shared",
                     core::counted(threads, "thread"),
                     topology.processors.size() == 1 ? "processor" : "processors",
                     core::ranges_as_text(topology.processors), mebibytes(topology.caches.own),
                     mebibytes(topology.caches.shared));
}

}  // namespace op2::api
