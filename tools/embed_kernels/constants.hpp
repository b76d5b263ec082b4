// SPDX-License-Identifier: BSD-3-Clause
// How a text gets at a variable of the program.
#pragma once

#include <string>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

namespace op2::embed {

struct ConstantForm {
  enum class Kind {
    as_written,  ///< its declaration is in the text
    value,       ///< so is its value, in a definition made for it
    bound,       ///< the text names it, the library gives its value
    none         ///< the text cannot have it
  };
  Kind kind = Kind::none;
  std::string text;  ///< value: the definition; none: why
};

ConstantForm form_of(const clang::VarDecl& variable, const clang::ASTContext& context);

/// For a bound variable: a name without namespaces and classes.
std::string name_in_text(const clang::VarDecl& variable);

/// For a bound variable: "double qinf[4]".
std::string declaration_of(const clang::VarDecl& variable, const std::string& name,
                           const clang::ASTContext& context);

/// Whether code outside all classes may name it.
bool is_accessible(const clang::NamedDecl& declaration);

}  // namespace op2::embed
