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
#include <jit/llvm/link_units.hpp>
#include <jit/llvm/math_names.hpp>
#include <jit/llvm/standard_headers.hpp>
#include <jit/llvm/toolchain.hpp>

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
  std::map<std::string, Diagnostic> found;
  for (const auto& function : *generator.GetModule()) {
    const std::string symbol = function.getName().str();
    if (!function.isDeclaration() || function.isIntrinsic() || may_be_called(symbol)) continue;
    if (symbol.starts_with(call_prefix)) continue;
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
    fault = check_->fault();
    if (const auto* kernel = check_->kernel()) {
      parameters = parameter_list(*kernel);
      marks.kernel = kernel->place;
    }
    if (fault || getCompilerInstance().getDiagnostics().hasErrorOccurred()) return;
    marks.constructed = check_->constructed();
    marks.undefined = undefined_functions(*generator_, getCompilerInstance().getSourceManager());
    module.reset(generator_->ReleaseModule());
    if (unit_.compare_access && check_->declaration() != nullptr)
      findings = access_findings(*check_->declaration(), unit_.parameters);
  }

  std::optional<SignatureFault> fault;
  std::string parameters;  ///< of the kernel, as written
  SourceMarks marks;
  std::unique_ptr<llvm::Module> module;  ///< null after an error
  std::vector<AccessFinding> findings;

 private:
  const CompileUnit& unit_;
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

/// @return false if Clang does not understand an argument; then there is a diagnostic
bool configure(clang::CompilerInstance& compiler, Collector& collector, const Machine& machine,
               const CompileRequest& request, const CompileUnit& unit) {
  auto arguments = clang_arguments(machine, request);
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

/// What becomes of a request, unit by unit.
class Compilation {
 public:
  Compilation(const Machine& machine, const CompileRequest& request)
      : machine_(machine), request_(request) {
    result_.status = CompileStatus::rejected;
  }

  CompileResult run(std::int32_t& unit) {
    for (unit = 0; unit < std::ssize(request_.units); ++unit)
      if (!parse(unit)) return std::move(result_);
    unit = 0;
    add_code();
    return std::move(result_);
  }

 private:
  /// @return false if the unit is in error; then the result says why
  bool parse(std::int32_t number) {
    const CompileUnit& unit = request_.units[static_cast<std::size_t>(number)];
    Collector collector;
    clang::CompilerInstance compiler;
    ParseAction action(unit, context_);
    const bool parsed =
        configure(compiler, collector, machine_, request_, unit) && compiler.ExecuteAction(action);
    const auto* error = first_error(collector.messages);
    // A missing kernel shows itself first as an error of the call that is generated for it.
    const bool is_fault =
        action.fault &&
        (error == nullptr || (error->file == generated_file && error->subject == unit.kernel));
    if (is_fault)
      blame(*action.fault, number);
    else if (error == nullptr && (!parsed || action.module == nullptr))
      collector.messages.push_back(error_at({}, "Clang gave no reason"));
    if (!is_fault) add(std::move(collector.messages), number);
    if (!unit.kernel.empty()) result_.signatures.push_back(action.parameters);
    if (is_fault || first_error(result_.diagnostics) != nullptr) return false;
    take(action, number);
    return true;
  }

  void blame(const SignatureFault& fault, std::int32_t unit) {
    result_.status = CompileStatus::wrong_signature;
    result_.message = fault.message;
    result_.unit = unit;
    result_.diagnostics.clear();
    if (fault.place) add({*fault.place}, unit);
  }

  void add(std::vector<Diagnostic> messages, std::int32_t unit) {
    for (Diagnostic& message : messages) {
      message.unit = unit;
      result_.diagnostics.push_back(std::move(message));
    }
  }

  void take(ParseAction& action, std::int32_t unit) {
    modules_.push_back(std::move(action.module));
    for (AccessFinding& finding : action.findings) {
      finding.call = unit;
      findings_.push_back(std::move(finding));
    }
    action.marks.set_unit(unit);
    marks_.add(std::move(action.marks));
  }

  void add_code() {
    const auto module = linked(std::move(modules_));
    if (module == nullptr) return add({error_at({}, "the kernels cannot be linked")}, 0);
    auto code = generate_code(*module, marks_, machine_, request_);
    result_.diagnostics.insert(result_.diagnostics.end(), code.diagnostics.begin(),
                               code.diagnostics.end());
    if (first_error(result_.diagnostics) != nullptr) return;
    result_.status = CompileStatus::ok;
    result_.object = std::move(code.object);
    result_.ir = std::move(code.ir);
    result_.assembly = std::move(code.assembly);
    result_.scalar = std::move(code.scalar);
    result_.findings = std::move(findings_);
  }

  const Machine& machine_;
  const CompileRequest& request_;
  llvm::LLVMContext context_;
  CompileResult result_;
  std::vector<std::unique_ptr<llvm::Module>> modules_;
  std::vector<AccessFinding> findings_;
  SourceMarks marks_;
};

}  // namespace

CompileResult compile_loop(const Machine& machine, const CompileRequest& request,
                           std::int32_t& unit) {
  return Compilation(machine, request).run(unit);
}

}  // namespace op2::jit
