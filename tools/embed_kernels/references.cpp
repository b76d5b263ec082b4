// SPDX-License-Identifier: BSD-3-Clause
#include "references.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprConcepts.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

namespace op2::embed {
namespace {

class Visitor : public clang::RecursiveASTVisitor<Visitor> {
  using Base = clang::RecursiveASTVisitor<Visitor>;

 public:
  Visitor(const clang::Decl* root, ReferenceSink& sink) : root_(root), sink_(sink) {}

  bool shouldVisitImplicitCode() const { return true; }

  bool TraverseDecl(clang::Decl* declaration) {
    if (declaration == nullptr || is_left_out(*declaration)) return true;
    return Base::TraverseDecl(declaration);
  }

  bool VisitCallExpr(clang::CallExpr* call) {
    calls_[call->getCallee()->IgnoreParenImpCasts()] = call;
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    const auto* target = name->getDecl();
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(target)) {
      const auto call = calls_.find(name);
      const bool is_operator = function->isOverloadedOperator();
      sink_.on_function(*function, is_operator ? nullptr : name,
                        call != calls_.end() ? call->second : nullptr);
    } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(target)) {
      if (variable->hasGlobalStorage() && !variable->isStaticLocal())
        visit_variable(*variable, *name);
    } else if (const auto* constant = llvm::dyn_cast<clang::EnumConstantDecl>(target)) {
      sink_.on_type(*llvm::cast<clang::EnumDecl>(constant->getDeclContext()), name->getLocation());
    }
    return visit_found(name->getFoundDecl());
  }

  bool VisitMemberExpr(clang::MemberExpr* member) {
    const auto* target = member->getMemberDecl();
    if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(target)) {
      sink_.on_function(*method, nullptr, nullptr);
    } else if (llvm::isa<clang::VarDecl>(target)) {
      sink_.on_fault(
          fmt::format("names the static member '{}' through an object", target->getNameAsString()),
          member->getMemberLoc());
    } else if (const auto* record = llvm::dyn_cast<clang::RecordDecl>(target->getDeclContext())) {
      sink_.on_type(*record, member->getMemberLoc());
    }
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construct) {
    return visit_constructor(*construct->getConstructor(), construct->getLocation());
  }
  bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr* construct) {
    return visit_constructor(*construct->getConstructor(), construct->getLocation());
  }

  bool VisitVarDecl(clang::VarDecl* variable) {
    visit_type(variable->getType(), sink_);
    const bool has_state =
        variable->isStaticLocal() && !variable->isConstexpr() &&
        !(variable->getType().isConstQualified() && !variable->getType()->isDependentType() &&
          variable->hasInit() && !variable->getInit()->isValueDependent() &&
          variable->evaluateValue() != nullptr);
    if (has_state && !variable->getType()->isDependentType())
      sink_.on_fault(
          fmt::format("keeps state in the static variable '{}'", variable->getNameAsString()),
          variable->getLocation());
    return true;
  }

  bool VisitTagTypeLoc(clang::TagTypeLoc type) {
    sink_.on_type(*type.getDecl(), type.getNameLoc());
    return true;
  }
  bool VisitInjectedClassNameTypeLoc(clang::InjectedClassNameTypeLoc type) {
    sink_.on_type(*type.getDecl(), type.getNameLoc());
    return true;
  }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) {
    sink_.on_type(*type.getTypedefNameDecl(), type.getNameLoc());
    return true;
  }
  bool VisitUsingTypeLoc(clang::UsingTypeLoc type) {
    return visit_found(type.getTypePtr()->getFoundDecl());
  }
  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc type) {
    visit_template(type.getTypePtr()->getTemplateName(), type.getTemplateNameLoc());
    visit_type(type.getType(), sink_);
    return true;
  }
  bool VisitDeducedTemplateSpecializationTypeLoc(clang::DeducedTemplateSpecializationTypeLoc type) {
    visit_template(type.getTypePtr()->getTemplateName(), type.getTemplateNameLoc());
    return true;
  }
  bool VisitConceptSpecializationExpr(clang::ConceptSpecializationExpr* use) {
    sink_.on_type(*use->getNamedConcept(), use->getBeginLoc());
    return true;
  }

  bool TraverseNestedNameSpecifierLoc(clang::NestedNameSpecifierLoc qualifier) {
    if (qualifier) {
      const auto* step = qualifier.getNestedNameSpecifier();
      if (step->getAsNamespaceAlias() != nullptr) sink_.on_namespace(*step->getAsNamespaceAlias());
    }
    return Base::TraverseNestedNameSpecifierLoc(qualifier);
  }
  bool VisitUsingDirectiveDecl(clang::UsingDirectiveDecl* directive) {
    sink_.on_namespace(*directive->getNominatedNamespaceAsWritten());
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (function->doesThisDeclarationHaveABody()) bodies_.push_back(function->getBody());
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    bodies_.push_back(lambda->getBody());
    return true;
  }
  bool TraverseRequiresExpr(clang::RequiresExpr* requirement) {
    ++requirements_;
    const bool goes_on = Base::TraverseRequiresExpr(requirement);
    --requirements_;
    return goes_on;
  }
  bool VisitUnresolvedLookupExpr(clang::UnresolvedLookupExpr* name) {
    if (decides_by_instance(name->getNameLoc())) sink_.on_unresolved(*name);
    return true;
  }
  // The source contains only the members and operators that are called.
  bool VisitCXXDependentScopeMemberExpr(clang::CXXDependentScopeMemberExpr* member) {
    const bool is_asked = decides_by_instance(member->getMemberLoc());
    return is_asked ? refuse("tests whether a type has a member", member) : true;
  }
  bool VisitCXXUnresolvedConstructExpr(clang::CXXUnresolvedConstructExpr* construct) {
    const bool is_asked = requirements_ > 0 && construct->getNumArgs() > 0;
    return is_asked ? refuse("tests how a type is constructed", construct) : true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* e) { return visit_operator(e); }
  bool VisitUnaryOperator(clang::UnaryOperator* e) { return visit_operator(e); }

  bool VisitCXXNewExpr(clang::CXXNewExpr* e) { return refuse("allocates memory", e); }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* e) { return refuse("frees memory", e); }
  bool VisitCXXThrowExpr(clang::CXXThrowExpr* e) { return refuse("throws an exception", e); }
  bool VisitCXXTryStmt(clang::CXXTryStmt* s) { return refuse("catches exceptions", s); }
  bool VisitAsmStmt(clang::AsmStmt* s) { return refuse("has inline assembly", s); }
  bool VisitCXXTypeidExpr(clang::CXXTypeidExpr* e) { return refuse("uses typeid", e); }
  bool VisitCXXDynamicCastExpr(clang::CXXDynamicCastExpr* e) {
    return refuse("uses dynamic_cast", e);
  }
  bool VisitRecoveryExpr(clang::RecoveryExpr* e) {
    return refuse("has an error that Clang cannot recover from", e);
  }

 private:
  bool refuse(const char* reason, const clang::Stmt* statement) {
    sink_.on_fault(reason, statement->getBeginLoc());
    return true;
  }

  bool visit_constructor(const clang::CXXConstructorDecl& constructor,
                         clang::SourceLocation location) {
    sink_.on_type(*constructor.getParent(), location);
    if (!constructor.isImplicit() || constructor.hasBody())
      sink_.on_function(constructor, nullptr, nullptr);
    return true;
  }

  bool visit_operator(const clang::Expr* expression) {
    const bool is_asked = requirements_ > 0 && expression->isTypeDependent();
    return is_asked ? refuse("tests whether a type has an operator", expression) : true;
  }

  /// Whether the code at `location` takes part in choosing a template or overload.
  bool decides_by_instance(clang::SourceLocation location) const {
    return requirements_ > 0 || !is_in_body(location);
  }

  bool is_in_body(clang::SourceLocation location) const {
    const auto& sources = root_->getASTContext().getSourceManager();
    return std::any_of(bodies_.begin(), bodies_.end(), [&](const clang::Stmt* body) {
      return body != nullptr &&
             sources.isPointWithin(location, body->getBeginLoc(), body->getEndLoc());
    });
  }

  /// Member functions other than the root; the sink visits those that are called.
  bool is_left_out(const clang::Decl& declaration) const {
    if (&declaration == root_) return false;
    const auto* scope = declaration.getLexicalDeclContext();
    const auto* record = llvm::dyn_cast_or_null<clang::CXXRecordDecl>(scope);
    if (record == nullptr || record->isLambda() || record->isLocalClass() != nullptr) return false;
    if (const auto* general = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration))
      return general->getTemplatedDecl() != root_;
    return llvm::isa<clang::FunctionDecl, clang::FriendDecl>(declaration);
  }

  void visit_variable(const clang::VarDecl& variable, const clang::DeclRefExpr& name) {
    if (const auto* instance = llvm::dyn_cast<clang::VarTemplateSpecializationDecl>(&variable)) {
      sink_.on_type(*instance->getSpecializedTemplate(), name.getLocation());
    } else {
      sink_.on_variable(variable, name);
    }
  }

  /// The using-declaration through which a name was found. Functions of the standard library are
  /// written with their full names.
  bool visit_found(const clang::NamedDecl* found) {
    const auto* shadow = llvm::dyn_cast_or_null<clang::UsingShadowDecl>(found);
    if (shadow == nullptr) return true;
    const auto* target = shadow->getTargetDecl()->getAsFunction();
    if (target == nullptr || !target->isInStdNamespace()) sink_.on_using(*shadow->getIntroducer());
    return true;
  }

  void visit_template(clang::TemplateName name, clang::SourceLocation location) {
    if (const auto* shadow = name.getAsUsingShadowDecl()) visit_found(shadow);
    const auto* general = name.getAsTemplateDecl();
    if (general != nullptr && !llvm::isa<clang::TemplateTemplateParmDecl>(general))
      sink_.on_type(*general, location);
  }

  const clang::Decl* root_;
  ReferenceSink& sink_;
  std::vector<const clang::Stmt*> bodies_;  ///< of the functions being visited
  int requirements_ = 0;                    ///< depth of enclosing requires-expressions
  std::map<const clang::Expr*, const clang::CallExpr*> calls_;
};

}  // namespace

void visit_references(const clang::Decl& root, ReferenceSink& sink) {
  Visitor(&root, sink).TraverseDecl(const_cast<clang::Decl*>(&root));
}

void visit_type(clang::QualType type, ReferenceSink& sink) {
  if (type.isNull() || type->isDependentType()) return;
  type = type.getCanonicalType();
  while (true) {
    if (type->isAnyPointerType() || type->isReferenceType()) {
      type = type->getPointeeType();
    } else if (const auto* array = type->getAsArrayTypeUnsafe()) {
      type = array->getElementType();
    } else {
      break;
    }
  }
  if (const auto* tag = type->getAsTagDecl()) sink.on_type(*tag, tag->getLocation());
}

}  // namespace op2::embed
