// SPDX-License-Identifier: BSD-3-Clause
// Text of a kernel to LLVM's intermediate representation, with Clang inside the process.
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/ASTDiagnostic.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <jit/llvm/codegen.hpp>
#include <jit/llvm/compiler.hpp>
#include <jit/llvm/recipe.hpp>
#include <jit/llvm/signature.hpp>

namespace op2::jit {
namespace {

// Included files lie deep, so that names that begin with "../" have a place too.
constexpr const char* source_path = "/op2/generated.cpp";
constexpr const char* include_folder = "/op2/1/2/3/4/5/6/7/8/";
constexpr const char* shim_folder = "/op2/headers/";
constexpr unsigned stack_bytes =
    64U << 20U;  // deeply nested text costs stack; only touched pages cost memory

// ---- diagnostics

Diagnostic::Kind kind_of(unsigned id) {
  switch (id) {
    case clang::diag::err_undeclared_var_use:
    case clang::diag::err_undeclared_var_use_suggest:
    case clang::diag::err_undeclared_use:
    case clang::diag::err_undeclared_use_suggest:
      return Diagnostic::Kind::unknown_symbol;
    case clang::diag::err_pp_file_not_found:
    case clang::diag::err_pp_file_not_found_angled_include_not_fatal:
    case clang::diag::err_pp_file_not_found_typo_not_fatal:
      return Diagnostic::Kind::missing_include;
    case clang::diag::err_template_recursion_depth_exceeded:
    case clang::diag::err_bracket_depth_exceeded:
    case clang::diag::err_pp_include_too_deep:
    case clang::diag::err_array_too_large:
    case clang::diag::err_fold_expression_limit_exceeded:
    case clang::diag::note_constexpr_step_limit_exceeded:
    case clang::diag::note_constexpr_depth_limit_exceeded:
    case clang::diag::note_constexpr_call_limit_exceeded:
      return Diagnostic::Kind::limit;
    default:
      return Diagnostic::Kind::other;
  }
}

/// Whether the first argument of a message is the symbol or file that it is about.
bool has_subject(unsigned id) {
  const auto kind = kind_of(id);
  return kind == Diagnostic::Kind::unknown_symbol || kind == Diagnostic::Kind::missing_include ||
         id == clang::diag::err_no_member || id == clang::diag::err_no_member_suggest;
}

/// The name or file that the first argument of a message holds, without quotes.
std::string first_argument(const clang::Diagnostic& info) {
  if (info.getNumArgs() == 0) return {};
  switch (info.getArgKind(0)) {
    case clang::DiagnosticsEngine::ak_std_string:
      return info.getArgStdStr(0);
    case clang::DiagnosticsEngine::ak_c_string:
      return info.getArgCStr(0);
    case clang::DiagnosticsEngine::ak_identifierinfo:
      return info.getArgIdentifier(0)->getName().str();
    case clang::DiagnosticsEngine::ak_declarationname:
      return clang::DeclarationName::getFromOpaqueInteger(info.getRawArg(0)).getAsString();
    default:
      return {};
  }
}

Diagnostic::Severity severity_of(clang::DiagnosticsEngine::Level level) {
  if (level >= clang::DiagnosticsEngine::Error) return Diagnostic::Severity::error;
  return level == clang::DiagnosticsEngine::Warning ? Diagnostic::Severity::warning
                                                    : Diagnostic::Severity::note;
}

/// The line of text that `place` is in.
std::string line_at(const clang::SourceManager& sources, clang::SourceLocation place) {
  const auto [file, offset] = sources.getDecomposedExpansionLoc(place);
  const llvm::StringRef text = sources.getBufferData(file);
  const auto begin = text.substr(0, offset).rfind('\n') + 1;  // npos + 1 is 0
  return text.slice(begin, text.find('\n', offset)).rtrim('\r').str();
}

/// The name under which the user knows a file; none for the generated text itself.
std::string shown_name(llvm::StringRef path) {
  if (path == source_path) return {};
  path.consume_front(include_folder);
  path.consume_front(shim_folder);
  return path.str();
}

class Collector : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Note) return;
    Diagnostic message;
    message.severity = severity_of(level);
    message.kind = kind_of(info.getID());
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    message.text = text.str().str();
    if (has_subject(info.getID())) message.subject = first_argument(info);
    if (info.hasSourceManager() && info.getLocation().isValid()) {
      set_place(message, info.getSourceManager(), info.getLocation());
    }
    add(std::move(message));
  }
  std::vector<Diagnostic> messages;

 private:
  static void set_place(Diagnostic& message, const clang::SourceManager& sources,
                        clang::SourceLocation place) {
    const auto shown = sources.getPresumedLoc(place);
    if (shown.isInvalid()) return;
    message.file = shown_name(shown.getFilename());
    message.line = static_cast<int>(shown.getLine());
    message.column = static_cast<int>(shown.getColumn());
    message.source_line = line_at(sources, place);
  }

  /// A limit of constant evaluation is told by a note to an error of another sort.
  void add(Diagnostic message) {
    if (message.severity == Diagnostic::Severity::note && message.kind == Diagnostic::Kind::limit) {
      message.kind = Diagnostic::Kind::other;
      for (auto error = messages.rbegin(); error != messages.rend(); ++error) {
        if (error->severity != Diagnostic::Severity::error) continue;
        error->kind = Diagnostic::Kind::limit;
        break;
      }
    }
    messages.push_back(std::move(message));
  }
};

// ---- signature

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
  form.text = form.name;
  parameter.getOriginalType().getAsStringInternal(form.text, context.getPrintingPolicy());
  if (!parameter.getType()->isPointerType()) return form;
  const auto pointee = parameter.getType()->getPointeeType();
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
  const auto place = context.getSourceManager().getPresumedLoc(function.getLocation());
  const auto file = place.isValid() ? shown_name(place.getFilename()) : "";
  if (!file.empty()) form.place = fmt::format("{}:{}", file, place.getLine());
  return form;
}

/// Looks at each definition as soon as it is parsed, and stops the compiler at a kernel that does
/// not fit, so that the call that is generated for it is never parsed.
class SignatureCheck : public clang::ASTConsumer {
 public:
  SignatureCheck(const CompileRequest& request, const clang::CompilerInstance& compiler)
      : request_(request), compiler_(compiler) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    if (compiler_.getDiagnostics().hasErrorOccurred()) return true;
    for (const auto* declaration : group) visit(*declaration, {});
    return fault_.empty();
  }

  /// Empty if the kernel is there and fits.
  std::string fault() const {
    return found_ ? fault_ : missing_kernel(request_.kernel, functions_);
  }
  const std::string& parameters() const { return parameters_; }

 private:
  void visit(const clang::Decl& declaration, const std::string& scope) {
    if (compiler_.getSourceManager().isInSystemHeader(declaration.getLocation())) return;
    if (const auto* block = llvm::dyn_cast<clang::LinkageSpecDecl>(&declaration)) {
      for (const auto* inner : block->decls()) visit(*inner, scope);
    } else if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(&declaration)) {
      for (const auto* inner : space->decls()) visit(*inner, space->getNameAsString());
    } else if (const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration)) {
      add(*pattern->getTemplatedDecl(), scope);
    } else if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
      const bool plain = function->getTemplatedKind() == clang::FunctionDecl::TK_NonTemplate;
      if (plain && function->isThisDeclarationADefinition()) add(*function, scope);
    }
  }

  void add(const clang::FunctionDecl& function, const std::string& scope) {
    auto form = form_of(function);
    if (form.name == request_.symbol) return;
    form.scope = scope;
    const bool is_kernel = form.name == request_.kernel && scope.empty() && !form.is_template;
    if (is_kernel) parameters_ = parameter_list(form);
    found_ = found_ || is_kernel;
    functions_.push_back(std::move(form));
    if (fault_.empty()) fault_ = signature_fault(request_.kernel, functions_, request_.args);
  }

  const CompileRequest& request_;
  const clang::CompilerInstance& compiler_;
  std::vector<FunctionForm> functions_;  ///< of the text, in order
  std::string fault_;
  std::string parameters_;
  bool found_ = false;
};

// ---- compilation

/// The compiler sees these files and none of the machine.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files_of(const CompileRequest& request) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  const auto add = [&files](const std::string& path, const std::string& text) {
    files->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
  };
  add(source_path, request.source);
  files->addFile(include_folder, 0, llvm::MemoryBuffer::getMemBuffer(""), {}, {},
                 llvm::sys::fs::file_type::directory_file);  // else "../" leads nowhere from it
  for (const auto& file : request.includes) {
    add(file.name.starts_with('/') ? file.name : include_folder + file.name, file.text);
  }
  for (const auto& header : shim_headers()) add(shim_folder + header.name, header.text);
  return files;
}

/// Refuses macros that would change the generated code behind the text.
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
        "text must not define a macro of that name");
    messages.Report(name.getLocation(), id) << is_keyword << word.getName();
  }

 private:
  clang::Preprocessor& preprocessor_;
};

/// Parses the text; code generation follows outside, so that it shares no state with Clang.
class ParseAction : public clang::ASTFrontendAction {
 public:
  ParseAction(const CompileRequest& request, llvm::LLVMContext& context)
      : request_(request), context_(context) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    auto check = std::make_unique<SignatureCheck>(request_, compiler);
    std::unique_ptr<clang::CodeGenerator> generator(clang::CreateLLVMCodeGen(
        compiler.getDiagnostics(), request_.symbol, &compiler.getVirtualFileSystem(),
        compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(), compiler.getCodeGenOpts(),
        context_));
    check_ = check.get();
    generator_ = generator.get();
    std::vector<std::unique_ptr<clang::ASTConsumer>> both;
    both.push_back(std::move(check));
    both.push_back(std::move(generator));
    return std::make_unique<clang::MultiplexConsumer>(std::move(both));
  }

  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    auto& preprocessor = compiler.getPreprocessor();
    preprocessor.addPPCallbacks(std::make_unique<MacroCheck>(preprocessor));
    return true;
  }

  void EndSourceFileAction() override {
    fault = check_->fault();
    parameters = check_->parameters();
    if (fault.empty()) module.reset(generator_->ReleaseModule());
  }

  std::string fault;  ///< of the signature
  std::string parameters;
  std::unique_ptr<llvm::Module> module;

 private:
  const CompileRequest& request_;
  llvm::LLVMContext& context_;
  SignatureCheck* check_ = nullptr;
  clang::CodeGenerator* generator_ = nullptr;
};

const Diagnostic* first_error(const std::vector<Diagnostic>& messages) {
  for (const auto& message : messages) {
    if (message.severity == Diagnostic::Severity::error) return &message;
  }
  return nullptr;
}

/// @return false if Clang does not understand an argument; it has said why
bool configure(clang::CompilerInstance& compiler, Collector& collector, const Machine& machine,
               const CompileRequest& request) {
  auto arguments = clang_arguments(machine, request);
  for (const char* word : {"-I", include_folder, "-internal-isystem", shim_folder, source_path}) {
    arguments.emplace_back(word);
  }
  std::vector<const char*> words;
  for (const auto& argument : arguments) words.push_back(argument.c_str());
  compiler.createDiagnostics(&collector, false);
  const bool accepted = clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), words,
                                                                  compiler.getDiagnostics());
  compiler.createDiagnostics(&collector, false);  // again, with the options just read
  compiler.createFileManager(files_of(request));
  compiler.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  return accepted;
}

void add_code(CompileResult& result, llvm::Module& module, const Machine& machine,
              const CompileRequest& request) {
  auto code = generate_code(module, machine, request);
  result.diagnostics.insert(result.diagnostics.end(), code.diagnostics.begin(),
                            code.diagnostics.end());
  if (first_error(result.diagnostics) != nullptr) return;
  result.status = CompileStatus::ok;
  result.object = std::move(code.object);
  result.ir = std::move(code.ir);
  result.assembly = std::move(code.assembly);
}

CompileResult compile_text(const Machine& machine, const CompileRequest& request) {
  CompileResult result;
  Collector collector;
  clang::CompilerInstance compiler;
  llvm::LLVMContext context;
  ParseAction action(request, context);
  const bool parsed =
      configure(compiler, collector, machine, request) && compiler.ExecuteAction(action);
  result.diagnostics = std::move(collector.messages);
  result.signature = action.parameters;
  result.status = CompileStatus::rejected;
  const auto* error = first_error(result.diagnostics);
  // A missing kernel shows itself first as an error of the call that is generated for it.
  if (!action.fault.empty() && (error == nullptr || error->subject == request.kernel)) {
    result.status = CompileStatus::wrong_signature;
    result.message = action.fault;
    result.diagnostics.clear();
  } else if (parsed && action.module != nullptr) {
    add_code(result, *action.module, machine, request);
  } else if (error == nullptr) {
    result.diagnostics.push_back(error_without_place("Clang gave no reason"));
  }
  return result;
}

// ---- safety

/// Keeps what LLVM says before it gives up.
struct Recovery : llvm::CrashRecoveryContext {
  std::string reason;
};

/// Called by LLVM instead of ending the process.
void leave_compilation(void*, const char* reason, bool) {
  auto* context = llvm::CrashRecoveryContext::GetCurrent();
  if (context == nullptr) return;
  static_cast<Recovery*>(context)->reason = reason;
  context->HandleExit(1);
}

class ClangCompiler : public Compiler {
 public:
  explicit ClangCompiler(Machine machine) : machine_(std::move(machine)) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();  // of inline assembly
    llvm::install_fatal_error_handler(&leave_compilation);
  }
  ~ClangCompiler() override { llvm::remove_fatal_error_handler(); }

  CompileResult compile(const CompileRequest& request) override {
    const auto start = std::chrono::steady_clock::now();
    CompileResult result;
    Recovery recovery;
    if (!enter()) {
      result.message = "the compiler failed on another kernel before, and cannot be used any more";
      return result;
    }
    const bool survived =
        recovery.RunSafelyOnThread([&] { result = compile_text(machine_, request); }, stack_bytes);
    leave(survived || !recovery.reason.empty());
    if (!survived) {
      result = {};
      result.message = recovery.reason.empty() ? fmt::format("signal or exit {}", recovery.RetCode)
                                               : recovery.reason;
    }
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

 private:
  /// Signals are caught only while something is compiled.
  bool enter() {
    const std::lock_guard lock(mutex_);
    if (failed_) return false;
    if (running_++ == 0) llvm::CrashRecoveryContext::Enable();
    return true;
  }

  void leave(bool orderly) {
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) llvm::CrashRecoveryContext::Disable();
    failed_ = failed_ || !orderly;
  }

  const Machine machine_;
  std::mutex mutex_;
  int running_ = 0;
  bool failed_ = false;  ///< after a signal, locks inside Clang may be held for ever
};

}  // namespace
}  // namespace op2::jit

extern "C" __attribute__((visibility("default"))) op2::jit::Compiler* op2_jit_compiler(
    int abi, const op2::jit::Machine& machine) {
  if (abi != op2::jit::plugin_abi) return nullptr;
  return new op2::jit::ClangCompiler(machine);
}
