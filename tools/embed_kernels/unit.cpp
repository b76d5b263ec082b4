// SPDX-License-Identifier: BSD-3-Clause
#include "unit.hpp"

#include <algorithm>
#include <array>
#include <memory>
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

struct Session {
  const std::function<void(const Unit&)>& use;
  Errors& errors;
  std::vector<std::string> standard_folders;
};

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(const Session& session, clang::Preprocessor& preprocessor)
      : session_(session), collector_(preprocessor) {}

  void HandleTranslationUnit(clang::ASTContext& context) override {
    const auto tokens = std::move(collector_).consume();
    Unit unit{context, tokens, session_.errors.list, session_.standard_folders};
    // Errors in headers of another compiler are not errors of the program.
    std::erase_if(unit.errors, [&](const auto& error) { return unit.is_standard(error.location); });
    session_.use(unit);
  }

 private:
  const Session& session_;
  clang::syntax::TokenCollector collector_;
};

class Action : public clang::ASTFrontendAction {
 public:
  explicit Action(const Session& session) : session_(session) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    return std::make_unique<Consumer>(session_, compiler.getPreprocessor());
  }

 private:
  const Session& session_;
};

bool is_below(llvm::StringRef file, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [file](const std::string& folder) { return file.starts_with(folder); });
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

class Parser {
 public:
  explicit Parser(const ParseRequest& request) : request_(request) {}

  bool run(const std::function<void(const Unit&)>& use) {
    auto invocation = invocation_for({});
    const std::string headers = gcc_headers(folders_);
    if (!headers.empty()) {
      invocation = invocation_for({"-idirafter", headers});
      folders_.push_back(headers);
    }
    if (invocation == nullptr) return false;
    invocation->getDiagnosticOpts().IgnoreWarnings = true;
    invocation->getDiagnosticOpts().ErrorLimit = 0;
    compiler_.setInvocation(std::move(invocation));
    compiler_.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
    errors_.list.clear();
    compiler_.createDiagnostics(&errors_, false);
    compiler_.getDiagnostics().setFatalsAsError(true);  // parse the unit to its end
    bool used = false;
    const std::function<void(const Unit&)> once = [&](const Unit& unit) {
      use(unit);
      used = true;
    };
    const Session session{once, errors_, folders_};
    Action action(session);
    compiler_.ExecuteAction(action);
    return used;
  }

  std::vector<std::string> files() const {
    std::set<std::string> files;
    if (!compiler_.hasSourceManager()) return {};
    const auto& sources = compiler_.getSourceManager();
    for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file) {
      llvm::SmallString<256> path(file->first.getName());
      llvm::sys::fs::make_absolute(path);
      if (!is_below(path, folders_)) files.insert(path.str().str());
    }
    return {files.begin(), files.end()};
  }

 private:
  std::shared_ptr<clang::CompilerInvocation> invocation_for(
      const std::vector<std::string>& more_flags) {
    // The driver searches the standard library relative to the folder of Clang.
    const std::string clang = request_.resource_folder + "/../../../bin/clang++";
    std::vector<std::string> command{clang, "-fsyntax-only", "-x", "c++", "-w"};
    command.insert(command.end(), {"-resource-dir", request_.resource_folder});
    command.insert(command.end(), request_.flags.begin(), request_.flags.end());
    command.insert(command.end(), more_flags.begin(), more_flags.end());
    command.push_back(request_.source);
    std::vector<const char*> pointers;
    for (const auto& argument : command) pointers.push_back(argument.c_str());
    std::vector<std::string> arguments;
    clang::CreateInvocationOptions options;
    options.Diags =
        clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions, &errors_, false);
    options.RecoverOnError = true;
    options.CC1Args = &arguments;
    auto invocation = clang::createInvocation(pointers, options);
    folders_ = standard_folders_of(arguments);
    return invocation;
  }

  const ParseRequest& request_;
  Errors errors_;
  std::vector<std::string> folders_;
  clang::CompilerInstance compiler_;
};

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
  Parser parser(request);
  if (!parser.run(use)) return {};
  return parser.files();
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
