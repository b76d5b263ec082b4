// SPDX-License-Identifier: BSD-3-Clause
#include <jit/diagnostics.hpp>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/value_type.hpp>
#include <jit/emit_cpu.hpp>
#include <jit/text_place.hpp>

namespace op2::jit {
namespace {

/// Widest part of a source line that is shown around the place of an error.
constexpr int shown_width = 110;

std::string folder_of(const op_kernel_core& kernel) {
  const std::string folder = std::filesystem::path(kernel.file ? kernel.file : "").parent_path();
  return folder.empty() ? "." : folder;
}

/// "airfoil.cpp:31:9", "kernel 'res_calc' line 3" or the name of an included file with its line.
std::string place_of(const Diagnostic& diagnostic, const CompiledText& text,
                     const TextPlaces& places) {
  if (diagnostic.file == generated_file) {
    return fmt::format("kernel '{}' behind the last line of its text", text.kernel.name);
  }
  if (diagnostic.line == 0) return fmt::format("kernel '{}'", text.kernel.name);
  if (diagnostic.file != text.kernel.name) {
    return fmt::format("{}:{}:{}", diagnostic.file, diagnostic.line, diagnostic.column);
  }
  const auto place = places.find(diagnostic.line, diagnostic.column);
  if (place) return fmt::format("{}:{}:{}", place->file, place->line, place->column);
  return fmt::format("kernel '{}' line {}", text.kernel.name, diagnostic.line);
}

/// The source line, cut to a window around the column, and a caret below the column.
std::string snippet_of(const Diagnostic& diagnostic) {
  if (diagnostic.source_line.empty() || diagnostic.column == 0) return {};
  const int column = diagnostic.column - 1;
  const int first = std::max(0, column - shown_width * 2 / 3);
  const std::string_view line = diagnostic.source_line;
  if (first > static_cast<int>(line.size())) return {};
  std::string before(line.substr(first, column - first));
  std::replace_if(before.begin(), before.end(), [](char c) { return c != '\t'; }, ' ');
  return fmt::format("\n{}\n{}^", line.substr(first, shown_width), before);
}

const char* word_of(Diagnostic::Severity severity) {
  constexpr const char* words[] = {"error", "warning", "note"};
  return words[static_cast<int>(severity)];
}

ErrorCode code_of(Diagnostic::Kind kind) {
  switch (kind) {
    case Diagnostic::Kind::other:
      return ErrorCode::kernel_text;
    case Diagnostic::Kind::unknown_symbol:
      return ErrorCode::unknown_symbol;
    case Diagnostic::Kind::missing_include:
      return ErrorCode::kernel_include;
    case Diagnostic::Kind::limit:
      return ErrorCode::kernel_limits;
  }
  return ErrorCode::kernel_text;
}

std::string constants_hint(const Diagnostic& diagnostic,
                           const std::vector<std::string>& constants) {
  if (constants.empty()) return "no constants are declared; op_decl_const declares them";
  const std::string list = fmt::format("declared constants: {}", fmt::join(constants, ", "));
  const auto distance = [&](const std::string& name) {
    return core::edit_distance(diagnostic.subject, name);
  };
  const auto nearest =
      *std::min_element(constants.begin(), constants.end(),
                        [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  const auto misspelt =
      std::min(diagnostic.subject.size() - 1, std::max<std::size_t>(2, nearest.size() / 3));
  const bool similar = !diagnostic.subject.empty() && distance(nearest) <= misspelt;
  return similar ? fmt::format("{}; did you mean '{}'?", list, nearest) : list;
}

std::string hint_for(const Diagnostic& diagnostic, const CompiledText& text) {
  switch (diagnostic.kind) {
    case Diagnostic::Kind::unknown_symbol:
      return "; " + constants_hint(diagnostic, text.constants);
    case Diagnostic::Kind::missing_include:
      return fmt::format("; folders searched for \"{}\": {}", diagnostic.subject,
                         folder_of(text.kernel));
    default:
      return {};
  }
}

Error rejection(const CompileResult& result, const CompiledText& text, const std::string& where) {
  const auto first =
      std::find_if(result.diagnostics.begin(), result.diagnostics.end(),
                   [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; });
  if (first == result.diagnostics.end()) {
    return {ErrorCode::kernel_text, fmt::format("{}: kernel '{}' does not compile: {}", where,
                                                text.kernel.name, result.message)};
  }
  const TextPlaces places(text.kernel);
  std::string message =
      fmt::format("{}: kernel '{}' does not compile: {}: {}{}", where, text.kernel.name,
                  place_of(*first, text, places), first->text, hint_for(*first, text));
  for (const Diagnostic& diagnostic : result.diagnostics) {
    message += fmt::format("\n{}: {}: {}{}", place_of(diagnostic, text, places),
                           word_of(diagnostic.severity), diagnostic.text, snippet_of(diagnostic));
  }
  return {code_of(first->kind), message};
}

}  // namespace

Error compile_error(const CompileResult& result, const CompiledText& text) {
  const std::string where = fmt::format("loop '{}' ({})", text.loop, text.call_site);
  switch (result.status) {
    case CompileStatus::wrong_signature:
      return {ErrorCode::kernel_signature, fmt::format("{}: {}", where, result.message)};
    case CompileStatus::crashed:
      return {ErrorCode::compiler_crash,
              fmt::format(
                  "{}: the compiler failed on kernel '{}': {}; simplify the kernel, or give it a "
                  "host function (OP_KERNEL)",
                  where, text.kernel.name, result.message)};
    case CompileStatus::unavailable:
      return {ErrorCode::plugin_failure, fmt::format("{}: kernel '{}' cannot be compiled: {}",
                                                     where, text.kernel.name, result.message)};
    default:
      return rejection(result, text, where);
  }
}

}  // namespace op2::jit
