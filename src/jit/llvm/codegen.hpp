// SPDX-License-Identifier: BSD-3-Clause
// From LLVM's intermediate representation to an object.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <jit/backend.hpp>
#include <jit/llvm/machine.hpp>

namespace llvm {
class Module;
}

namespace op2::jit {

/// An error at the place of a note; a note without a place gives an error without one.
inline Diagnostic error_at(const Diagnostic& note, std::string text,
                           Diagnostic::Kind kind = Diagnostic::Kind::other) {
  Diagnostic error = note;
  error.severity = Diagnostic::Severity::error;
  error.kind = kind;
  error.text = std::move(text);
  return error;
}

/// Places in the sources that explain what only shows when code is generated: notes there.
struct SourceMarks {
  Diagnostic kernel;                            ///< the first
  std::vector<Diagnostic> constructed;          ///< global variables that may need a constructor
  std::map<std::string, Diagnostic> undefined;  ///< by symbol; `subject` is the name

  void set_unit(std::int32_t unit);
  /// Those of a further unit.
  void add(SourceMarks other);
};

/// Optimises `module` and generates code for it; of what it defines, only `request.symbol` stays
/// visible. Safe to call from several threads, each with a separate LLVMContext.
/// @param result  gets the code, or why it is scalar, and errors; after one the rest is of no use
void generate_code(llvm::Module& module, const SourceMarks& marks, const Machine& machine,
                   const CompileRequest& request, CompileResult& result);

}  // namespace op2::jit
