// SPDX-License-Identifier: BSD-3-Clause
// Describes the machine of this process.
#pragma once

#include <optional>
#include <string>

#include <jit/llvm/machine.hpp>

namespace op2::jit {

/// The machine of this process, or one with the CPU named `cpu`.
/// @param message  set if nothing is returned: the CPU is unknown, or has what this machine lacks
std::optional<Machine> find_machine(const std::string& cpu, std::string& message);

}  // namespace op2::jit
