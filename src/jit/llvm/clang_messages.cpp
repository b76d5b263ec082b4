// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/clang_messages.hpp>

#include <utility>

#include <clang/AST/ASTDiagnostic.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>

#include <jit/source_rules.hpp>

namespace op2::jit {
namespace {

Diagnostic::Kind kind_of(unsigned id) {
  switch (id) {
    case clang::diag::err_undeclared_var_use:
    case clang::diag::err_undeclared_var_use_suggest:
    case clang::diag::err_undeclared_use:
    case clang::diag::err_undeclared_use_suggest:
      return Diagnostic::Kind::unknown_symbol;
    case clang::diag::err_unknown_typename:
    case clang::diag::err_unknown_typename_suggest:
      return Diagnostic::Kind::unknown_type;
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
    case clang::diag::note_matching:
      return Diagnostic::Kind::open_bracket;
    case clang::diag::err_redefinition:
    case clang::diag::err_redefinition_different_kind:
    case clang::diag::err_redefinition_different_type:
    case clang::diag::err_redefinition_different_typedef:
      return Diagnostic::Kind::redefinition;
    default:
      return Diagnostic::Kind::other;
  }
}

/// Whether the first argument of a message is the symbol or file that it is about.
bool has_subject(unsigned id) {
  const auto kind = kind_of(id);
  const bool is_known = kind != Diagnostic::Kind::other && kind != Diagnostic::Kind::limit;
  constexpr unsigned missing_names[] = {clang::diag::err_no_member,
                                        clang::diag::err_no_member_suggest,
                                        clang::diag::err_no_template,
                                        clang::diag::err_no_template_suggest,
                                        clang::diag::err_no_member_template,
                                        clang::diag::err_no_member_template_suggest,
                                        clang::diag::err_typename_nested_not_found};
  return is_known || llvm::is_contained(missing_names, id);
}

/// The name, file or token that the first argument of a message holds, without quotes.
std::string first_argument(const clang::Diagnostic& info) {
  if (info.getNumArgs() == 0) return {};
  constexpr llvm::StringRef argument = "%0";
  llvm::SmallString<64> text;
  info.FormatDiagnostic(argument.begin(), argument.end(), text);
  return llvm::StringRef(text).trim('\'').str();
}

Diagnostic::Severity severity_of(clang::DiagnosticsEngine::Level level) {
  if (level >= clang::DiagnosticsEngine::Error) return Diagnostic::Severity::error;
  return level == clang::DiagnosticsEngine::Warning ? Diagnostic::Severity::warning
                                                    : Diagnostic::Severity::note;
}

/// The library's names mean nothing to the user, who cannot call them either.
bool has_own_name(llvm::StringRef text) {
  return text.contains("op2_");
}

/// Without a suggestion to use a name of the library.
std::string without_own_names(llvm::StringRef text) {
  const auto [message, suggestion] = text.split("; did you mean ");
  return (has_own_name(suggestion) ? message : text).str();
}

/// The source line of `place`.
std::string line_at(const clang::SourceManager& sources, clang::SourceLocation place) {
  const auto [file, offset] = sources.getDecomposedExpansionLoc(place);
  const llvm::StringRef text = sources.getBufferData(file);
  const auto begin = text.substr(0, offset).rfind('\n') + 1;  // npos + 1 is 0
  return text.slice(begin, text.find('\n', offset)).rtrim('\r').str();
}

/// The user's name of a file; empty for the generated source.
std::string shown_name(llvm::StringRef path) {
  if (path == source_path) return {};
  path.consume_front(include_folder);
  path.consume_front(shim_folder);
  return path.str();
}

void set_place(Diagnostic& message, const clang::SourceManager& sources,
               clang::SourceLocation place) {
  const auto shown = sources.getPresumedLoc(place);
  if (shown.isInvalid()) return;
  message.file = shown_name(shown.getFilename());
  message.line = static_cast<int>(shown.getLine());
  message.column = static_cast<int>(shown.getColumn());
  message.source_line = line_at(sources, place);
}

}  // namespace

void Collector::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                 const clang::Diagnostic& info) {
  clang::DiagnosticConsumer::HandleDiagnostic(level, info);
  if (level < clang::DiagnosticsEngine::Note) return;
  Diagnostic message;
  message.severity = severity_of(level);
  message.kind = kind_of(info.getID());
  llvm::SmallString<128> text;
  info.FormatDiagnostic(text);
  message.text = without_own_names(text);
  if (has_subject(info.getID())) message.subject = first_argument(info);
  if (info.hasSourceManager() && info.getLocation().isValid()) {
    set_place(message, info.getSourceManager(), info.getLocation());
  }
  const bool is_own = has_own_name(text) || message.file == "op2_simd";
  if (message.severity == Diagnostic::Severity::note && is_own) return;
  constexpr std::size_t most_messages = 200;  // each holds its line, which may be the whole source
  if (messages.size() < most_messages || is_error(message))
    add_message(messages, std::move(message));
}

Diagnostic note_at(const clang::SourceManager& sources, clang::SourceLocation place,
                   std::string text) {
  Diagnostic note;
  note.severity = Diagnostic::Severity::note;
  note.text = std::move(text);
  set_place(note, sources, place);
  return note;
}

}  // namespace op2::jit
