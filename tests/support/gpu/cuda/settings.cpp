// SPDX-License-Identifier: BSD-3-Clause
#include "settings.hpp"

#include <cstdlib>
#include <stdexcept>

namespace op2::test::gpu::cuda {
namespace {

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == 0 ? otherwise : value;
}

}  // namespace

Settings read_settings() {
  Settings settings;
  settings.schedule = parse_schedule(variable("OP2_EMU_ORDER", "lazy"));
  settings.devices = std::stoi(variable("OP2_EMU_DEVICES", "1"));
  settings.memory = std::stoull(variable("OP2_EMU_MEMORY", "2147483648"));
  settings.report = variable("OP2_EMU_REPORT", "");
  const std::string failure = variable("OP2_EMU_FAIL", "");
  if (failure.empty()) return settings;
  const std::size_t colon = failure.find(':');
  if (colon == std::string::npos)
    throw std::invalid_argument("OP2_EMU_FAIL is not of the form k:code: " + failure);
  settings.fail_at = std::stoll(failure);
  settings.fail_code = std::stoi(failure.substr(colon + 1));
  return settings;
}

}  // namespace op2::test::gpu::cuda
