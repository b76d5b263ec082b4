// SPDX-License-Identifier: BSD-3-Clause
// How the source of a kernel and the wrapper spell what the program declares, and which parts of
// the standard library the source may use.
#pragma once

#include <optional>
#include <string>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
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

/// A function with the parameters of `function` that calls `callee`.
/// @param head  result and name
std::string forwarding_function(const std::string& head, const clang::FunctionDecl& function,
                                const std::string& callee);

/// Of a pointer to the function: "void (*)(const double *, double *)".
std::string pointer_type(const clang::FunctionDecl& function);

/// How the source uses a part of the standard library, so that it calls the same functions as the
/// program.
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
                                             const clang::CallExpr* call);

/// A type or template of the standard library.
/// @return nothing if kernels cannot use it
std::optional<StandardUse> standard_type(const clang::NamedDecl& type,
                                         const clang::ASTContext& context);

/// A constant of <numbers>.
/// @return nothing for other variables of the standard library
std::optional<StandardUse> standard_variable(const clang::VarDecl& variable);

}  // namespace op2::embed
