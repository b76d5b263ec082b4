// SPDX-License-Identifier: BSD-3-Clause
#include "settings.hpp"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace op2::test::gpu::cuda {
namespace {

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == 0 ? otherwise : value;
}

/// The two parts of "a:b"; empty if the variable is not set.
std::pair<std::string, std::string> pair_of(const char* name) {
  const std::string text = variable(name, "");
  const std::size_t colon = text.find(':');
  if (!text.empty() && colon == std::string::npos)
    throw std::invalid_argument(std::string(name) + " has no colon: " + text);
  return {text.substr(0, colon), text.empty() ? "" : text.substr(colon + 1)};
}

}  // namespace

Settings read_settings() {
  Settings settings;
  settings.schedule = parse_schedule(variable("OP2_EMU_ORDER", "lazy"));
  settings.devices = std::stoi(variable("OP2_EMU_DEVICES", "1"));
  settings.machine = std::stoll(variable("OP2_EMU_MACHINE", std::to_string(::getpid()).c_str()));
  settings.memory = std::stoull(variable("OP2_EMU_MEMORY", "2147483648"));
  settings.capability = std::stoi(variable("OP2_EMU_CAPABILITY", "90"));
  if (variable("OP2_EMU_HOST", "closed") == "open") settings.host = HostAccess::allowed;
  settings.absent_allowed = variable("OP2_EMU_ABSENT", "fault") == "allowed";
  settings.contracts = variable("OP2_EMU_FMA", "off") == "on" && __builtin_cpu_supports("fma");
  settings.report = variable("OP2_EMU_REPORT", "");
  const auto [call, code] = pair_of("OP2_EMU_FAIL");
  if (!call.empty()) {
    if (std::isdigit(static_cast<unsigned char>(call[0])) != 0)
      settings.fail_at = std::stoll(call);
    else
      settings.failing = call;
    settings.fail_code = std::stoi(code);
  }
  const auto [function, number] = pair_of("OP2_EMU_OMIT");
  settings.omitted = function;
  if (!function.empty()) settings.omit_at = std::stoll(number);
  return settings;
}

}  // namespace op2::test::gpu::cuda
