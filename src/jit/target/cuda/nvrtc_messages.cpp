// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/nvrtc_messages.hpp>

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <core/text.hpp>
#include <jit/backend.hpp>
#include <jit/source_rules.hpp>
#include <jit/target/cuda/kernel_scope.hpp>

namespace op2::jit {
namespace {

using Severity = Diagnostic::Severity;
using Subject = Diagnostic::Kind;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::string_view rest = text; !rest.empty();)
    lines.emplace_back(core::next_part(rest, '\n'));
  return lines;
}

/// The words between the first two double quotes after `after`; empty if it does not occur.
std::string quoted_after(std::string_view text, std::string_view after) {
  const auto at = text.find(after);
  if (at == text.npos) return {};
  const auto open = text.find('"', at), close = text.find('"', open + 1);
  return close == text.npos ? "" : std::string(text.substr(open + 1, close - open - 1));
}

struct Wording {
  std::string_view words;
  std::string_view before_subject;
  Subject kind;
};

/// By a part of the message; its subject is the first word in quotes after `before_subject`.
constexpr std::array wordings{
    Wording{"is undefined", "identifier", Subject::unknown_symbol},
    Wording{"not open source file", "file", Subject::missing_include},
    Wording{"has no member", "has no member", Subject::other},
    Wording{"has already been defined", "", Subject::redefinition},
    Wording{"has already been declared", "", Subject::redefinition},
    Wording{"to match this", "to match this", Subject::open_bracket},
    Wording{"excessive recursion at instantiation", "", Subject::limit},
    Wording{"excessive constexpr function call", "", Subject::limit},
};

void classify(Diagnostic& message) {
  for (const Wording& wording : wordings) {
    if (message.text.find(wording.words) == std::string::npos) continue;
    message.kind = wording.kind;
    message.subject = quoted_after(message.text, wording.before_subject);
    return;
  }
}

constexpr auto severities =
    std::to_array<std::pair<std::string_view, Severity>>({{"catastrophic error", Severity::error},
                                                          {"internal error", Severity::error},
                                                          {"error", Severity::error},
                                                          {"warning", Severity::warning},
                                                          {"note", Severity::note}});

/// From "error: expected a ..." or "warning #177-D: variable ..."; nothing from other lines.
std::optional<Diagnostic> said(std::string_view line) {
  for (const auto& [name, severity] : severities) {
    if (!line.starts_with(name)) continue;
    std::string_view rest = line.substr(name.size());
    if (rest.starts_with(" #")) rest = rest.substr(std::min(rest.find(':'), rest.size()));
    if (!rest.starts_with(": ")) continue;
    Diagnostic message;
    message.severity = severity;
    message.text = rest.substr(2);
    return message;
  }
  return {};
}

void set_place(Diagnostic& message, const std::string& file, int line) {
  message.line = line;
  message.column = 1;  // NVRTC 12.0 and 12.1 show no caret
  if (const auto own = unscoped(file)) {
    message.unit = static_cast<std::int32_t>(own->first);
    message.file = own->second;
  } else {
    message.file = generated_file;
  }
}

/// "FILE(LINE): " and what is said, or "At end of source: " and the same.
std::optional<Diagnostic> head_of(const std::string& line) {
  constexpr std::string_view at_end = "At end of source: ";
  if (line.starts_with(at_end)) {
    auto message = said(std::string_view(line).substr(at_end.size()));
    if (message) message->file = generated_file;
    return message;
  }
  const auto close = line.find("): ");
  if (close == std::string::npos || line.starts_with(' ')) return {};
  const auto open = line.rfind('(', close);
  if (open == std::string::npos) return {};
  auto message = said(std::string_view(line).substr(close + 3));
  if (message) set_place(*message, line.substr(0, open), std::atoi(line.c_str() + open + 1));
  return message;
}

bool is_caret(const std::string& line) {
  const auto first = line.find_first_not_of(" \t");
  return first != std::string::npos && line[first] == '^' && first + 1 == line.size();
}

/// Takes out what was written into the source, in front of the caret too.
void restore(Diagnostic& message, const std::string& inserted) {
  std::string& line = message.source_line;
  for (auto at = line.find(inserted); at != std::string::npos; at = line.find(inserted, at)) {
    if (std::cmp_less(at, message.column)) message.column -= static_cast<int>(inserted.size());
    line.erase(at, inserted.size());
  }
}

/// @param shown  the source line behind two blanks
/// @param caret  the line with the caret
void set_snippet(Diagnostic& message, const std::string& shown, const std::string& caret) {
  constexpr std::size_t indent = 2;
  message.source_line = shown.substr(std::min(indent, shown.size()));
  message.column = static_cast<int>(caret.size()) - static_cast<int>(indent);
  restore(message, kernel_namespace(message.unit) + "::");
  restore(message, scoped_name(message.unit, ""));
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  std::string text = status == 0 ? name.get() : symbol;
  if (text.starts_with("op2_kernel")) text = text.substr(text.find("::") + 2);
  return text.substr(0, text.find('('));
}

/// An error of the assembler: it has no place.
std::optional<Diagnostic> of_assembler(const std::string& line) {
  if (!line.starts_with("ptxas") || line.find("info") != std::string::npos) return {};
  const auto colon = line.find(": ");
  const bool is_error = line.find("fatal") < colon || line.find("error") < colon;
  if (colon == std::string::npos || !is_error) return {};
  Diagnostic message;
  message.text = line.substr(colon + 2);
  constexpr std::string_view unresolved = "Unresolved extern function '";
  if (!message.text.starts_with(unresolved)) return message;
  const std::string symbol = message.text.substr(unresolved.size());
  message.kind = Subject::unknown_symbol;
  message.subject = demangled(symbol.substr(0, symbol.find('\'')));
  message.text = fmt::format(
      "function '{}' is declared but not defined; define it in the source or in a file that the "
      "source includes",
      message.subject);
  return message;
}

}  // namespace

std::vector<Diagnostic> nvrtc_messages(const std::string& log) {
  std::vector<Diagnostic> messages;
  const std::vector<std::string> lines = lines_of(log);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    auto head = head_of(lines[k]);
    if (!head) head = of_assembler(lines[k]);
    if (head) {
      classify(*head);
      add_message(messages, std::move(*head));
    } else if (k > 0 && is_caret(lines[k]) && !messages.empty()) {
      set_snippet(messages.back(), lines[k - 1], lines[k]);
    }
  }
  return messages;
}

std::string ptxas_lines(const std::string& log) {
  std::string kept;
  for (const std::string& line : lines_of(log)) {
    const bool is_own = line.starts_with("ptxas") || line.find(" bytes stack frame") != line.npos;
    if (is_own && line.find("Compile time") == line.npos) kept += line + "\n";
  }
  return kept;
}

}  // namespace op2::jit
