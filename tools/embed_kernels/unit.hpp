// SPDX-License-Identifier: BSD-3-Clause
// Parses a unit of the program with Clang: syntax tree, tokens and errors.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <jit/llvm/clang_messages.hpp>

namespace op2::embed {

/// An error of Clang. Parts of the tree without an error can still be used.
struct ParseError {
  clang::SourceLocation location;
  jit::Diagnostic message;
};

/// A parsed unit; valid while its tree is in memory.
struct Unit {
  clang::ASTContext& context;
  const clang::syntax::TokenBuffer& tokens;  ///< after preprocessing
  std::vector<ParseError> errors;
  std::vector<std::string> standard_folders;  ///< headers of the compiler and of its libraries

  const clang::SourceManager& sources() const { return context.getSourceManager(); }
  /// A message about a place of the program.
  jit::Diagnostic message(jit::Diagnostic::Severity severity, clang::SourceLocation location,
                          std::string text) const;
  /// Whether something is declared by the compiler or its standard libraries, and not by the
  /// program or another library.
  bool is_standard(const clang::Decl& declaration) const;
  bool is_standard(clang::SourceLocation location) const;
};

struct ParseRequest {
  std::string source;
  std::string resource_folder;
  std::vector<std::string> flags;  ///< as from parser_flags
};

/// Calls `use` with the parsed unit, also if there were errors.
/// @return the files that were read, except those of standard libraries; empty if the unit cannot
///         be parsed at all, and then `use` is not called
std::vector<std::string> parse_unit(const ParseRequest& request,
                                    const std::function<void(const Unit&)>& use);

/// As a compiler writes a message: "flow.cpp:12:3: warning: ..."
std::string line_of(const jit::Diagnostic& message);

}  // namespace op2::embed
