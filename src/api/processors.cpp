// SPDX-License-Identifier: BSD-3-Clause
#include <api/processors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <comm/files/open_file.hpp>
#include <comm/messages/launcher.hpp>
#include <comm/messages/records.hpp>
#include <core/text.hpp>

namespace op2::api {
namespace {

/// A process of this machine, as others count with it.
struct Process {
  comm::NodeRank place;
  core::Topology topology;  ///< without siblings and sizes of caches
  int rank = -1;            ///< -1: of another communicator
};

/// Equal for processes of one machine, whatever containers they run in.
std::uint64_t machine_of_process() {
  const auto boot = core::read_file("/proc/sys/kernel/random/boot_id");
  return std::hash<std::string>()(boot ? *boot : comm::host_name());
}

comm::Bytes packed(const Process& process) {
  comm::Bytes bytes;
  comm::put(bytes, process.place);
  comm::put(bytes, process.topology.machine_cores);
  comm::put(bytes, process.topology.quotas.size());
  comm::put_many<core::Quota>(bytes, process.topology.quotas);
  for (const core::Core& core : process.topology.cores) {
    comm::put(bytes, core.processor);
    comm::put(bytes, core.cache);
  }
  return bytes;
}

Process unpacked(const comm::Message& message) {
  comm::Reader reader(message.bytes);
  Process process{reader.get<comm::NodeRank>(), {}, message.rank};
  process.topology.machine_cores = reader.get<int>();
  process.topology.quotas = reader.get_many<core::Quota>(reader.get<std::size_t>());
  while (!reader.empty()) {
    const int processor = reader.get<int>();
    process.topology.cores.push_back({processor, reader.get<int>()});
  }
  return process;
}

/// All that are ranks of one machine, in ascending order.
std::vector<Process> processes_of_machine(Process mine, comm::Communicator& ranks) {
  const auto machines = comm::gather_records(ranks, machine_of_process());
  std::vector<comm::Message> messages;
  for (int rank = 0; rank < ranks.size(); ++rank)
    if (machines[static_cast<std::size_t>(rank)] ==
        machines[static_cast<std::size_t>(ranks.rank())])
      messages.push_back({rank, packed(mine)});
  std::vector<Process> all;
  for (const comm::Message& message : ranks.exchange(std::move(messages)))
    all.push_back(message.rank == ranks.rank() ? std::move(mine) : unpacked(message));
  return all;
}

/// Whether the launcher gave each process its part of the machine, as far as it can be told.
bool are_bound(const std::vector<Process>& all, int processes) {
  std::set<int> used;
  return std::ranges::all_of(all, [&](const Process& process) {
    const auto& cores = process.topology.cores;
    return std::ssize(cores) <= process.topology.machine_cores / processes &&
           std::ranges::all_of(
               cores, [&](const core::Core& core) { return used.insert(core.processor).second; });
  });
}

/// Adds those that are no ranks, and puts all in the order of their places.
void add_others(std::vector<Process>& all) {
  const auto place_of = [](const Process& process) { return process.place.rank; };
  std::ranges::stable_sort(all, {}, place_of);
  const int processes = std::ranges::max(all, {}, [](const Process& process) {
                          return process.place.count;
                        }).place.count;
  if (are_bound(all, processes)) return;
  const std::vector<Process> known = all;
  for (int place = 0; place < processes; ++place)
    if (std::ranges::find(known, place, place_of) == known.end())
      all.push_back(
          {{place, processes}, known[static_cast<std::size_t>(place) % known.size()].topology});
  std::ranges::stable_sort(all, {}, place_of);
}

}  // namespace

core::Topology share_of_machine(const core::Topology& of_process, comm::Communicator& ranks) {
  const comm::NodeRank place = comm::this_launch().on_node.value_or(ranks.on_node());
  auto all = processes_of_machine({place, of_process, ranks.rank()}, ranks);
  add_others(all);
  const auto mine = std::ranges::find(all, ranks.rank(), &Process::rank) - all.begin();
  std::vector<core::Topology> topologies;
  for (Process& process : all) topologies.push_back(std::move(process.topology));
  return core::share_of(topologies, static_cast<std::size_t>(mine));
}

std::string describe(const core::Topology& topology, const core::ThreadPool& pool) {
  std::vector<int> processors = topology.processors();
  const auto used = std::min(processors.size(), static_cast<std::size_t>(pool.size()));
  if (pool.is_pinned()) processors.resize(used);
  const auto mebibytes = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  return fmt::format("{} on {}{} {}{}, caches {:.3g} MiB for a core, {:.3g} MiB shared",
                     core::counted(pool.size(), "thread"), pool.is_pinned() ? "" : "any of ",
                     processors.size() == 1 ? "processor" : "processors",
                     core::ranges_as_text(processors),
                     topology.limit > 0 ? " by a limit of processor time" : "",
                     mebibytes(topology.caches.own), mebibytes(topology.caches.shared));
}

std::vector<std::string> lines_of(const std::vector<std::string>& text_of_rank) {
  if (text_of_rank.size() == 1) return text_of_rank;
  std::map<std::string, std::vector<int>> ranks_of;
  for (int rank = 0; rank < std::ssize(text_of_rank); ++rank)
    ranks_of[text_of_rank[static_cast<std::size_t>(rank)]].push_back(rank);
  std::map<int, std::string> lines;  // by the first rank
  for (const auto& [text, ranks] : ranks_of) {
    constexpr std::size_t most = 60;
    std::string list = core::ranges_as_text(ranks);
    if (list.size() > most)
      list = fmt::format("{},... ({} ranks)", list.substr(0, list.rfind(',', most)), ranks.size());
    lines[ranks.front()] =
        fmt::format("{} {} has {}", ranks.size() == 1 ? "rank" : "each of ranks", list, text);
  }
  std::vector<std::string> in_order;
  for (auto& [rank, line] : lines) in_order.push_back(std::move(line));
  return in_order;
}

}  // namespace op2::api
