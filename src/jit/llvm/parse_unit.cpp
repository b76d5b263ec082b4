// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/parse_unit.hpp>

#include <utility>

#include <clang/AST/Decl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <jit/llvm/clang_messages.hpp>
#include <jit/llvm/kernel_check.hpp>
#include <jit/llvm/toolchain.hpp>
#include <jit/math_names.hpp>

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
    check_macros(compiler.getPreprocessor());
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
    parsed.module.reset(generator_->ReleaseModule());
    if (check_->declaration() == nullptr) return;
    notes.facts = access_facts(*check_->declaration(), unit_.parameters);
    if (unit_.compare_access)
      notes.findings = access_findings(*check_->declaration(), unit_.parameters);
  }

  ParsedUnit parsed;  ///< without messages

 private:
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
  compiler.createDiagnostics(&collector, false);
  const bool accepted = clang::CompilerInvocation::CreateFromArgs(
      compiler.getInvocation(), pointers, compiler.getDiagnostics());
  compiler.createDiagnostics(&collector, false);  // again, with the options just read
  compiler.createFileManager(files_of(unit));
  compiler.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  return accepted;
}

}  // namespace

const Diagnostic* first_error(const std::vector<Diagnostic>& messages) {
  for (const auto& message : messages) {
    if (message.severity == Diagnostic::Severity::error) return &message;
  }
  return nullptr;
}

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
