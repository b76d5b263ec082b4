// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/source_faults.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <jit/backend.hpp>
#include <jit/reserved_names.hpp>
#include <jit/source_scan.hpp>
#include <jit/target/cuda/scan_functions.hpp>

namespace op2::jit {
namespace {

std::string fault_of(std::string_view macro) {
  constexpr const char* demand = "a kernel's source must not define a macro of that name";
  if (is_keyword(macro)) return fmt::format("'{}' is a keyword; {}", macro, demand);
  if (macro.starts_with("op2_"))
    return fmt::format("names that begin with op2_ belong to the library; {}", demand);
  return {};
}

void add_faults(std::vector<Diagnostic>& faults, std::size_t call, const std::string& text,
                const std::string& file) {
  for (const std::string_view macro : macros_in(text)) {
    const std::string fault = fault_of(macro);
    if (fault.empty()) continue;
    faults.push_back(note_in(text, macro.data() - text.data(), file, fault));
    faults.back().severity = Diagnostic::Severity::error;
    faults.back().unit = static_cast<std::int32_t>(call);
  }
}

/// The innermost bracket that a source opens and does not close, as a note.
std::optional<Diagnostic> open_bracket(const KernelCall& kernel) {
  std::vector<std::string_view> open;
  const SourceScan scan = scan_source(kernel.source);
  for (const std::string_view token : scan.tokens) {
    if (token == "{" || token == "(" || token == "[") open.push_back(token);
    if ((token == "}" || token == ")" || token == "]") && !open.empty()) open.pop_back();
  }
  if (open.empty()) return {};
  Diagnostic note = note_in(kernel.source, open.back().data() - kernel.source.data(), kernel.name,
                            fmt::format("to match this '{}'", open.back()));
  note.kind = Diagnostic::Kind::open_bracket;
  note.subject = open.back();
  return note;
}

bool is_constant(const LoopNest& nest, const Diagnostic& message) {
  const auto& constants = nest.calls[message.unit].constants;
  return message.kind == Diagnostic::Kind::redefinition &&
         std::ranges::find(constants, message.subject, &ConstantShape::name) != constants.end();
}

/// The notes that belong to an error.
std::vector<Diagnostic> notes_to(Diagnostic& message, const LoopNest& nest) {
  std::vector<Diagnostic> notes;
  if (message.severity != Diagnostic::Severity::error) return notes;
  if (is_constant(nest, message)) {
    Diagnostic note;
    note.severity = Diagnostic::Severity::note;
    note.text = "declared by op_decl_const";
    note.unit = message.unit;
    notes.push_back(std::move(note));
  }
  for (std::size_t n = 0; n < nest.calls.size() && message.file == generated_file; ++n) {
    const auto note = open_bracket(nest.calls[n]);
    if (!note) continue;
    message.unit = static_cast<std::int32_t>(n);
    notes.push_back(*note);
    notes.back().unit = message.unit;
    break;
  }
  return notes;
}

/// A kernel's source, or a file that it includes, by name; null for other files.
const std::string* text_of(const KernelCall& kernel, const std::string& file) {
  if (file == kernel.name) return &kernel.source;
  const auto found = std::ranges::find(kernel.includes, file, &IncludedFile::name);
  return found != kernel.includes.end() ? &found->text : nullptr;
}

/// @param number  from 1
std::string line_of(const std::string& text, int number) {
  std::size_t begin = 0;
  for (int line = 1; line < number && begin < text.size(); ++line)
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

void add_source_lines(std::vector<Diagnostic>& messages, const LoopNest& nest) {
  for (Diagnostic& message : messages) {
    const std::string* text = text_of(nest.calls.at(message.unit), message.file);
    if (text == nullptr || message.line == 0 || !message.source_line.empty()) continue;
    message.source_line = line_of(*text, message.line);
    std::size_t at = message.source_line.find(message.subject);
    if (message.subject.empty() || at == std::string::npos)
      at = message.source_line.find_first_not_of(" \t");
    message.column = at == std::string::npos ? 1 : static_cast<int>(at) + 1;
  }
}

void add_notes(std::vector<Diagnostic>& messages, const LoopNest& nest) {
  std::vector<Diagnostic> all;
  for (Diagnostic& message : messages) {
    const std::vector<Diagnostic> notes = notes_to(message, nest);
    all.push_back(std::move(message));
    all.insert(all.end(), notes.begin(), notes.end());
  }
  messages = std::move(all);
}

std::vector<Diagnostic> macro_faults(const LoopNest& nest) {
  std::vector<Diagnostic> faults;
  for (std::size_t n = 0; n < nest.calls.size(); ++n) {
    add_faults(faults, n, nest.calls[n].source, nest.calls[n].name);
    for (const IncludedFile& file : nest.calls[n].includes)
      add_faults(faults, n, file.text, file.name);
  }
  return faults;
}

}  // namespace op2::jit
