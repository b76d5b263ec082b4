// SPDX-License-Identifier: BSD-3-Clause
// The machine to generate code for, as the two halves of the plug-in describe it to each other.
#pragma once

#include <optional>
#include <string>

#include <jit/backend.hpp>

namespace op2::jit {

struct Machine {
  TargetInfo info;
  std::string features;  ///< every feature that is known, present or not: "+avx2,-amx-tile,..."
};

/// The machine of this process, or one with the CPU named `cpu`.
/// @param message  set if nothing is returned: the CPU is unknown, or has what this machine lacks
std::optional<Machine> find_machine(const std::string& cpu, std::string& message);

/// Identifies the library of consistent_names.hpp that this process loads: the name of its file and
/// its build id, or its path; empty if there is none. Loads it, and reads the file.
std::string build_of_consistent_library();

}  // namespace op2::jit
