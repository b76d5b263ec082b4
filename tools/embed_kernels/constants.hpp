// SPDX-License-Identifier: BSD-3-Clause
// How the source of a kernel accesses a variable of the program.
#pragma once

#include <string>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

namespace op2::embed {

struct ConstantForm {
  enum class Kind {
    as_written,  ///< its declaration is copied into the source
    value,       ///< a definition with its value is generated
    bound,       ///< the source names it; the library binds its address
    none         ///< not possible
  };
  Kind kind = Kind::none;
  std::string text;  ///< value: the definition; none: the reason
};

ConstantForm form_of(const clang::VarDecl& variable, const clang::ASTContext& context);

/// For a bound variable: its name with namespaces and classes as prefixes, "flow_pressure".
std::string name_in_source(const clang::VarDecl& variable);

/// For a bound variable: "double qinf[4]".
std::string declaration_of(const clang::VarDecl& variable, const std::string& name,
                           const clang::ASTContext& context);

/// Whether code at namespace scope may name it.
bool is_accessible(const clang::NamedDecl& declaration);

}  // namespace op2::embed
