// SPDX-License-Identifier: BSD-3-Clause
// All references in the syntax tree of a declaration.
#pragma once

#include <string>

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

namespace op2::embed {

/// Receives each reference, repeated ones too.
class ReferenceSink {
 public:
  virtual ~ReferenceSink() = default;
  /// @param name  null if the source does not name the function: a constructor, an operator
  /// @param call  null if it is not called there
  virtual void on_function(const clang::FunctionDecl& function, const clang::DeclRefExpr* name,
                           const clang::CallExpr* call) = 0;
  virtual void on_variable(const clang::VarDecl& variable, const clang::DeclRefExpr& name) = 0;
  /// A class, enumeration, type alias, template or concept.
  virtual void on_type(const clang::NamedDecl& type, clang::SourceLocation location) = 0;
  virtual void on_using(const clang::BaseUsingDecl& declaration) = 0;
  /// A namespace, or an alias of one.
  virtual void on_namespace(const clang::NamedDecl& space) = 0;
  /// A name outside of function bodies that is not resolved before a template is instantiated.
  virtual void on_unresolved(const clang::UnresolvedLookupExpr& name) = 0;
  /// Something that a kernel compiled at run time cannot do.
  virtual void on_fault(std::string reason, clang::SourceLocation location) = 0;
};

/// Member functions are visited only if they are `root` itself.
void visit_references(const clang::Decl& root, ReferenceSink& sink);

/// The same for a type that is not spelled in the source.
void visit_type(clang::QualType type, ReferenceSink& sink);

}  // namespace op2::embed
