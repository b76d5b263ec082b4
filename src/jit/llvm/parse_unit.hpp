// SPDX-License-Identifier: BSD-3-Clause
// One translation unit, from source to a module, with Clang inside the process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <jit/backend.hpp>
#include <jit/llvm/codegen.hpp>
#include <jit/llvm/machine.hpp>
#include <jit/source_rules.hpp>

namespace op2::jit {

/// What the source says beside the code.
struct UnitNotes {
  std::vector<Diagnostic> messages;
  std::string parameters;  ///< of the kernel, as written
  SourceMarks marks;
  std::vector<AccessFinding> findings;
  std::vector<ArgumentFacts> facts;
};

struct ParsedUnit {
  UnitNotes notes;
  std::optional<SignatureFault> fault;   ///< then there is no other message
  std::unique_ptr<llvm::Module> module;  ///< null after an error or a fault
};

/// @param context  of the module; outlives it
ParsedUnit parse_unit(const Machine& machine, const Sanitizers& sanitizers, const CompileUnit& unit,
                      llvm::LLVMContext& context);

}  // namespace op2::jit
