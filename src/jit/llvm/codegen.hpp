// SPDX-License-Identifier: BSD-3-Clause
// From LLVM's intermediate representation to an object.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <jit/backend.hpp>
#include <jit/llvm/machine.hpp>

namespace llvm {
class Module;
}

namespace op2::jit {

/// An error that no line of text can be blamed for.
inline Diagnostic error_without_place(std::string text,
                                      Diagnostic::Kind kind = Diagnostic::Kind::other) {
  Diagnostic error;
  error.kind = kind;
  error.text = std::move(text);
  return error;
}

struct GeneratedCode {
  std::vector<Diagnostic> diagnostics;  ///< if one is an error, the rest is of no use
  std::vector<std::byte> object;
  std::string ir;
  std::string assembly;
};

/// Optimises `module` and generates code for it; of what it defines, only `request.symbol` stays
/// visible. Safe to call from several threads, each with a module of its own LLVMContext.
GeneratedCode generate_code(llvm::Module& module, const Machine& machine,
                            const CompileRequest& request);

}  // namespace op2::jit
