// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/kernel_check.hpp>

#include <memory>
#include <utility>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <jit/llvm/clang_messages.hpp>
#include <jit/llvm/source_check.hpp>

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
    if (is_written(*declaration)) check_source(*declaration, compiler_.getDiagnostics());
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

}  // namespace op2::jit
