// SPDX-License-Identifier: BSD-3-Clause
// Reads a unit of the program with Clang: its tree, its tokens, and what was wrong.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include "message.hpp"

namespace op2::embed {

/// An error of Clang. Parts of the tree that no error is in can be used all the same.
struct ParseError {
  clang::SourceLocation location;
  Message message;
};

/// A unit while its tree is in memory.
struct Unit {
  clang::ASTContext& context;
  const clang::syntax::TokenBuffer& tokens;  ///< after preprocessing
  std::vector<ParseError> errors;
  std::vector<std::string> standard_folders;  ///< headers of the compiler and of its libraries

  const clang::SourceManager& sources() const { return context.getSourceManager(); }
  /// Whether something is declared by the compiler's libraries, and not by the program or by a
  /// library of its own.
  bool is_standard(const clang::Decl& declaration) const;
  bool is_standard(clang::SourceLocation location) const;
};

struct ParseRequest {
  std::string source;
  std::string resource_folder;
  std::vector<std::string> flags;  ///< as from parser_flags
};

/// Calls `use` once the unit is read, errors or not.
/// @return files that were read, without those of the compiler's libraries; empty if the unit could
///         not be read at all, and then `use` was not called
std::vector<std::string> parse_unit(const ParseRequest& request,
                                    const std::function<void(const Unit&)>& use);

}  // namespace op2::embed
