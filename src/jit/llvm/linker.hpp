// SPDX-License-Identifier: BSD-3-Clause
// Linking of objects into the process, and what is known of the machine; needs LLVM but not Clang.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <jit/backend.hpp>
#include <jit/llvm/machine.hpp>

namespace op2::jit {

class Linker {
 public:
  virtual ~Linker() = default;
  /// As Backend::link.
  virtual LinkResult link(const std::vector<std::byte>& object, const std::string& symbol,
                          const std::vector<LinkSymbol>& symbols) = 0;
};

/// The machine of this process, or one with the CPU named `cpu`.
/// @param message  set if nothing is returned: the CPU is unknown, or has what this machine lacks
std::optional<Machine> find_machine(const std::string& cpu, std::string& message);

/// Null if the process cannot map executable memory; `message` says why.
std::unique_ptr<Linker> make_linker(std::string& message);

}  // namespace op2::jit
