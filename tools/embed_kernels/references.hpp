// SPDX-License-Identifier: BSD-3-Clause
// What the tree of a declaration refers to.
#pragma once

#include <string>

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

namespace op2::embed {

/// Is told of each reference, more than once if there are several.
class ReferenceSink {
 public:
  virtual ~ReferenceSink() = default;
  /// @param name  null if the source does not name the function: a constructor, an operator
  /// @param call  null if it is not called there
  virtual void on_function(const clang::FunctionDecl& function, const clang::DeclRefExpr* name,
                           const clang::CallExpr* call) = 0;
  virtual void on_variable(const clang::VarDecl& variable, const clang::DeclRefExpr& name) = 0;
  /// A class, enumeration, other name of a type, template or concept.
  virtual void on_type(const clang::NamedDecl& type, clang::SourceLocation location) = 0;
  virtual void on_using(const clang::BaseUsingDecl& declaration) = 0;
  /// A namespace, or another name of one.
  virtual void on_namespace(const clang::NamedDecl& space) = 0;
  /// A name outside of the bodies of functions, of which no instance of a template tells what it
  /// means.
  virtual void on_unresolved(const clang::UnresolvedLookupExpr& name) = 0;
  /// Something that compiled kernels cannot do.
  virtual void on_fault(std::string reason, clang::SourceLocation location) = 0;
};

/// Functions of a class are visited only if they are `root` itself.
void visit_references(const clang::Decl& root, ReferenceSink& sink);

/// The same for a type that no tokens spell.
void visit_type(clang::QualType type, ReferenceSink& sink);

}  // namespace op2::embed
