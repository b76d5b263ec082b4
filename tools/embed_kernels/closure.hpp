// SPDX-License-Identifier: BSD-3-Clause
// What a kernel's text has to contain: everything that the kernel names, and what that names.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include "parse_unit.hpp"

namespace op2::embed {

/// Words that the text has instead of the tokens from a place to `last`.
struct Rewrite {
  clang::SourceLocation last;
  std::string words;
  bool operator==(const Rewrite&) const = default;
};

/// A variable of the program that the text names and does not define.
struct BoundVariable {
  const clang::VarDecl* variable;
  std::string name;         ///< in the text
  std::string declaration;  ///< "double qinf[4]"
};

/// One place that names a bound variable.
struct NamedVariable {
  const clang::VarDecl* variable;
  const clang::DeclRefExpr* name;
  const clang::Decl* within;  ///< the function, class or other declaration that it is in
};

/// Why a kernel cannot have a text.
struct Fault {
  std::string reason;
  clang::SourceLocation location;
};

/// All declarations are first ones (canonical), and templates instead of their instances.
struct Closure {
  std::set<const clang::Decl*> needed;   ///< at namespace scope; functions of classes outside them
  std::set<const clang::Decl*> members;  ///< functions of classes, and friends defined in classes
  std::map<const clang::VarDecl*, std::string> values;  ///< definitions of compile-time constants
  std::vector<BoundVariable> variables;
  std::vector<NamedVariable> names;  ///< of `variables`
  std::map<clang::SourceLocation, Rewrite> rewrites;
  std::set<std::string> headers;
  std::set<std::string> helpers;
  std::set<const clang::NamespaceDecl*> namespaces;  ///< that must have been declared
  std::optional<Fault> fault;                        ///< then the rest is incomplete
};

Closure closure_of(const Unit& unit, const clang::FunctionDecl& kernel);

}  // namespace op2::embed
