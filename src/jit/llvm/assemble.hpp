// SPDX-License-Identifier: BSD-3-Clause
// From assembly to an object, with LLVM's assembler inside the process.
#pragma once

#include <string>
#include <vector>

#include <jit/backend.hpp>

namespace llvm {
class TargetMachine;
}

namespace op2::jit {

struct AssembledObject {
  std::vector<std::byte> bytes;  ///< a relocatable file; empty after an error
  std::string message;           ///< the first error
};

/// @param machine  that the assembly was generated for
AssembledObject assemble(const std::string& assembly, const llvm::TargetMachine& machine);

}  // namespace op2::jit
