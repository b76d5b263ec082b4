// SPDX-License-Identifier: BSD-3-Clause
// A walk over the whole syntax tree of a declaration.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/NestedNameSpecifier.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/TypeLoc.h>

namespace op2::jit {

/// What a walk does at each node, the outer one first. Clang's RecursiveASTVisitor takes six
/// seconds to compile for each class that derives from it; here it is compiled once.
class SyntaxVisitor {
 public:
  virtual ~SyntaxVisitor() = default;

  /// Declarations, statements, types as written and their qualifiers, bodies of functions included.
  void walk(const clang::Decl& root);

  /// Of templates, the walk visits the pattern and, if this is true, all instances.
  virtual bool visits_instances() const { return false; }
  /// Whether it visits what the compiler has added: implicit members, loops over ranges in full.
  virtual bool visits_implicit_code() const { return false; }
  /// Whether it visits a declaration and what is in it.
  virtual bool enters(const clang::Decl&) const { return true; }

  virtual void on_declaration(const clang::Decl&) {}
  virtual void on_statement(const clang::Stmt&) {}
  virtual void on_type(const clang::TypeLoc&) {}
  virtual void on_qualifier(const clang::NestedNameSpecifierLoc&) {}

 protected:
  int requirements() const { return requirements_; }

 private:
  friend class SyntaxWalk;
  int requirements_ = 0;  ///< depth of the requires-expressions around
};

}  // namespace op2::jit
