// SPDX-License-Identifier: BSD-3-Clause
// The closure of a kernel: all declarations that its source must contain, because the kernel or
// another declaration of the closure names them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include "unit.hpp"

namespace op2::embed {

/// Replaces the tokens from a location (the key of Closure::rewrites) to `last` in the source.
struct Rewrite {
  clang::SourceLocation last;
  std::string replacement;
  bool operator==(const Rewrite&) const = default;
};

/// A variable of the program that the source names and does not define.
struct BoundVariable {
  const clang::VarDecl* variable;
  std::string name;         ///< in the source
  std::string declaration;  ///< "double qinf[4]"
};

/// One use of a bound variable.
struct NamedVariable {
  const clang::VarDecl* variable;
  const clang::DeclRefExpr* name;
  const clang::Decl* within;  ///< the enclosing function, class or other declaration
};

/// Why no source can be extracted for a kernel.
struct Fault {
  std::string reason;
  clang::SourceLocation location;
};

/// Declarations are canonical (the first of each entity); templates stand for their instances.
struct Closure {
  std::set<const clang::Decl*> needed;   ///< at namespace scope; out-of-class member functions
  std::set<const clang::Decl*> members;  ///< member functions, and friends defined in classes
  std::map<const clang::VarDecl*, std::string> values;  ///< definitions of compile-time constants
  std::vector<BoundVariable> variables;
  std::vector<NamedVariable> names;  ///< of `variables`
  std::map<clang::SourceLocation, Rewrite> rewrites;
  std::set<std::string> headers;
  std::set<std::string> helpers;
  std::set<const clang::NamespaceDecl*> namespaces;  ///< that must be declared first
  std::optional<Fault> fault;                        ///< if set, the other members are incomplete
};

Closure closure_of(const Unit& unit, const clang::FunctionDecl& kernel);

}  // namespace op2::embed
