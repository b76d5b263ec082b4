// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/kernel_check.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <jit/consistent_names.hpp>
#include <jit/llvm/access/access_rules.hpp>
#include <jit/llvm/access/access_syntax.hpp>
#include <jit/llvm/clang_messages.hpp>
#include <jit/llvm/syntax_visitor.hpp>
#include <jit/math_names.hpp>
#include <jit/source_rules.hpp>

namespace op2::jit {
namespace {

std::optional<Type> stored_type(const clang::ASTContext& context, clang::QualType type) {
  if (type->isBooleanType()) return Type::b8;
  if (type->isSpecificBuiltinType(clang::BuiltinType::Double)) return Type::f64;
  if (type->isSpecificBuiltinType(clang::BuiltinType::Float)) return Type::f32;
  const auto* builtin = type->getAs<clang::BuiltinType>();
  if (builtin == nullptr || !builtin->isInteger()) return std::nullopt;
  const bool is_signed = builtin->isSignedInteger();
  if (context.getTypeSize(type) == 32) return is_signed ? Type::i32 : Type::u32;
  if (context.getTypeSize(type) == 64) return is_signed ? Type::i64 : Type::u64;
  return std::nullopt;
}

ParameterForm form_of(const clang::ParmVarDecl& parameter) {
  const auto& context = parameter.getASTContext();
  ParameterForm form;
  form.name = parameter.getNameAsString();
  form.place = note_at(context.getSourceManager(), parameter.getLocation(), "declared here");
  form.text = form.name;
  parameter.getOriginalType().getAsStringInternal(form.text, context.getPrintingPolicy());
  if (!parameter.getType()->isPointerType()) return form;
  auto pointee = parameter.getType()->getPointeeType();
  form.is_vector = pointee->isPointerType();
  if (form.is_vector) pointee = pointee->getPointeeType();
  form.pointee = stored_type(context, pointee);
  form.to_const = pointee.isConstQualified();
  return form;
}

FunctionForm form_of(const clang::FunctionDecl& function) {
  const auto& context = function.getASTContext();
  FunctionForm form;
  form.name = function.getNameAsString();
  form.is_template = function.getDescribedFunctionTemplate() != nullptr;
  form.is_variadic = function.isVariadic();
  form.result = function.getReturnType().getAsString(context.getPrintingPolicy());
  for (const auto* parameter : function.parameters())
    form.parameters.push_back(form_of(*parameter));
  form.place = note_at(context.getSourceManager(), function.getLocation(), "defined here");
  return form;
}

/// Whether the optimiser must prove that the initial value is a constant after all.
bool may_need_constructor(const clang::VarDecl& variable) {
  const auto& context = variable.getASTContext();
  if (variable.isThisDeclarationADefinition() == clang::VarDecl::DeclarationOnly) return false;
  if (variable.needsDestruction(context) != clang::QualType::DK_none) return true;
  return variable.hasInit() &&
         !variable.getInit()->isConstantInitializer(const_cast<clang::ASTContext&>(context),
                                                    variable.getType()->isReferenceType());
}

class MacroCheck : public clang::PPCallbacks {
 public:
  explicit MacroCheck(clang::Preprocessor& preprocessor) : preprocessor_(preprocessor) {}

  void MacroDefined(const clang::Token& name, const clang::MacroDirective*) override {
    if (preprocessor_.getSourceManager().isWrittenInBuiltinFile(name.getLocation())) return;
    const auto& word = *name.getIdentifierInfo();
    const bool is_keyword = word.isKeyword(preprocessor_.getLangOpts());
    if (!is_keyword && !word.getName().starts_with("op2_")) return;
    auto& messages = preprocessor_.getDiagnostics();
    const auto id = messages.getCustomDiagID(
        clang::DiagnosticsEngine::Error,
        "%select{names that begin with op2_ belong to the library|'%1' is a keyword}0; a kernel's "
        "source must not define a macro of that name");
    messages.Report(name.getLocation(), id) << is_keyword << word.getName();
  }

 private:
  clang::Preprocessor& preprocessor_;
};

/// Reports what kernels should not contain although Clang accepts it. Warnings: variables that a
/// kernel changes and that outlive it, and inline assembly. Errors: memory that is allocated,
/// virtual functions, and functions of the library that are defined anew. Bodies of functions
/// included, templates as they are written.
class SourceCheck : public SyntaxVisitor {
 public:
  explicit SourceCheck(clang::DiagnosticsEngine& messages) : messages_(messages) {}

  void on_declaration(const clang::Decl& declaration) override {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration)) {
      const bool changes = variable->isStaticLocal() && !variable->isConstexpr() &&
                           !variable->getType().isConstQualified();
      if (changes) note_state(*variable, variable->getLocation());
    } else if (const auto* assembly = llvm::dyn_cast<clang::FileScopeAsmDecl>(&declaration)) {
      report(clang::DiagnosticsEngine::Warning, assembly->getAsmLoc(), has_assembly);
    } else if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
      check_function(*function);
    }
  }

  void on_statement(const clang::Stmt& statement) override {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
    if (expression != nullptr && is_change(expression)) {
      note_change(*target_of(expression));
    } else if (const auto* creation = llvm::dyn_cast<clang::CXXNewExpr>(&statement)) {
      const auto* function = creation->getOperatorNew();
      if (function == nullptr || function->isReplaceableGlobalAllocationFunction())
        report(clang::DiagnosticsEngine::Error, creation->getBeginLoc(), allocates);
    } else if (llvm::isa<clang::CXXDeleteExpr>(statement)) {
      report(clang::DiagnosticsEngine::Error, statement.getBeginLoc(), allocates);
    } else if (const auto* assembly = llvm::dyn_cast<clang::AsmStmt>(&statement)) {
      report(clang::DiagnosticsEngine::Warning, assembly->getAsmLoc(), has_assembly);
    }
  }

 private:
  void check_function(const clang::FunctionDecl& function) {
    if (function.isThisDeclarationADefinition() && function.isExternC()) {
      const std::string name = function.getNameAsString();
      if (may_be_called(name) || is_consistent_mathematics(name) || function.getBuiltinID() != 0)
        report(clang::DiagnosticsEngine::Error, function.getLocation(), redefines(name));
    }
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    if (method != nullptr && method->isVirtual() && method->isFirstDecl())
      report(clang::DiagnosticsEngine::Error, method->getLocation(), is_virtual);
  }

  /// What is changed, if it is a variable or a part of one.
  void note_change(const clang::Expr& changed) {
    const clang::Expr* whole = changed.IgnoreParenImpCasts();
    for (;;) {
      if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(whole);
          member != nullptr && !member->isArrow())
        whole = member->getBase()->IgnoreParenImpCasts();
      else if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(whole);
               element != nullptr &&
               element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        whole = element->getBase()->IgnoreParenImpCasts();
      else
        break;
    }
    const auto* variable = named_variable(whole);
    const bool outlives = variable != nullptr && variable->hasGlobalStorage() &&
                          !variable->getType()->isReferenceType();
    if (outlives) note_state(*variable, changed.getBeginLoc());
  }

  void note_state(const clang::VarDecl& variable, clang::SourceLocation place) {
    if (known_.insert(variable.getCanonicalDecl()).second)
      report(clang::DiagnosticsEngine::Warning, place, keeps_state(variable.getNameAsString()));
  }

  void report(clang::DiagnosticsEngine::Level level, clang::SourceLocation place,
              const std::string& text) {
    messages_.Report(place, messages_.getDiagnosticIDs()->getCustomDiagID(
                                static_cast<clang::DiagnosticIDs::Level>(level), text));
  }

  clang::DiagnosticsEngine& messages_;
  std::set<const clang::VarDecl*> known_;
};

/// Whether the user did not write it.
bool is_ours(const clang::SourceManager& sources, clang::SourceLocation place) {
  const auto shown = sources.getPresumedLoc(place);
  return sources.isInSystemHeader(place) || shown.isInvalid() ||
         llvm::StringRef(shown.getFilename()) == generated_file;
}

}  // namespace

bool KernelCheck::HandleTopLevelDecl(clang::DeclGroupRef group) {
  if (compiler_.getDiagnostics().hasErrorOccurred()) return true;
  for (const auto* declaration : group) {
    if (is_written(*declaration)) SourceCheck(compiler_.getDiagnostics()).walk(*declaration);
    visit(*declaration, {});
  }
  return !fault_;
}

std::optional<SignatureFault> KernelCheck::fault() const {
  if (unit_.kernel.empty()) return {};
  return kernel() != nullptr ? fault_ : missing_kernel(unit_.kernel, functions_);
}

const FunctionForm* KernelCheck::kernel() const {
  const auto found =
      std::find_if(functions_.rbegin(), functions_.rend(),
                   [this](const auto& function) { return is_kernel(function, unit_.kernel); });
  return found != functions_.rend() ? &*found : nullptr;
}

/// Whether the user wrote it; an instance of a template is not.
bool KernelCheck::is_written(const clang::Decl& declaration) const {
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration);
  return !is_ours(compiler_.getSourceManager(), declaration.getLocation()) &&
         (function == nullptr || !function->isTemplateInstantiation());
}

void KernelCheck::visit(const clang::Decl& declaration, const std::string& scope) {
  const auto& sources = compiler_.getSourceManager();
  if (is_ours(sources, declaration.getLocation())) return;
  if (const auto* block = llvm::dyn_cast<clang::LinkageSpecDecl>(&declaration)) {
    for (const auto* inner : block->decls()) visit(*inner, scope);
  } else if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(&declaration)) {
    for (const auto* inner : space->decls()) visit(*inner, space->getNameAsString());
  } else if (const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration)) {
    add(*pattern->getTemplatedDecl(), scope);
  } else if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
    const bool plain = function->getTemplatedKind() == clang::FunctionDecl::TK_NonTemplate;
    if (plain && function->isThisDeclarationADefinition()) add(*function, scope);
  } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration)) {
    if (constructed_.empty() && may_need_constructor(*variable))
      constructed_.push_back(note_at(sources, variable->getLocation(), "declared here"));
  }
}

/// Parameters and places, which hold the line of the source, are only needed of functions that have
/// the kernel's name: a source of one line may define thousands of others.
void KernelCheck::add(const clang::FunctionDecl& function, const std::string& scope) {
  FunctionForm form;
  form.name = function.getNameAsString();
  if (form.name == unit_.kernel) form = form_of(function);
  form.scope = scope;
  if (is_kernel(form, unit_.kernel)) declaration_ = &function;
  functions_.push_back(std::move(form));
  if (!fault_) fault_ = signature_fault(unit_, functions_);
}

void check_macros(clang::Preprocessor& preprocessor) {
  preprocessor.addPPCallbacks(std::make_unique<MacroCheck>(preprocessor));
}

namespace {

AccessRule rule_of(const ParameterShape& parameter) {
  const ArgShape& arg = parameter.arg;
  AccessRule rule;
  rule.is_known = arg.active;
  rule.extent = {.rows = parameter.rows, .components = arg.dim, .is_there = arg.active};
  if (arg.kind == OP_ARG_IDX) {
    rule.extent.components = 1;
    rule.may_be_unused = true;
    return rule;
  }
  const bool is_global = arg.kind != OP_ARG_DAT;
  rule.access = arg.access;
  rule.set_by_some = is_global;
  rule.keeps_rest = !is_global && (arg.map >= 0 || arg.padding > 0);
  rule.has_copies = is_global || arg.map >= 0;
  return rule;
}

std::vector<AccessRule> rules_of(const std::vector<ParameterShape>& parameters) {
  std::vector<AccessRule> rules;
  for (const ParameterShape& parameter : parameters) rules.push_back(rule_of(parameter));
  return rules;
}

}  // namespace

std::vector<AccessFinding> access_findings(const clang::FunctionDecl& kernel,
                                           const std::vector<ParameterShape>& parameters) {
  return access_findings(kernel, rules_of(parameters), steps_at_run);
}

std::vector<ParameterFacts> access_facts(const clang::FunctionDecl& kernel,
                                         const std::vector<ParameterShape>& parameters) {
  if (std::ranges::none_of(parameters, [](const auto& shape) { return asks_for_facts(shape.arg); }))
    return {};
  return access_facts(kernel, rules_of(parameters), steps_of_proof);
}

}  // namespace op2::jit
