// SPDX-License-Identifier: BSD-3-Clause
// What of the standard library a kernel's text may use, and how the text has to write it so that
// it calls what the program called.
#pragma once

#include <optional>
#include <string>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

namespace op2::embed {

struct StandardUse {
  std::string header;  ///< that the text includes; empty: none
  std::string words;   ///< to write in place of the name with its qualifiers; empty: as it is
  std::string helper;  ///< definition that has to stand before; empty: none
};

/// A function of the standard library. With <cmath> alone `sqrt(float)` is the function of double,
/// with another header it is that of float: the declaration tells which one the program had.
/// @param call  the call, or null: the function is used otherwise
/// @return nothing if texts cannot have it
std::optional<StandardUse> standard_function(const clang::FunctionDecl& function,
                                             const clang::CallExpr* call,
                                             const clang::ASTContext& context);

/// A type or template of the standard library.
/// @return nothing if texts cannot have it
std::optional<StandardUse> standard_type(const clang::NamedDecl& type,
                                         const clang::ASTContext& context);

}  // namespace op2::embed
