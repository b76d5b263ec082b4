// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/compile_clang.hpp>

#include <memory>
#include <utility>

#include <clang/AST/Decl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <jit/llvm/clang_messages.hpp>
#include <jit/llvm/codegen.hpp>
#include <jit/llvm/kernel_access.hpp>
#include <jit/llvm/kernel_check.hpp>
#include <jit/llvm/math_names.hpp>
#include <jit/llvm/recipe.hpp>

namespace op2::jit {
namespace {

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

/// Functions that `module` calls, that the text declares and does not define, and that are none of
/// the C library: symbol and place.
std::map<std::string, Diagnostic> undefined_functions(clang::CodeGenerator& generator,
                                                      const clang::SourceManager& sources) {
  std::map<std::string, Diagnostic> found;
  for (const auto& function : *generator.GetModule()) {
    const std::string symbol = function.getName().str();
    if (!function.isDeclaration() || function.isIntrinsic() || may_be_called(symbol)) continue;
    const auto* declaration = generator.GetDeclForMangledName(symbol);
    const auto* named = llvm::dyn_cast_or_null<clang::NamedDecl>(declaration);
    if (named == nullptr) continue;
    found[symbol] = note_at(sources, named->getLocation(), "declared here");
    found[symbol].subject = named->getQualifiedNameAsString();
  }
  return found;
}

/// Parses the text; code generation follows outside, so that it shares no state with Clang.
class ParseAction : public clang::ASTFrontendAction {
 public:
  ParseAction(const CompileRequest& request, llvm::LLVMContext& context)
      : request_(request), context_(context) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    check_macros(compiler.getPreprocessor());
    auto check = std::make_unique<KernelCheck>(request_, compiler);
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

  void EndSourceFileAction() override {
    fault = check_->fault();
    if (const auto* kernel = check_->kernel()) {
      parameters = parameter_list(*kernel);
      marks.kernel = kernel->place;
    }
    if (fault || getCompilerInstance().getDiagnostics().hasErrorOccurred()) return;
    marks.constructed = check_->constructed();
    marks.undefined = undefined_functions(*generator_, getCompilerInstance().getSourceManager());
    module.reset(generator_->ReleaseModule());
    if (request_.compare_access && check_->declaration() != nullptr)
      findings = access_findings(*check_->declaration(), request_.args);
  }

  std::optional<SignatureFault> fault;
  std::string parameters;
  TextMarks marks;
  std::unique_ptr<llvm::Module> module;  ///< null after an error
  std::vector<AccessFinding> findings;

 private:
  const CompileRequest& request_;
  llvm::LLVMContext& context_;
  KernelCheck* check_ = nullptr;
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

void add_code(CompileResult& result, ParseAction& action, const Machine& machine,
              const CompileRequest& request) {
  auto code = generate_code(*action.module, action.marks, machine, request);
  result.diagnostics.insert(result.diagnostics.end(), code.diagnostics.begin(),
                            code.diagnostics.end());
  if (first_error(result.diagnostics) != nullptr) return;
  result.status = CompileStatus::ok;
  result.object = std::move(code.object);
  result.ir = std::move(code.ir);
  result.assembly = std::move(code.assembly);
  result.not_vectorised = std::move(code.not_vectorised);
  result.findings = std::move(action.findings);
}

}  // namespace

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
  if (action.fault &&
      (error == nullptr || (error->file == generated_file && error->subject == request.kernel))) {
    result.status = CompileStatus::wrong_signature;
    result.message = action.fault->message;
    result.diagnostics.clear();
    if (action.fault->place) result.diagnostics.push_back(*action.fault->place);
  } else if (parsed && action.module != nullptr) {
    add_code(result, action, machine, request);
  } else if (error == nullptr) {
    result.diagnostics.push_back(error_at({}, "Clang gave no reason"));
  }
  return result;
}

}  // namespace op2::jit
