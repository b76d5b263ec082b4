// SPDX-License-Identifier: BSD-3-Clause
// Which parts of the standard library the source of a kernel may use, and how it spells them so
// that it calls the same functions as the program.
#pragma once

#include <optional>
#include <string>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

namespace op2::embed {

struct StandardUse {
  std::string header;       ///< to include; empty: none
  std::string replacement;  ///< of the name with its qualifiers; empty: unchanged
  std::string helper;       ///< definition to put in front; empty: none
};

/// A function of the standard library. Which overload of `sqrt(float)` the program calls depends on
/// its headers (<cmath> alone declares that of double); `function` is the one that it found.
/// @param call  null if the function is not called, e.g. its address is taken
/// @return nothing if kernels cannot use it
std::optional<StandardUse> standard_function(const clang::FunctionDecl& function,
                                             const clang::CallExpr* call,
                                             const clang::ASTContext& context);

/// A type or template of the standard library.
/// @return nothing if kernels cannot use it
std::optional<StandardUse> standard_type(const clang::NamedDecl& type,
                                         const clang::ASTContext& context);

/// A constant of <numbers>.
/// @return nothing for other variables of the standard library
std::optional<StandardUse> standard_variable(const clang::VarDecl& variable);

}  // namespace op2::embed
