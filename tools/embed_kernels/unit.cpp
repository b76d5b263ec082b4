// SPDX-License-Identifier: BSD-3-Clause
#include "unit.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/Utils.h>
#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <jit/llvm/versions.hpp>

namespace op2::embed {
namespace {

/// Keeps errors and drops all other messages.
class Errors : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error) return;
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    jit::Diagnostic message;
    if (info.hasSourceManager() && info.getLocation().isValid())
      message = jit::note_at(info.getSourceManager(), info.getLocation(), "");
    message.severity = jit::Diagnostic::Severity::warning;
    message.text = text.str().str();
    list.push_back({info.getLocation(), std::move(message)});
  }

  std::vector<ParseError> list;
};

bool is_below(llvm::StringRef file, const std::vector<std::string>& folders) {
  return std::ranges::any_of(
      folders, [file](const std::string& folder) { return file.starts_with(folder); });
}

/// The include folders that the driver adds to those of the user.
std::vector<std::string> standard_folders_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> folders;
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] != "-internal-isystem" && arguments[i] != "-internal-externc-isystem")
      continue;
    folders.push_back(arguments[i + 1]);
  }
  return folders;
}

/// GCC keeps omp.h in a separate folder, which Clang does not search.
std::string gcc_headers(const std::vector<std::string>& standard_folders) {
  for (const std::string& folder : standard_folders) {
    const auto gcc = folder.find("/gcc/");
    const auto end = gcc != std::string::npos ? folder.find("/../", gcc) : gcc;
    if (end == std::string::npos) continue;
    const std::string headers = folder.substr(0, end) + "/include";
    if (llvm::sys::fs::exists(headers + "/omp.h")) return headers;
  }
  return {};
}

/// Collects tokens, and hands the unit over while its tree is in memory.
class Action : public clang::ASTFrontendAction {
 public:
  Action(const std::function<void(const Unit&)>& use, const Errors& errors,
         const std::vector<std::string>& standard_folders)
      : use_(use), errors_(errors), standard_folders_(standard_folders) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    collector_.emplace(compiler.getPreprocessor());
    return std::make_unique<clang::ASTConsumer>();
  }

  void EndSourceFileAction() override {
    const auto tokens = std::move(*collector_).consume();
    Unit unit{getCompilerInstance().getASTContext(), tokens, errors_.list, standard_folders_};
    // Errors in headers of another compiler are not errors of the program.
    std::erase_if(unit.errors, [&](const auto& error) { return unit.is_standard(error.location); });
    use_(unit);
    is_used = true;
  }

  bool is_used = false;

 private:
  const std::function<void(const Unit&)>& use_;
  const Errors& errors_;
  const std::vector<std::string>& standard_folders_;
  std::optional<clang::syntax::TokenCollector> collector_;
};

/// @param folders  [out] with the headers of the compiler and of its libraries
std::shared_ptr<clang::CompilerInvocation> invocation_for(
    const ParseRequest& request, const std::vector<std::string>& more_flags, Errors& errors,
    std::vector<std::string>& folders) {
  // The driver searches the standard library relative to the folder of Clang.
  const std::string clang = request.resource_folder + "/../../../bin/clang++";
  std::vector<std::string> command{clang, "-fsyntax-only", "-x", "c++", "-w"};
  command.insert(command.end(), {"-resource-dir", request.resource_folder});
  command.insert(command.end(), request.flags.begin(), request.flags.end());
  command.insert(command.end(), more_flags.begin(), more_flags.end());
  command.push_back(request.source);
  std::vector<const char*> pointers;
  for (const auto& argument : command) pointers.push_back(argument.c_str());
  std::vector<std::string> arguments;
  clang::CreateInvocationOptions options;
  clang::DiagnosticOptions of_messages;
  options.Diags = jit::diagnostics_of<clang::CompilerInstance>(of_messages, errors);
  options.RecoverOnError = true;
  options.CC1Args = &arguments;
  auto invocation = clang::createInvocation(pointers, options);
  folders = standard_folders_of(arguments);
  return invocation;
}

/// Those that a compiler has read, except those in the folders.
std::vector<std::string> files_of(const clang::CompilerInstance& compiler,
                                  const std::vector<std::string>& folders) {
  std::set<std::string> files;
  if (!compiler.hasSourceManager()) return {};
  const auto& sources = compiler.getSourceManager();
  for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file) {
    llvm::SmallString<256> path(jit::name_of_file(file->first));
    llvm::sys::fs::make_absolute(path);
    if (!is_below(path, folders)) files.insert(path.str().str());
  }
  return {files.begin(), files.end()};
}

}  // namespace

jit::Diagnostic Unit::message(jit::Diagnostic::Severity severity, clang::SourceLocation location,
                              std::string text) const {
  jit::Diagnostic message = jit::note_at(sources(), location, std::move(text));
  message.severity = severity;
  return message;
}

bool Unit::is_standard(clang::SourceLocation location) const {
  if (location.isInvalid()) return true;  // built in
  const auto& files = sources();
  if (!files.isInSystemHeader(location)) return false;
  const auto name = files.getFilename(files.getExpansionLoc(location));
  return name.empty() || is_below(name, standard_folders);
}

bool Unit::is_standard(const clang::Decl& declaration) const {
  return is_standard(declaration.getLocation());
}

std::vector<std::string> parse_unit(const ParseRequest& request,
                                    const std::function<void(const Unit&)>& use) {
  Errors errors;
  std::vector<std::string> folders;
  auto invocation = invocation_for(request, {}, errors, folders);
  const std::string headers = gcc_headers(folders);
  if (!headers.empty()) {
    invocation = invocation_for(request, {"-idirafter", headers}, errors, folders);
    folders.push_back(headers);
  }
  if (invocation == nullptr) return {};
  invocation->getDiagnosticOpts().IgnoreWarnings = true;
  invocation->getDiagnosticOpts().ErrorLimit = 0;
  const auto owner = jit::compiler_for<clang::CompilerInstance>(std::move(invocation));
  clang::CompilerInstance& compiler = *owner;
  compiler.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  errors.list.clear();
  jit::set_files(compiler, llvm::vfs::getRealFileSystem());
  jit::create_diagnostics(compiler, errors);
  compiler.getDiagnostics().setFatalsAsError(true);  // parse the unit to its end
  Action action(use, errors, folders);
  compiler.ExecuteAction(action);
  return action.is_used ? files_of(compiler, folders) : std::vector<std::string>();
}

std::string line_of(const jit::Diagnostic& message) {
  constexpr std::array severities{"error", "warning", "note"};
  const std::string where =
      message.line > 0 ? fmt::format("{}:{}:{}: ", message.file, message.line, message.column)
                       : "op2-embed-kernels: ";
  return fmt::format("{}{}: {}\n", where, severities.at(static_cast<std::size_t>(message.severity)),
                     message.text);
}

}  // namespace op2::embed
