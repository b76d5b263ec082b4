// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/parse_unit.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <jit/llvm/access/access_rules.hpp>
#include <jit/llvm/access/access_syntax.hpp>
#include <jit/llvm/clang_messages.hpp>
#include <jit/llvm/machine.hpp>
#include <jit/llvm/syntax_visitor.hpp>
#include <jit/llvm/versions.hpp>
#include <jit/math_names.hpp>
#include <jit/source_rules.hpp>

namespace op2::jit {
namespace {

/// The compiler sees these files and none of the machine.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files_of(const CompileUnit& unit) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  const auto add = [&files](const std::string& path, const std::string& text) {
    files->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
  };
  add(source_path, unit.source);
  files->addFile(include_folder, 0, llvm::MemoryBuffer::getMemBuffer(""), {}, {},
                 llvm::sys::fs::file_type::directory_file);  // else "../" leads nowhere from it
  for (const auto& file : unit.includes) {
    add(file.name.starts_with('/') ? file.name : include_folder + file.name, file.text);
  }
  for (const auto& header : shim_headers()) add(shim_folder + header.name, header.text);
  return files;
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

/// Macros that would change the generated code after the source are errors.
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

/// Checks each definition as soon as it is parsed, and stops the compiler at a kernel that does not
/// match, so that the call that is generated for it is never parsed.
class KernelCheck : public clang::ASTConsumer {
 public:
  /// Both must outlive the check.
  KernelCheck(const CompileUnit& unit, const clang::CompilerInstance& compiler)
      : unit_(unit), compiler_(compiler) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    if (compiler_.getDiagnostics().hasErrorOccurred()) return true;
    for (const auto* declaration : group) {
      if (is_written(*declaration)) SourceCheck(compiler_.getDiagnostics()).walk(*declaration);
      visit(*declaration, {});
    }
    return !fault_;
  }

  /// Nothing if the kernel is defined and matches.
  std::optional<SignatureFault> fault() const {
    if (unit_.kernel.empty()) return {};
    return kernel() != nullptr ? fault_ : missing_kernel(unit_.kernel, functions_);
  }

  /// The last definition of the kernel, or null.
  const FunctionForm* kernel() const {
    const auto found =
        std::find_if(functions_.rbegin(), functions_.rend(),
                     [this](const auto& function) { return is_kernel(function, unit_.kernel); });
    return found != functions_.rend() ? &*found : nullptr;
  }

  /// Its declaration in the syntax tree, while that is in memory.
  const clang::FunctionDecl* declaration() const { return declaration_; }
  /// The place of the first global variable that may need a constructor.
  const std::vector<Diagnostic>& constructed() const { return constructed_; }

 private:
  /// Whether the user did not write what is at this place.
  bool is_ours(clang::SourceLocation place) const {
    const auto& sources = compiler_.getSourceManager();
    const auto shown = sources.getPresumedLoc(place);
    return sources.isInSystemHeader(place) || shown.isInvalid() ||
           llvm::StringRef(shown.getFilename()) == generated_file;
  }

  /// Whether the user wrote it; an instance of a template is not.
  bool is_written(const clang::Decl& declaration) const {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration);
    return !is_ours(declaration.getLocation()) &&
           (function == nullptr || !function->isTemplateInstantiation());
  }

  void visit(const clang::Decl& declaration, const std::string& scope) {
    if (is_ours(declaration.getLocation())) return;
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
        constructed_.push_back(
            note_at(compiler_.getSourceManager(), variable->getLocation(), "declared here"));
    }
  }

  /// Parameters and places, which hold the line of the source, are only needed of functions that
  /// have the kernel's name: a source of one line may define thousands of others.
  void add(const clang::FunctionDecl& function, const std::string& scope) {
    FunctionForm form;
    form.name = function.getNameAsString();
    if (form.name == unit_.kernel) form = form_of(function);
    form.scope = scope;
    if (is_kernel(form, unit_.kernel)) declaration_ = &function;
    functions_.push_back(std::move(form));
    if (!fault_) fault_ = signature_fault(unit_, functions_);
  }

  const CompileUnit& unit_;
  const clang::CompilerInstance& compiler_;
  std::vector<FunctionForm> functions_;  ///< of the source, in order
  const clang::FunctionDecl* declaration_ = nullptr;
  std::vector<Diagnostic> constructed_;
  std::optional<SignatureFault> fault_;
};

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

/// Functions that `module` calls, that the source declares and does not define, and that are not
/// of the C library: symbol and place.
std::map<std::string, Diagnostic> undefined_functions(clang::CodeGenerator& generator,
                                                      const clang::SourceManager& sources) {
  constexpr std::size_t most_functions = 20;  // as many as errors of the compiler
  std::map<std::string, Diagnostic> found;
  for (const auto& function : *generator.GetModule()) {
    if (found.size() == most_functions) break;
    const std::string symbol = function.getName().str();
    if (!function.isDeclaration() || function.isIntrinsic() || may_be_called(symbol)) continue;
    if (symbol.starts_with(call_name)) continue;
    const auto* declaration = generator.GetDeclForMangledName(symbol);
    const auto* named = llvm::dyn_cast_or_null<clang::NamedDecl>(declaration);
    if (named == nullptr) continue;
    found[symbol] = note_at(sources, named->getLocation(), "declared here");
    found[symbol].subject = named->getQualifiedNameAsString();
  }
  return found;
}

/// Parses the source; code generation follows outside, so that it shares no state with Clang.
class ParseAction : public clang::ASTFrontendAction {
 public:
  ParseAction(const CompileUnit& unit, llvm::LLVMContext& context)
      : unit_(unit), context_(context) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<MacroCheck>(compiler.getPreprocessor()));
    auto check = std::make_unique<KernelCheck>(unit_, compiler);
    std::unique_ptr<clang::CodeGenerator> generator(clang::CreateLLVMCodeGen(
        compiler.getDiagnostics(), unit_.kernel, &compiler.getVirtualFileSystem(),
        compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(), compiler.getCodeGenOpts(),
        context_));
    check_ = check.get();
    generator_ = generator.get();
    std::vector<std::unique_ptr<clang::ASTConsumer>> both;
    both.push_back(std::move(check));
    both.push_back(std::move(generator));
    return std::make_unique<clang::MultiplexConsumer>(std::move(both));
  }

  void EndSourceFileAction() override {
    UnitNotes& notes = parsed.notes;
    parsed.fault = check_->fault();
    if (const auto* kernel = check_->kernel()) {
      notes.parameters = parameter_list(*kernel);
      notes.marks.kernel = kernel->place;
    }
    if (parsed.fault || getCompilerInstance().getDiagnostics().hasErrorOccurred()) return;
    notes.marks.constructed = check_->constructed();
    notes.marks.undefined =
        undefined_functions(*generator_, getCompilerInstance().getSourceManager());
    parsed.module = std::unique_ptr<llvm::Module>(generator_->ReleaseModule());
    if (check_->declaration() != nullptr) analyse(*check_->declaration(), notes);
  }

  ParsedUnit parsed;  ///< without messages

 private:
  /// The source is free of errors and its templates are instantiated.
  void analyse(const clang::FunctionDecl& kernel, UnitNotes& notes) const {
    const bool asks_for_any = std::ranges::any_of(
        unit_.parameters, [](const auto& shape) { return asks_for_facts(shape.arg); });
    if (!asks_for_any && !unit_.compare_access) return;
    std::vector<AccessRule> rules;
    for (const ParameterShape& parameter : unit_.parameters) rules.push_back(rule_of(parameter));
    AccessAnalysis analysis = analyse_access(kernel, rules);
    if (asks_for_any) notes.facts = std::move(analysis.facts);
    if (unit_.compare_access) notes.findings = std::move(analysis.findings);
  }

  const CompileUnit& unit_;
  llvm::LLVMContext& context_;
  KernelCheck* check_ = nullptr;
  clang::CodeGenerator* generator_ = nullptr;
};

/// @return false if Clang does not understand an argument; then there is a diagnostic
bool configure(clang::CompilerInstance& compiler, Collector& collector, const Machine& machine,
               const Sanitizers& sanitizers, const CompileUnit& unit) {
  auto arguments = clang_arguments(machine, sanitizers);
  for (const char* word : {"-I", include_folder, "-internal-isystem", shim_folder, source_path}) {
    arguments.emplace_back(word);
  }
  std::vector<const char*> pointers;
  for (const auto& argument : arguments) pointers.push_back(argument.c_str());
  set_files(compiler, files_of(unit));
  create_diagnostics(compiler, collector);
  const bool accepted = clang::CompilerInvocation::CreateFromArgs(
      compiler.getInvocation(), pointers, compiler.getDiagnostics());
  create_diagnostics(compiler, collector);  // again, with the options just read
  compiler.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  return accepted;
}

}  // namespace

ParsedUnit parse_unit(const Machine& machine, const Sanitizers& sanitizers, const CompileUnit& unit,
                      llvm::LLVMContext& context) {
  Collector collector;
  clang::CompilerInstance compiler;
  ParseAction action(unit, context);
  const bool is_done =
      configure(compiler, collector, machine, sanitizers, unit) && compiler.ExecuteAction(action);
  ParsedUnit parsed = std::move(action.parsed);
  const auto* error = first_error(collector.messages);
  // A missing kernel shows itself first as an error of the call that is generated for it.
  const bool is_of_call =
      error == nullptr || (error->file == generated_file && error->subject == unit.kernel);
  if (parsed.fault && is_of_call) return parsed;
  parsed.fault.reset();
  if (error == nullptr && (!is_done || parsed.module == nullptr))
    collector.messages.push_back(error_at({}, "Clang gave no reason"));
  parsed.notes.messages = std::move(collector.messages);
  return parsed;
}

}  // namespace op2::jit
