// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/cost_table.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include <core/hash.hpp>
#include <core/text_file.hpp>

namespace op2::sched {
namespace {

constexpr std::string_view first_line = "op2 costs 3";

std::string path_in(const std::string& directory) {
  return directory + "/costs.txt";
}

std::string checksum_of(std::string_view text) {
  return core::to_hex(core::Hasher().field(text).finish());
}

/// Of an iteration, a message, a row or a byte.
bool is_time(double seconds) {
  constexpr double most = 10;
  return seconds >= 0 && seconds <= most;
}

/// "<identity> <alone> <tiled> <fused>", in seconds of an iteration.
bool add_loop(std::istringstream& words, CostTable& table) {
  std::string identity;
  LoopCost cost;
  words >> identity;
  for (double& seconds : cost.seconds)
    if (!(words >> seconds) || !(seconds == -1 || is_time(seconds))) return false;
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

/// Writes a new file. @return errno; 0: written
int write_new(const std::string& path, int file, const std::string& text) {
  std::size_t written = 0;
  int error = 0;
  while (error == 0 && written < text.size()) {
    const ssize_t count = write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) error = errno;
    if (count > 0) written += static_cast<std::size_t>(count);
  }
  if (close(file) != 0 && error == 0) error = errno;
  if (error != 0) std::remove(path.c_str());
  return error;
}

}  // namespace

std::string text_of(const CostTable& table) {
  std::string text = std::string(first_line) + "\n";
  std::size_t loops = 0, networks = 0;
  for (const auto& [identity, cost] : table.loops) {
    if (++loops > most_loops) break;
    text += fmt::format("loop {} {:.6g} {:.6g} {:.6g}\n", identity, cost.seconds[0],
                        cost.seconds[1], cost.seconds[2]);
  }
  for (const auto& [placement, network] : table.networks) {
    if (++networks > most_networks) break;
    const Link& link = network.links[0];
    text += fmt::format("network {} {} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g}\n", placement.ranks,
                        placement.on_first_node, link.overhead, link.latency, link.seconds_per_byte,
                        network.packed_row, network.received_byte);
  }
  return text + "checksum " + checksum_of(text) + "\n";
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
  const std::string path = path_in(directory);
  if (directory.empty() || access(path.c_str(), F_OK) != 0) return {};
  const std::optional<std::string> text = core::read_file(path.c_str());
  if (!text) {
    problem = fmt::format("{}: it cannot be read: {}", path, core::why_unreadable(path.c_str()));
    return {};
  }
  CostTable table = table_from(*text, problem);
  if (!problem.empty()) problem = fmt::format("{}: {}", path, problem);
  return table;
}

std::string write_costs(const std::string& directory, const CostTable& table) {
  const std::string path = path_in(directory);
  std::string temporary = path + ".XXXXXX";
  const int file = mkstemp(temporary.data());
  int error = file < 0 ? errno : write_new(temporary, file, text_of(table));
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) {
    error = errno;
    std::remove(temporary.c_str());
  }
  return error == 0 ? "" : fmt::format("{}: {}", path, std::strerror(error));
}

}  // namespace op2::sched
