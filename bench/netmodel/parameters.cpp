// SPDX-License-Identifier: BSD-3-Clause
#include "parameters.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace netmodel {

namespace {

double number_from_environment(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return 0;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= 0))
    throw std::runtime_error(std::string(variable) + "=" + text + " is not a number >= 0");
  return value;
}

}  // namespace

Network network_from_environment() {
  const double gigabytes_per_second = number_from_environment("NETMODEL_BANDWIDTH_GBS");
  return {.latency = 1e-6 * number_from_environment("NETMODEL_LATENCY_US"),
          .seconds_per_byte = gigabytes_per_second > 0 ? 1e-9 / gigabytes_per_second : 0,
          .overhead = 1e-6 * number_from_environment("NETMODEL_OVERHEAD_US")};
}

WorkCosts work_costs_from_environment() {
  WorkCosts costs;
  const char* path = std::getenv("NETMODEL_COSTS");
  if (path == nullptr) return costs;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("cannot read NETMODEL_COSTS=") + path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double seconds = -1;
    if (!(words >> name >> seconds) || seconds < 0)
      throw std::runtime_error(std::string(path) + ": '" + line +
                               "' is not a name and a number of seconds");
    double tiled = seconds;
    if (!(words >> std::ws).eof() && (!(words >> tiled) || tiled < 0))
      throw std::runtime_error(std::string(path) + ": '" + line +
                               "' ends with something that is not a number of seconds in tiles");
    if (name == "packed_row")
      costs.packed_row = seconds;
    else if (name == "received_byte")
      costs.received_byte = seconds;
    else
      costs.loops.push_back({name, seconds, tiled});
  }
  return costs;
}

}  // namespace netmodel
