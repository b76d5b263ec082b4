// SPDX-License-Identifier: BSD-3-Clause
#include "closure.hpp"

#include <algorithm>
#include <utility>

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <fmt/format.h>

#include "constants.hpp"
#include "references.hpp"
#include "standard_use.hpp"

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

class Builder : public ReferenceSink {
 public:
  explicit Builder(const Unit& unit) : unit_(unit) {}

  Closure run(const clang::FunctionDecl& kernel) {
    on_function(kernel, nullptr, nullptr);
    while (!worklist_.empty() && !closure_.fault) {
      const auto* next = worklist_.back();
      worklist_.pop_back();
      visited_ = next;
      check_errors(*next);
      visit_references(*next, *this);
    }
    return std::move(closure_);
  }

  void on_function(const clang::FunctionDecl& function, const clang::DeclRefExpr* name,
                   const clang::CallExpr* call) override {
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

  void on_variable(const clang::VarDecl& variable, const clang::DeclRefExpr& name) override {
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

  void on_type(const clang::NamedDecl& type, clang::SourceLocation location) override {
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

  void on_using(const clang::BaseUsingDecl& declaration) override {
    if (!is_local(declaration) && !unit_.is_standard(declaration)) need(declaration);
  }

  void on_namespace(const clang::NamedDecl& space) override {
    if (const auto* alias = llvm::dyn_cast<clang::NamespaceAliasDecl>(&space)) {
      if (!is_local(*alias)) need(*alias);
      closure_.namespaces.insert(alias->getNamespace());
    } else if (const auto* plain = llvm::dyn_cast<clang::NamespaceDecl>(&space)) {
      if (!unit_.is_standard(*plain)) closure_.namespaces.insert(plain);
    }
  }

  void on_unresolved(const clang::UnresolvedLookupExpr& name) override {
    if (name.getNumDecls() == 0)
      fail(fmt::format("names '{}', whose meaning depends on the instance of a template",
                       name.getName().getAsString()),
           name.getNameLoc());
    for (const auto* found : name.decls()) {
      const auto* target = found->getUnderlyingDecl();
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(target);
      if (unit_.is_standard(*target)) continue;
      if (function != nullptr)
        on_function(*function, nullptr, nullptr);
      else
        need(*target);
    }
  }

  void on_fault(std::string reason, clang::SourceLocation location) override {
    fail(std::move(reason), location);
  }

 private:
  /// Declared implicitly by the compiler at the first use.
  static bool is_builtin(const clang::FunctionDecl& function) {
    return function.getBuiltinID() != 0 && function.isImplicit();
  }

  static bool is_lambda_operator(const clang::FunctionDecl& function) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    return method != nullptr && method->getParent()->isLambda();
  }

  void fail(std::string reason, clang::SourceLocation location) {
    if (!closure_.fault) closure_.fault = Fault{std::move(reason), location};
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
    for (const auto* each : declaration.redecls()) enqueue(each);
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
    if (unit_.is_standard(record)) return on_type(record, record.getLocation());
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
      on_function(*destructor, nullptr, nullptr);
  }

  void need_instance(const clang::ClassTemplateSpecializationDecl& instance) {
    const auto* outer = outermost(instance.getSpecializedTemplate());
    if (outer != nullptr) need(*outer);
    if (instance.isExplicitSpecialization()) return need(instance);
    const auto origin = instance.getSpecializedTemplateOrPartial();
    if (const auto* part = origin.dyn_cast<clang::ClassTemplatePartialSpecializationDecl*>())
      need(*part);
    for (const auto* field : instance.fields()) visit_type(field->getType(), *this);
  }

  void use_standard(const clang::FunctionDecl& function, const clang::DeclRefExpr* name,
                    const clang::CallExpr* call) {
    const auto use = standard_function(function, call, unit_.context);
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
           std::any_of(closure_.variables.begin(), closure_.variables.end(), has_it))
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
