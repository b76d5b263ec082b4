// SPDX-License-Identifier: BSD-3-Clause
// How the source of a kernel and the wrapper spell what the program declares.
#pragma once

#include <string>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/PrettyPrinter.h>

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

/// Types with all their namespaces except unnamed ones.
clang::PrintingPolicy names_policy(const clang::ASTContext& context);

/// "::flow::flux<double, 3>"
std::string full_name(const clang::NamedDecl& declaration);

/// Of a pointer to the function: "void (*)(const double *, double *)".
std::string pointer_type(const clang::FunctionDecl& function);

}  // namespace op2::embed
