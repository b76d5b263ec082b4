// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/cost_table.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/hash.hpp>
#include <jit/cache_directory.hpp>

namespace op2::sched {
namespace {

constexpr const char* file_name = "costs.txt";
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
  Placement placement;
  Link link;
  double packed_row = 0, received_byte = 0;
  words >> placement.ranks >> placement.on_first_node;
  for (double* seconds :
       {&link.overhead, &link.latency, &link.seconds_per_byte, &packed_row, &received_byte})
    if (!(words >> *seconds) || !is_time(*seconds)) return false;
  return table.networks.emplace(placement, Network{{link, link}, packed_row, received_byte}).second;
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

std::string text_of(const CostTable& table) {
  std::string text = std::string(first_line) + "\n";
  for (const auto& [identity, cost] : table.loops) {
    if (!std::ranges::all_of(cost.seconds, is_cost)) continue;
    text += fmt::format("loop {} {:.6g}\n", identity, fmt::join(cost.seconds, " "));
  }
  std::size_t networks = 0;
  for (const auto& [placement, network] : table.networks) {
    const Link& link = network.links[0];
    const std::array seconds{link.overhead, link.latency, link.seconds_per_byte, network.packed_row,
                             network.received_byte};
    if (!std::ranges::all_of(seconds, is_time)) continue;
    if (++networks > most_networks) break;
    text += fmt::format("network {} {} {:.6g}\n", placement.ranks, placement.on_first_node,
                        fmt::join(seconds, " "));
  }
  return text + "checksum " + checksum_of(text) + "\n";
}

void keep(const Placement& placement, const Network& network, CostTable& table) {
  if (table.networks.size() >= most_networks && !table.networks.contains(placement))
    table.networks.erase(table.networks.begin());
  table.networks[placement] = network;
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
  const jit::ReadFile file = opened.directory->read(file_name, false);
  CostTable table;
  if (file.state == jit::ReadFile::State::read)
    table =
        table_from({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()}, problem);
  else if (file.state != jit::ReadFile::State::missing)
    problem = fmt::format("it cannot be read: {}", file.reason);
  if (!problem.empty()) problem = fmt::format("{}/{}: {}", directory, file_name, problem);
  return table;
}

std::string write_costs(const std::string& directory, const CostTable& table) {
  const auto opened = jit::CacheDirectory::open(directory, jit::Trust::own);
  std::string problem = opened.problem;
  if (opened.directory) {
    const std::string text = text_of(table);
    problem = opened.directory->replace(file_name, std::as_bytes(std::span(text))).reason;
  }
  return problem.empty() ? "" : fmt::format("{}/{}: {}", directory, file_name, problem);
}

}  // namespace op2::sched
