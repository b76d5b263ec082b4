// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/cost_table.hpp>

#include <unistd.h>

#include <cerrno>
#include <cmath>
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

constexpr std::string_view first_line = "op2 costs 1";

std::string path_in(const std::string& directory) {
  return directory + "/costs.txt";
}

std::string checksum_of(std::string_view text) {
  return core::to_hex(core::Hasher().field(text).finish());
}

bool is_cost(double cost) {
  return cost == -1 || (std::isfinite(cost) && cost >= 0);
}

/// "<identity> <alone> <tiled> <fused>", in seconds of an iteration.
bool add_line(const std::string& line, CostTable& table) {
  std::istringstream words(line);
  std::string identity;
  LoopCost cost;
  words >> identity;
  for (double& seconds : cost.seconds)
    if (!(words >> seconds) || !is_cost(seconds)) return false;
  return table.emplace(identity, cost).second;
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
  std::size_t lines = 0;
  for (const auto& [identity, cost] : table) {
    if (++lines > most_costs) break;
    text += fmt::format("{} {:.6g} {:.6g} {:.6g}\n", identity, cost.seconds[0], cost.seconds[1],
                        cost.seconds[2]);
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
      problem =
          fmt::format("line {} is not a loop with three costs: '{}'", number, line.substr(0, 120));
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
