// SPDX-License-Identifier: BSD-3-Clause
// The options of op2-model.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace op2::model {

using Command = std::function<int()>;

/// Declares all commands; parsing sets `command` to the one that the user chose.
/// @param command  must outlive `app`
void describe(CLI::App& app, Command& command);

}  // namespace op2::model
