// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/cost_history.hpp>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/hash.hpp>
#include <jit/cache_directory.hpp>

namespace op2::sched {
namespace {

/// Fewer iterations measure the clock more than the loop. They count as so many, or a rank with a
/// few elements would say what the hundreds of another one cost.
constexpr double least_iterations = 64;

constexpr int size_classes = 17;

int size_class_of(const core::LoopRecord& loop) {
  return std::bit_width(static_cast<unsigned>(loop.set->size)) / 2;
}

std::string with_class(const std::string& digest, int size_class) {
  return fmt::format("{}.{}", digest, size_class);
}

std::string digest_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                      const CostContext& context) {
  core::Hasher hasher;
  hasher.field(fmt::format("{} {}", context.threads, context.reproducible));
  hasher.field(loop.kernel->name).field(loop.kernel->source);
  for (const core::LoopArg& arg : args)
    hasher.field(fmt::format("{} {} {} {} {} {} {}", static_cast<int>(arg.kind),
                             static_cast<int>(arg.access), arg.dim, static_cast<int>(arg.type),
                             arg.active, arg.column, arg.map == nullptr ? 0 : arg.map->dim));
  return core::to_hex(hasher.finish());
}

/// What is measured now instead of what was earlier, way by way. A few iterations, or those of the
/// first flush alone, are only better than nothing.
LoopCost merged(LoopCost cost, const LoopTimes& now) {
  for (std::size_t way = 0; way < core::ways; ++way) {
    const LoopTimes::Sum& sum = now.sum(static_cast<Way>(way));
    const bool counts = now.is_warm(static_cast<Way>(way)) && sum.iterations >= least_iterations;
    cost.is_measured[way] = counts;
    if (sum.iterations > 0 && (counts || cost.seconds[way] < 0))
      cost.seconds[way] = sum.seconds / std::max(sum.iterations, least_iterations);
  }
  return cost;
}

constexpr const char* costs_file_name = "costs.txt";
constexpr std::string_view first_line = "op2 costs 3";

std::string checksum_of(std::string_view text) {
  return core::to_hex(core::Hasher().field(text).finish());
}

/// Of an iteration, a message, a row or a byte.
bool is_time(double seconds) {
  constexpr double most = 10;
  return seconds >= 0 && seconds <= most;
}

bool is_cost(double seconds) {
  return seconds == -1 || is_time(seconds);
}

/// "<identity> <alone> <tiled> <fused>", in seconds of an iteration.
bool add_loop(std::istringstream& words, CostTable& table) {
  std::string identity;
  LoopCost cost;
  words >> identity;
  for (double& seconds : cost.seconds)
    if (!(words >> seconds) || !is_cost(seconds)) return false;
  return table.loops.emplace(identity, cost).second;
}

/// "<ranks> <of them on the first node> <overhead> <latency> <of a byte> <of a packed row> <of a
/// received byte>", in seconds.
bool add_network(std::istringstream& words, CostTable& table) {
  NodeLayout layout;
  Network network;
  Link& link = network.on_node;
  words >> layout.ranks >> layout.on_first_node;
  for (double* seconds : {&link.overhead, &link.latency, &link.seconds_per_byte, &network.pack_row,
                          &network.unpack_byte})
    if (!(words >> *seconds) || !is_time(*seconds)) return false;
  return table.networks.emplace(layout, network).second;
}

bool add_line(const std::string& line, CostTable& table) {
  std::istringstream words(line);
  std::string kind;
  words >> kind;
  const bool added = kind == "loop"      ? add_loop(words, table)
                     : kind == "network" ? add_network(words, table)
                                         : false;
  return added && (words >> std::ws).eof();
}

}  // namespace

std::string identity_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                        const CostContext& context) {
  return with_class(digest_of(loop, args, context), size_class_of(loop));
}

LoopTimes& CostHistory::times_of(const core::LoopRecord& loop,
                                 std::span<const core::LoopArg> args) {
  return measured_.try_emplace(identity_of(loop, args, context_), &flush_).first->second;
}

std::vector<LoopCost> CostHistory::costs_of(const core::Queue& queue, Sessions sessions,
                                            std::span<const LoopCost> agreed) const {
  const auto records = queue.records();
  std::vector<LoopCost> costs(records.size());
  for (std::size_t k = 0; k < records.size(); ++k)
    if (!records[k].is_assignment())
      costs[k] = cost_of(records[k], queue.args_of(records[k]), sessions,
                         agreed.empty() ? LoopCost{} : agreed[k]);
  return costs;
}

LoopCost CostHistory::cost_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                              Sessions sessions, const LoopCost& agreed) const {
  const std::string digest = digest_of(loop, args, context_);
  const int size_class = size_class_of(loop);
  const std::string identity = with_class(digest, size_class);
  const auto now = measured_.find(identity);
  const bool has_run = now != measured_.end() && now->second.has_run();
  if (sessions == Sessions::all && !has_run && loop.set->size == 0) return {};
  if (sessions == Sessions::earlier || !has_run) return earlier_cost(digest, size_class);
  const auto same_size = known_.find(identity);
  LoopCost before = same_size == known_.end() ? LoopCost{} : same_size->second;
  for (std::size_t way = 0; way < core::ways; ++way)
    if (agreed.seconds[way] >= 0) before.seconds[way] = agreed.seconds[way];
  return merged(before, now->second);
}

/// For a set of the same size, otherwise of the most similar one: better than nothing.
LoopCost CostHistory::earlier_cost(const std::string& digest, int size_class) const {
  for (int distance = 0; distance < size_classes; ++distance)
    for (const int other : {size_class - distance, size_class + distance})
      if (const auto found = known_.find(with_class(digest, other)); found != known_.end())
        return found->second;
  return {};
}

std::map<std::string, LoopCost> CostHistory::all(std::size_t most) const {
  std::map<std::string, LoopCost> all;
  for (const auto& [identity, times] : measured_) {
    const auto earlier = known_.find(identity);
    const LoopCost cost = merged(earlier == known_.end() ? LoopCost{} : earlier->second, times);
    if (cost.is_known() && all.size() < most) all.emplace(identity, cost);
  }
  for (const auto& earlier : known_)
    if (all.size() < most) all.insert(earlier);
  return all;
}

void register_times(const core::Queue& queue, CostHistory& history, Plan& plan) {
  for (std::size_t s = 0; s < plan.steps.all.size(); ++s) {
    for (const KernelUse& use : plan.steps.all[s].kernels) {
      const core::LoopRecord& loop = queue.records()[use.record];
      plan.rows[s].times.push_back(&history.times_of(loop, queue.args_of(loop)));
    }
  }
}

std::string text_of(const CostTable& table) {
  std::string text = std::string(first_line) + "\n";
  for (const auto& [identity, cost] : table.loops) {
    if (!std::ranges::all_of(cost.seconds, is_cost)) continue;
    text += fmt::format("loop {} {:.6g}\n", identity, fmt::join(cost.seconds, " "));
  }
  std::size_t networks = 0;
  for (const auto& [layout, network] : table.networks) {
    const Link& link = network.on_node;
    const std::array seconds{link.overhead, link.latency, link.seconds_per_byte, network.pack_row,
                             network.unpack_byte};
    if (!std::ranges::all_of(seconds, is_time)) continue;
    if (++networks > most_networks) break;
    text += fmt::format("network {} {} {:.6g}\n", layout.ranks, layout.on_first_node,
                        fmt::join(seconds, " "));
  }
  return text + "checksum " + checksum_of(text) + "\n";
}

void keep(const NodeLayout& layout, const Network& network, CostTable& table) {
  if (table.networks.size() >= most_networks && !table.networks.contains(layout))
    table.networks.erase(table.networks.begin());
  table.networks[layout] = network;
}

CostTable table_from(std::string_view text, std::string& problem) {
  const std::size_t end = text.rfind("checksum ");
  const bool whole = end != std::string_view::npos && text.ends_with('\n');
  if (!whole || text.substr(end + 9, text.size() - end - 10) != checksum_of(text.substr(0, end))) {
    problem = "its checksum is wrong";
    return {};
  }
  std::istringstream lines{std::string(text.substr(0, end))};
  std::string line;
  std::getline(lines, line);
  if (line != first_line) {
    problem = fmt::format("it begins with '{}', not '{}'", line.substr(0, 40), first_line);
    return {};
  }
  CostTable table;
  for (int number = 2; std::getline(lines, line); ++number)
    if (!add_line(line, table)) {
      problem = fmt::format("line {} has no costs of a loop or network: '{}'", number,
                            line.substr(0, 120));
      return {};
    }
  return table;
}

CostTable read_costs(const std::string& directory, std::string& problem) {
  if (access(directory.c_str(), F_OK) != 0) return {};
  const auto opened = jit::CacheDirectory::open(directory, jit::Trust::own);
  if (!opened.directory) {
    problem = fmt::format("{}: {}", directory, opened.problem);
    return {};
  }
  const jit::ReadFile file = opened.directory->read(costs_file_name, false);
  CostTable table;
  if (file.state == jit::ReadFile::State::read)
    table =
        table_from({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()}, problem);
  else if (file.state != jit::ReadFile::State::missing)
    problem = fmt::format("it cannot be read: {}", file.reason);
  if (!problem.empty()) problem = fmt::format("{}/{}: {}", directory, costs_file_name, problem);
  return table;
}

std::string write_costs(const std::string& directory, const CostTable& table) {
  const auto opened = jit::CacheDirectory::open(directory, jit::Trust::own);
  std::string problem = opened.problem;
  if (opened.directory) {
    const std::string text = text_of(table);
    problem = opened.directory->replace(costs_file_name, std::as_bytes(std::span(text)));
  }
  return problem.empty() ? "" : fmt::format("{}/{}: {}", directory, costs_file_name, problem);
}

}  // namespace op2::sched
