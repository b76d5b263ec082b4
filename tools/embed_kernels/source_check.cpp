// SPDX-License-Identifier: BSD-3-Clause
#include "source_check.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <fmt/format.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Host.h>

#include <jit/llvm/machine.hpp>
#include <jit/llvm/standard_headers.hpp>
#include <jit/llvm/toolchain.hpp>

namespace op2::embed {
namespace {

constexpr const char* folder = "/op2/";
constexpr const char* path = "/op2/kernel.cpp";

class FirstError : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error || !message.empty()) return;
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    message = text.str().str();
  }

  std::string message;
};

/// The source behind the headers and the declarations of constants, as in the generated code of a
/// loop.
std::string unit_of(const KernelSource& source) {
  std::string unit = "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n";
  for (const auto& variable : source.variables)
    unit += fmt::format("extern const {};\n", variable.declaration);
  return unit + source.code;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files_with(const std::string& unit) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(unit));
  for (const auto& header : jit::shim_headers())
    files->addFile(folder + header.name, 0, llvm::MemoryBuffer::getMemBufferCopy(header.text));
  return files;
}

}  // namespace

std::string compile_fault(const KernelSource& source) {
  jit::Machine machine;
  machine.info.triple = llvm::sys::getDefaultTargetTriple();
  machine.info.cpu = "generic";
  if (machine.info.triple.starts_with("x86_64")) machine.info.cpu = "x86-64";
  auto arguments = jit::clang_arguments(machine, {});
  for (const char* argument : {"-internal-isystem", folder, path}) arguments.emplace_back(argument);
  std::vector<const char*> pointers;
  for (const auto& argument : arguments) pointers.push_back(argument.c_str());

  FirstError errors;
  clang::CompilerInstance compiler;
  compiler.createDiagnostics(&errors, false);
  clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), pointers,
                                            compiler.getDiagnostics());
  compiler.getDiagnosticOpts().IgnoreWarnings = false;
  compiler.createDiagnostics(&errors, false);
  compiler.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  compiler.createFileManager(files_with(unit_of(source)));
  clang::SyntaxOnlyAction action;
  if (!compiler.ExecuteAction(action) && errors.message.empty()) return "Clang gave no reason";
  return errors.message;
}

}  // namespace op2::embed
