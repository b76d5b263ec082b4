// SPDX-License-Identifier: BSD-3-Clause
#include "closure.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ExprConcepts.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include <jit/llvm/syntax_visitor.hpp>
#include <jit/llvm/versions.hpp>

#include "spelling.hpp"

namespace op2::embed {
namespace {

/// The template of a class; the class itself if there is none.
const clang::Decl* general_form(const clang::TagDecl* tag) {
  if (const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(tag))
    return instance->isExplicitSpecialization()
               ? tag
               : static_cast<const clang::Decl*>(instance->getSpecializedTemplate());
  const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(tag);
  const auto* general = record != nullptr ? record->getDescribedClassTemplate() : nullptr;
  return general != nullptr ? static_cast<const clang::Decl*>(general) : tag;
}

/// The class, or other declaration at namespace scope, that `declaration` is in; null if it is in a
/// function, whose body contains it already.
const clang::Decl* outermost(const clang::Decl* declaration) {
  while (true) {
    const auto* scope = declaration->getDeclContext();
    if (scope->isFunctionOrMethod()) return nullptr;
    if (const auto* tag = llvm::dyn_cast<clang::TagDecl>(scope)) {
      declaration = general_form(tag);
    } else {
      return declaration;
    }
  }
}

bool is_local(const clang::Decl& declaration) {
  return declaration.getParentFunctionOrMethod() != nullptr;
}

/// Finds the references in the syntax trees of the kernel and of what it needs, repeated ones too.
/// Member functions are visited only if they are needed themselves.
class Builder : public jit::SyntaxVisitor {
 public:
  explicit Builder(const Unit& unit) : unit_(unit) {}

  Closure run(const clang::FunctionDecl& kernel) {
    use_function(kernel, nullptr, nullptr);
    while (!worklist_.empty() && !closure_.fault) {
      const auto* next = worklist_.back();
      worklist_.pop_back();
      visited_ = next;
      bodies_.clear();
      calls_.clear();
      check_errors(*next);
      walk(*next);
    }
    return std::move(closure_);
  }

  bool visits_implicit_code() const override { return true; }

  /// The builder visits the member functions that are called.
  bool enters(const clang::Decl& declaration) const override {
    if (&declaration == visited_) return true;
    const auto* scope = declaration.getLexicalDeclContext();
    const auto* record = llvm::dyn_cast_or_null<clang::CXXRecordDecl>(scope);
    if (record == nullptr || record->isLambda() || record->isLocalClass() != nullptr) return true;
    if (const auto* general = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration))
      return general->getTemplatedDecl() == visited_;
    return !llvm::isa<clang::FunctionDecl, clang::FriendDecl>(declaration);
  }

  void on_declaration(const clang::Decl& declaration) override {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration)) {
      visit_variable(*variable);
    } else if (const auto* directive = llvm::dyn_cast<clang::UsingDirectiveDecl>(&declaration)) {
      use_namespace(*directive->getNominatedNamespaceAsWritten());
    } else if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
      if (function->doesThisDeclarationHaveABody()) bodies_.push_back(function->getBody());
    }
  }

  void on_statement(const clang::Stmt& statement) override {
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement)) {
      calls_[call->getCallee()->IgnoreParenImpCasts()] = call;
    } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&statement)) {
      visit_name(*name);
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&statement)) {
      visit_member(*member);
    } else if (const auto* object = llvm::dyn_cast<clang::CXXConstructExpr>(&statement)) {
      visit_constructor(*object->getConstructor(), object->getLocation());
    } else if (const auto* base = llvm::dyn_cast<clang::CXXInheritedCtorInitExpr>(&statement)) {
      visit_constructor(*base->getConstructor(), base->getLocation());
    } else if (const auto* concept_use =
                   llvm::dyn_cast<clang::ConceptSpecializationExpr>(&statement)) {
      use_type(*concept_use->getNamedConcept(), concept_use->getBeginLoc());
    } else if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&statement)) {
      bodies_.push_back(lambda->getBody());
    } else if (const auto* unresolved = llvm::dyn_cast<clang::UnresolvedLookupExpr>(&statement)) {
      if (decides_by_instance(unresolved->getNameLoc())) use_unresolved(*unresolved);
    } else if (const char* reason = refusal_of(statement)) {
      fail(reason, statement.getBeginLoc());
    }
  }

  void on_type(const clang::TypeLoc& type) override {
    if (const auto tag = type.getAs<clang::TagTypeLoc>()) {
      use_type(*tag.getDecl(), tag.getNameLoc());
    } else if (const auto injected = type.getAs<clang::InjectedClassNameTypeLoc>()) {
      use_type(*injected.getDecl(), injected.getNameLoc());
    } else if (const auto alias = type.getAs<clang::TypedefTypeLoc>()) {
      use_type(*alias.getTypePtr()->getDecl(), alias.getNameLoc());
    } else if (const auto found = type.getAs<clang::UsingTypeLoc>()) {
      visit_found(jit::shadow_of(*found.getTypePtr()));
    } else if (const auto instance = type.getAs<clang::TemplateSpecializationTypeLoc>()) {
      visit_template(instance.getTypePtr()->getTemplateName(), instance.getTemplateNameLoc());
      use_unwritten_type(instance.getType());
    } else if (const auto deduced = type.getAs<clang::DeducedTemplateSpecializationTypeLoc>()) {
      visit_template(deduced.getTypePtr()->getTemplateName(), deduced.getTemplateNameLoc());
    }
  }

  void on_qualifier(const clang::NestedNameSpecifierLoc& qualifier) override {
    const auto* alias =
        llvm::dyn_cast_or_null<clang::NamespaceAliasDecl>(jit::namespace_of(qualifier));
    if (alias != nullptr) use_namespace(*alias);
  }

 private:
  void visit_name(const clang::DeclRefExpr& name) {
    const auto* target = name.getDecl();
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(target)) {
      const auto call = calls_.find(&name);
      use_function(*function, function->isOverloadedOperator() ? nullptr : &name,
                   call != calls_.end() ? call->second : nullptr);
    } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(target)) {
      if (const auto* instance = llvm::dyn_cast<clang::VarTemplateSpecializationDecl>(variable))
        use_type(*instance->getSpecializedTemplate(), name.getLocation());
      else if (variable->hasGlobalStorage() && !variable->isStaticLocal())
        use_variable(*variable, name);
    } else if (const auto* constant = llvm::dyn_cast<clang::EnumConstantDecl>(target)) {
      use_type(*llvm::cast<clang::EnumDecl>(constant->getDeclContext()), name.getLocation());
    }
    visit_found(name.getFoundDecl());
  }

  void visit_member(const clang::MemberExpr& member) {
    const auto* target = member.getMemberDecl();
    if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(target)) {
      use_function(*method, nullptr, nullptr);
    } else if (llvm::isa<clang::VarDecl>(target)) {
      fail(fmt::format("names the static member '{}' through an object", target->getNameAsString()),
           member.getMemberLoc());
    } else if (const auto* record = llvm::dyn_cast<clang::RecordDecl>(target->getDeclContext())) {
      use_type(*record, member.getMemberLoc());
    }
  }

  void visit_variable(const clang::VarDecl& variable) {
    use_unwritten_type(variable.getType());
    const auto type = variable.getType();
    if (!variable.isStaticLocal() || variable.isConstexpr() || type->isDependentType()) return;
    const bool is_constant = type.isConstQualified() && variable.hasInit() &&
                             !variable.getInit()->isValueDependent() &&
                             variable.evaluateValue() != nullptr;
    if (!is_constant)
      fail(fmt::format("keeps state in the static variable '{}'", variable.getNameAsString()),
           variable.getLocation());
  }

  /// Why kernels cannot have a statement; null: they can. The source contains only the members and
  /// operators that are called.
  const char* refusal_of(const clang::Stmt& statement) const {
    if (llvm::isa<clang::CXXNewExpr>(statement)) return "allocates memory";
    if (llvm::isa<clang::CXXDeleteExpr>(statement)) return "frees memory";
    if (llvm::isa<clang::CXXThrowExpr>(statement)) return "throws an exception";
    if (llvm::isa<clang::CXXTryStmt>(statement)) return "catches exceptions";
    if (llvm::isa<clang::AsmStmt>(statement)) return "has inline assembly";
    if (llvm::isa<clang::CXXTypeidExpr>(statement)) return "uses typeid";
    if (llvm::isa<clang::CXXDynamicCastExpr>(statement)) return "uses dynamic_cast";
    if (llvm::isa<clang::RecoveryExpr>(statement))
      return "has an error that Clang cannot recover from";
    const auto* member = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(&statement);
    if (member != nullptr && decides_by_instance(member->getMemberLoc()))
      return "tests whether a type has a member";
    if (requirements() == 0) return nullptr;
    const auto* object = llvm::dyn_cast<clang::CXXUnresolvedConstructExpr>(&statement);
    if (object != nullptr && object->getNumArgs() > 0) return "tests how a type is constructed";
    const bool is_operator = llvm::isa<clang::BinaryOperator, clang::UnaryOperator>(statement) &&
                             llvm::cast<clang::Expr>(statement).isTypeDependent();
    return is_operator ? "tests whether a type has an operator" : nullptr;
  }

  void visit_constructor(const clang::CXXConstructorDecl& constructor,
                         clang::SourceLocation location) {
    use_type(*constructor.getParent(), location);
    if (!constructor.isImplicit() || constructor.hasBody())
      use_function(constructor, nullptr, nullptr);
  }

  /// Whether the code at `location` takes part in choosing a template or overload.
  bool decides_by_instance(clang::SourceLocation location) const {
    return requirements() > 0 || !is_in_body(location);
  }

  bool is_in_body(clang::SourceLocation location) const {
    const auto& sources = unit_.sources();
    return std::ranges::any_of(bodies_, [&](const clang::Stmt* body) {
      return body != nullptr &&
             sources.isPointWithin(location, body->getBeginLoc(), body->getEndLoc());
    });
  }

  /// The using-declaration through which a name was found. Functions of the standard library are
  /// written with their full names.
  void visit_found(const clang::NamedDecl* found) {
    const auto* shadow = llvm::dyn_cast_or_null<clang::UsingShadowDecl>(found);
    if (shadow == nullptr) return;
    const auto* target = shadow->getTargetDecl()->getAsFunction();
    if (target == nullptr || !target->isInStdNamespace()) use_using(*shadow->getIntroducer());
  }

  void visit_template(clang::TemplateName name, clang::SourceLocation location) {
    if (const auto* shadow = name.getAsUsingShadowDecl()) visit_found(shadow);
    const auto* general = name.getAsTemplateDecl();
    if (general != nullptr && !llvm::isa<clang::TemplateTemplateParmDecl>(general))
      use_type(*general, location);
  }

  /// @param name  null if the source does not name the function: a constructor, an operator
  /// @param call  null if it is not called there
  void use_function(const clang::FunctionDecl& function, const clang::DeclRefExpr* name,
                    const clang::CallExpr* call) {
    if (function.isReplaceableGlobalAllocationFunction()) return;
    if (unit_.is_standard(function) || is_builtin(function))
      return use_standard(function, name, call);
    const auto* pattern = function.getTemplateInstantiationPattern();
    if (is_lambda_operator(function) && pattern != nullptr) enqueue(function.getDefinition());
    if (is_local(function) || is_lambda_operator(function)) return;
    if (name != nullptr) keep(*name);
    const clang::FunctionDecl& written = pattern != nullptr ? *pattern : function;
    const auto* definition = written.getDefinition();
    if (definition == nullptr && !written.isDefaulted()) return fail_undefined(function, name);
    need_function(function, written, definition);
    if (pattern != nullptr) enqueue(function.getDefinition());
    if (definition != nullptr) enqueue(definition);
  }

  void use_variable(const clang::VarDecl& variable, const clang::DeclRefExpr& name) {
    if (unit_.is_standard(variable)) return use_standard(variable, name);
    if (is_local(variable)) return;
    const auto form = form_of(variable, unit_.context);
    switch (form.kind) {
      case ConstantForm::Kind::as_written:
        return need(variable);
      case ConstantForm::Kind::value:
        closure_.values.try_emplace(variable.getCanonicalDecl(), form.text);
        closure_.needed.insert(variable.getCanonicalDecl());
        return;
      case ConstantForm::Kind::bound:
        return bind(variable, form.text, name);
      case ConstantForm::Kind::none:
        return fail(form.text, name.getLocation());
    }
  }

  /// A class, enumeration, type alias, template or concept.
  void use_type(const clang::NamedDecl& type, clang::SourceLocation location) {
    if (is_local(type)) return;
    if (unit_.is_standard(type)) {
      const auto use = standard_type(type, unit_.context);
      if (!use)
        return fail(
            fmt::format("uses '{}' of the standard library", type.getQualifiedNameAsString()),
            location);
      return apply(*use);
    }
    if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(&type))
      return need_class(*record);
    if (const auto* outer = outermost(&type)) need(*outer);
  }

  /// A type that is not spelled in the source.
  void use_unwritten_type(clang::QualType type) {
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
    if (const auto* tag = type->getAsTagDecl()) use_type(*tag, tag->getLocation());
  }

  void use_using(const clang::BaseUsingDecl& declaration) {
    if (!is_local(declaration) && !unit_.is_standard(declaration)) need(declaration);
  }

  /// A namespace, or an alias of one.
  void use_namespace(const clang::NamedDecl& space) {
    if (const auto* alias = llvm::dyn_cast<clang::NamespaceAliasDecl>(&space)) {
      if (!is_local(*alias)) need(*alias);
      closure_.namespaces.insert(alias->getNamespace());
    } else if (const auto* plain = llvm::dyn_cast<clang::NamespaceDecl>(&space)) {
      if (!unit_.is_standard(*plain)) closure_.namespaces.insert(plain);
    }
  }

  /// A name outside of function bodies that is not resolved before a template is instantiated.
  void use_unresolved(const clang::UnresolvedLookupExpr& name) {
    if (name.getNumDecls() == 0)
      fail(fmt::format("names '{}', whose meaning depends on the instance of a template",
                       name.getName().getAsString()),
           name.getNameLoc());
    for (const auto* found : name.decls()) {
      const auto* target = found->getUnderlyingDecl();
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(target);
      if (unit_.is_standard(*target)) continue;
      if (function != nullptr)
        use_function(*function, nullptr, nullptr);
      else
        need(*target);
    }
  }

  /// Something that a kernel compiled at run time cannot do.
  void fail(std::string reason, clang::SourceLocation location) {
    if (!closure_.fault) closure_.fault = Fault{std::move(reason), location};
  }

  /// Declared implicitly by the compiler at the first use.
  static bool is_builtin(const clang::FunctionDecl& function) {
    return function.getBuiltinID() != 0 && function.isImplicit();
  }

  static bool is_lambda_operator(const clang::FunctionDecl& function) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    return method != nullptr && method->getParent()->isLambda();
  }

  void fail_undefined(const clang::FunctionDecl& function, const clang::DeclRefExpr* name) {
    if (seen_.empty()) return fail("is not defined in this unit", function.getLocation());
    fail(fmt::format("calls '{}', which this unit does not define",
                     function.getQualifiedNameAsString()),
         name != nullptr ? name->getLocation() : function.getLocation());
  }

  void enqueue(const clang::Decl* declaration) {
    if (declaration != nullptr && seen_.insert(declaration).second)
      worklist_.push_back(declaration);
  }

  /// Adds a declaration at namespace scope to the closure.
  void need(const clang::Decl& declaration) {
    if (!closure_.needed.insert(declaration.getCanonicalDecl()).second) return;
    for (const auto* redeclaration : declaration.redecls()) enqueue(redeclaration);
    if (const auto* general = llvm::dyn_cast<clang::ClassTemplateDecl>(&declaration)) {
      need_specialisations<clang::ClassTemplatePartialSpecializationDecl>(*general);
      const auto guides = unit_.context.DeclarationNames.getCXXDeductionGuideName(
          const_cast<clang::ClassTemplateDecl*>(general));
      for (const auto* guide : general->getDeclContext()->lookup(guides))
        if (!guide->isImplicit()) need(*guide);
    }
    if (const auto* general = llvm::dyn_cast<clang::VarTemplateDecl>(&declaration))
      need_specialisations<clang::VarTemplatePartialSpecializationDecl>(*general);
  }

  /// Specialisations, which the run-time compiler may select where the unit names no instance.
  template <class Partial, class Template>
  void need_specialisations(const Template& general) {
    for (const auto* instance : general.specializations())
      if (instance->isExplicitSpecialization()) need(*instance);
    llvm::SmallVector<Partial*> partial;
    general.getPartialSpecializations(partial);
    for (const auto* form : partial) need(*form);
  }

  void need_function(const clang::FunctionDecl& function, const clang::FunctionDecl& written,
                     const clang::FunctionDecl* definition) {
    if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function)) {
      closure_.members.insert(written.getCanonicalDecl());
      closure_.needed.insert(written.getCanonicalDecl());
      if (const auto* member = written.getDescribedFunctionTemplate())
        closure_.needed.insert(member->getCanonicalDecl());
      if (method->isVirtual()) fail("has virtual functions", method->getLocation());
      return need_class(*method->getParent());
    }
    const auto* scope = definition != nullptr ? definition->getLexicalDeclContext() : nullptr;
    if (const auto* befriended = llvm::dyn_cast_or_null<clang::CXXRecordDecl>(scope)) {
      closure_.members.insert(written.getCanonicalDecl());
      return need_class(*befriended);
    }
    if (const auto* general = function.getPrimaryTemplate()) {
      need(*general);
      if (function.getTemplateSpecializationKind() != clang::TSK_ExplicitSpecialization) return;
    }
    need(written);
  }

  void need_class(const clang::CXXRecordDecl& record) {
    if (record.isLambda() || is_local(record)) return;
    if (unit_.is_standard(record)) return use_type(record, record.getLocation());
    if (const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record)) {
      need_instance(*instance);
    } else if (const auto* pattern = record.getInstantiatedFromMemberClass()) {
      need_class(*pattern);
    } else if (const auto* general = record.getDescribedClassTemplate()) {
      if (const auto* outer = outermost(general)) need(*outer);
    } else if (const auto* outer = outermost(&record)) {
      need(*outer);
    }
    need_destructor(record);
  }

  void need_destructor(const clang::CXXRecordDecl& record) {
    const auto* complete = record.getDefinition();
    if (complete == nullptr || !destroyed_.insert(complete).second) return;
    if (complete->isPolymorphic()) fail("has virtual functions", record.getLocation());
    for (const auto& base : complete->bases())
      if (const auto* of_base = base.getType()->getAsCXXRecordDecl()) need_destructor(*of_base);
    const auto* destructor = complete->getDestructor();
    if (destructor != nullptr && !destructor->isImplicit())
      use_function(*destructor, nullptr, nullptr);
  }

  void need_instance(const clang::ClassTemplateSpecializationDecl& instance) {
    const auto* outer = outermost(instance.getSpecializedTemplate());
    if (outer != nullptr) need(*outer);
    if (instance.isExplicitSpecialization()) return need(instance);
    const auto origin = instance.getSpecializedTemplateOrPartial();
    if (const auto* part = origin.dyn_cast<clang::ClassTemplatePartialSpecializationDecl*>())
      need(*part);
    for (const auto* field : instance.fields()) use_unwritten_type(field->getType());
  }

  void use_standard(const clang::FunctionDecl& function, const clang::DeclRefExpr* name,
                    const clang::CallExpr* call) {
    const auto use = standard_function(function, call);
    const auto location = name != nullptr ? name->getLocation() : function.getLocation();
    if (!use)
      return fail(fmt::format("calls '{}', which kernels cannot call at run time",
                              function.getQualifiedNameAsString()),
                  location);
    apply(*use);
    if (name != nullptr && !use->replacement.empty()) rewrite(*name, use->replacement);
  }

  void use_standard(const clang::VarDecl& variable, const clang::DeclRefExpr& name) {
    const auto use = standard_variable(variable);
    if (!use)
      return fail(
          fmt::format("uses '{}' of the standard library", variable.getQualifiedNameAsString()),
          name.getLocation());
    apply(*use);
    rewrite(name, use->replacement);
  }

  void apply(const StandardUse& use) {
    if (!use.header.empty()) closure_.headers.insert(use.header);
    if (!use.helper.empty()) closure_.helpers.insert(use.helper);
  }

  void bind(const clang::VarDecl& variable, const std::string& fault,
            const clang::DeclRefExpr& name) {
    if (!fault.empty()) return fail(fault, name.getLocation());
    const auto* first = variable.getCanonicalDecl();
    closure_.names.push_back({first, &name, visited_});
    const auto [known, is_new] = bound_.try_emplace(first);
    if (is_new) {
      known->second = free_name(*first);
      closure_.variables.push_back(
          {first, known->second, declaration_of(variable, known->second, unit_.context)});
    }
    if (known->second != variable.getName())
      rewrite(name, known->second);
    else
      keep(name);
  }

  /// The name of a variable in the source: its own, or one that nothing else in the unit has.
  std::string free_name(const clang::VarDecl& variable) {
    std::string name = name_in_source(variable);
    if (name == variable.getName()) return name;
    const auto& names_in_unit = unit_.context.Idents;
    const auto has_it = [&](const BoundVariable& other) { return other.name == name; };
    while (names_in_unit.find(name) != names_in_unit.end() ||
           std::ranges::any_of(closure_.variables, has_it))
      name += '_';
    return name;
  }

  /// Records a name that is written unchanged.
  void keep(const clang::DeclRefExpr& name) {
    kept_.insert(name.getBeginLoc());
    if (closure_.rewrites.contains(name.getBeginLoc())) fail_ambiguous(name);
  }

  void rewrite(const clang::DeclRefExpr& name, const std::string& replacement) {
    const Rewrite change{name.getLocation(), replacement};
    const auto [known, is_new] = closure_.rewrites.try_emplace(name.getBeginLoc(), change);
    if ((!is_new && known->second != change) || kept_.contains(name.getBeginLoc()))
      fail_ambiguous(name);
  }

  void fail_ambiguous(const clang::DeclRefExpr& name) {
    fail(fmt::format("has a template in which '{}' means something different in each instance",
                     name.getNameInfo().getAsString()),
         name.getLocation());
  }

  /// Clang continues after an error; a declaration that contains one cannot be used.
  void check_errors(const clang::Decl& declaration) {
    for (const ParseError& error : unit_.errors) {
      if (error.location.isInvalid()) continue;
      const auto location = unit_.sources().getExpansionLoc(error.location);
      const auto range = unit_.sources().getExpansionRange(declaration.getSourceRange());
      if (!unit_.sources().isPointWithin(location, range.getBegin(), range.getEnd())) continue;
      fail(fmt::format("does not compile with Clang: {}", error.message.text), error.location);
    }
    if (declaration.isInvalidDecl()) fail("does not compile with Clang", declaration.getLocation());
  }

  const Unit& unit_;
  Closure closure_;
  const clang::Decl* visited_ = nullptr;
  std::vector<const clang::Stmt*> bodies_;  ///< of the functions being visited
  std::map<const clang::Expr*, const clang::CallExpr*> calls_;
  std::vector<const clang::Decl*> worklist_;
  std::set<const clang::Decl*> seen_;
  std::map<const clang::VarDecl*, std::string> bound_;  ///< and their names in the source
  std::set<clang::SourceLocation> kept_;                ///< names that are not rewritten
  std::set<const clang::Decl*> destroyed_;
};

}  // namespace

Closure closure_of(const Unit& unit, const clang::FunctionDecl& kernel) {
  return Builder(unit).run(kernel);
}

}  // namespace op2::embed
