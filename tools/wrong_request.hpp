// SPDX-License-Identifier: BSD-3-Clause
// Tools with commands: what they answer to words of the command line that they cannot use.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <core/text.hpp>

namespace op2::tools {

/// What is wrong with a first argument that is neither a command nor an option; empty: nothing.
inline std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  const std::string given = argc > 1 ? argv[1] : "";
  if (given.empty() || given[0] == '-') return "";
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  for (const std::string& name : names)
    if (name == given) return "";
  return fmt::format("unknown command: '{}'; use {}{}", given, fmt::join(names, ", "),
                     core::did_you_mean(given, names));
}

/// The message about any other wrong argument, with the tool's name before it.
inline std::string failure_message(const CLI::App* app, const CLI::Error& error) {
  return fmt::format("{}: {}", app->get_name(), CLI::FailureMessage::simple(app, error));
}

}  // namespace op2::tools
