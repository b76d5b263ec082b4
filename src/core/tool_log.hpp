// SPDX-License-Identifier: BSD-3-Clause
// The log of a tool, which shows what takes long (core/progress.hpp).
#pragma once

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <core/log.hpp>
#include <core/options.hpp>

namespace op2::core {

/// Of all switches, patience of OP2_DEBUG counts.
/// @param shows  whether this process is the one to show anything
/// @throws Error bad_option
inline Log tool_log(const std::string& tool, bool shows = true) {
  const auto debug_words = [](const char* name) -> std::optional<std::string> {
    const char* const value = std::string_view(name) == "OP2_DEBUG" ? std::getenv(name) : nullptr;
    return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
  };
  return Log(shows ? LogLevel::warning : LogLevel::error, "",
             std::chrono::milliseconds(read_options(debug_words).progress_interval_ms), tool);
}

}  // namespace op2::core
