// SPDX-License-Identifier: BSD-3-Clause
// Checks of a kernel's source beyond C++.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/Decl.h>
#include <clang/Frontend/CompilerInstance.h>

#include <jit/backend.hpp>
#include <jit/signature.hpp>

namespace op2::jit {

/// Checks each definition as soon as it is parsed, and stops the compiler at a kernel that does not
/// match, so that the call that is generated for it is never parsed.
class KernelCheck : public clang::ASTConsumer {
 public:
  /// Both must outlive the check.
  KernelCheck(const CompileUnit& unit, const clang::CompilerInstance& compiler)
      : unit_(unit), compiler_(compiler) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override;

  /// Nothing if the kernel is defined and matches.
  std::optional<SignatureFault> fault() const;
  /// The last definition of the kernel, or null.
  const FunctionForm* kernel() const;
  /// Its declaration in the syntax tree, while that is in memory.
  const clang::FunctionDecl* declaration() const { return declaration_; }
  /// The place of the first global variable that may need a constructor.
  const std::vector<Diagnostic>& constructed() const { return constructed_; }

 private:
  bool is_written(const clang::Decl& declaration) const;
  void visit(const clang::Decl& declaration, const std::string& scope);
  void add(const clang::FunctionDecl& function, const std::string& scope);

  const CompileUnit& unit_;
  const clang::CompilerInstance& compiler_;
  std::vector<FunctionForm> functions_;  ///< of the source, in order
  const clang::FunctionDecl* declaration_ = nullptr;
  std::vector<Diagnostic> constructed_;
  std::optional<SignatureFault> fault_;
};

/// From now on, macros that would change the generated code after the source are errors.
void check_macros(clang::Preprocessor& preprocessor);

/// The violated access modes, as far as they are certain. The source must be free of errors and its
/// templates instantiated.
/// @param parameters  those of the unit, which match the kernel's
std::vector<AccessFinding> access_findings(const clang::FunctionDecl& kernel,
                                           const std::vector<ParameterShape>& parameters);

/// What the kernel does to its dats on every path, one for each parameter; empty if no access mode
/// asks for it. Preconditions as above.
std::vector<ParameterFacts> access_facts(const clang::FunctionDecl& kernel,
                                         const std::vector<ParameterShape>& parameters);

}  // namespace op2::jit
