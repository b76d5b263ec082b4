// SPDX-License-Identifier: BSD-3-Clause
#include "wrapper.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include <jit/llvm/clang_messages.hpp>

#include "spelling.hpp"

namespace op2::embed {
namespace {

/// A string literal; line breaks become spaces.
std::string quoted(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c == '\n' ? ' ' : c;
  }
  return literal + "\"";
}

/// A raw string literal, which keeps line breaks.
std::string raw(const std::string& text) {
  std::string delimiter = "op2";
  while (text.find(")" + delimiter + "\"") != std::string::npos) delimiter += "_";
  return fmt::format("R\"{0}({1}){0}\"", delimiter, text);
}

/// Names begin with op2_, so that they collide with no name or macro of the program.
std::string constants_of(const EmbeddedKernel& kernel, std::size_t number) {
  if (kernel.source.variables.empty()) return {};
  std::string rows;
  for (const auto& variable : kernel.source.variables) {
    const std::string name = full_name(*variable.variable);
    rows += fmt::format("    {{{}, {}, &{}, sizeof({})}},\n", quoted(variable.name),
                        quoted(variable.declaration), name, name);
  }
  return fmt::format("const ::op2::embedded::Constant op2_constants_{}[] = {{\n{}}};\n", number,
                     rows);
}

std::string entry_of(const EmbeddedKernel& kernel, std::size_t number) {
  const bool has_source = kernel.reason.empty();
  const auto count = has_source ? kernel.source.variables.size() : 0;
  return fmt::format(
      "    {{reinterpret_cast<void (*)()>(static_cast<{}>(&{})), {}, {}, {},\n     {}, {}, {}, "
      "{},\n     {}}},\n",
      pointer_type(*kernel.function), full_name(*kernel.function),
      quoted(has_source ? kernel.source.name : kernel.function->getNameAsString()),
      has_source ? fmt::format("op2_source_{}", number) : "nullptr",
      has_source ? "nullptr" : quoted(kernel.reason), quoted(kernel.location.file),
      kernel.location.line, count > 0 ? fmt::format("op2_constants_{}", number) : "nullptr", count,
      kernel.facts.empty() ? "nullptr" : raw(kernel.facts));
}

using Row = std::array<std::string, 4>;

Row row_of(const Unit& unit, const Loop& loop, const std::vector<EmbeddedKernel>& kernels) {
  jit::Diagnostic location = jit::note_at(unit.sources(), loop.location, "");
  std::string kernel = loop.is_lambda ? "(lambda)" : "(variable)", result;
  if (loop.kernel != nullptr) {
    const auto* known = find(kernels, loop.kernel);
    location = known->location;
    kernel = full_name(*loop.kernel).substr(2);
    result = fmt::format("{} bytes", known->source.code.size());
  }
  const std::string reason = loop_reason(loop, kernels);
  return {
      loop.name.empty() ? "?" : loop.name, kernel,
      fmt::format("{}:{}", std::filesystem::path(location.file).filename().string(), location.line),
      reason.empty() ? result.empty() ? "any function of its type" : result : reason};
}

}  // namespace

std::string wrapper_unit(const std::string& source, const std::string& table_header,
                         const std::vector<EmbeddedKernel>& kernels) {
  std::string sources, rows;
  std::size_t number = 0;
  for (const auto& kernel : kernels) {
    if (!kernel.can_be_named) continue;
    if (kernel.reason.empty()) {
      sources += fmt::format("const char op2_source_{}[] = {};\n", number, raw(kernel.source.code));
      sources += constants_of(kernel, number);
    }
    rows += entry_of(kernel, number++);
  }
  std::string unit = fmt::format("// Made by op2-embed-kernels; changes are lost.\n");
  if (number == 0) return unit + fmt::format("#include {}\n", quoted(source));
  unit += fmt::format("#include {}\n#include {}\n\nnamespace {{\n", quoted(table_header),
                      quoted(source));
  return unit + sources +
         fmt::format(
             "const ::op2::embedded::Kernel op2_kernels[] = {{\n{}}};\n"
             "const ::op2::embedded::Registration op2_registration(op2_kernels, {});\n"
             "}}  // namespace\n",
             rows, number);
}

std::string loop_table(const Unit& unit, const Loops& loops,
                       const std::vector<EmbeddedKernel>& kernels) {
  std::vector<Row> rows{{"loop", "kernel", "location", "source"}};
  for (const Loop& loop : loops.loops) rows.push_back(row_of(unit, loop, kernels));
  std::array<std::size_t, 4> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string table;
  for (const Row& row : rows)
    table += fmt::format("{:{}}  {:{}}  {:{}}  {}\n", row[0], widths[0], row[1], widths[1], row[2],
                         widths[2], row[3]);
  return table;
}

std::vector<jit::Diagnostic> missing_sources(const Unit& unit, const Loops& loops,
                                             const std::vector<EmbeddedKernel>& kernels) {
  std::vector<jit::Diagnostic> messages;
  std::set<const clang::FunctionDecl*> reported;
  for (const Loop& loop : loops.loops) {
    const std::string reason = loop_reason(loop, kernels);
    if (reason.empty()) continue;
    auto message = unit.message(jit::Diagnostic::Severity::warning, loop.location, "");
    std::string who = fmt::format("kernel of loop '{}'", loop.name);
    if (loop.kernel != nullptr) {
      if (!reported.insert(loop.kernel->getCanonicalDecl()).second) continue;
      const auto& location = find(kernels, loop.kernel)->location;
      message.file = location.file;
      message.line = location.line;
      message.column = std::max(location.column, 1);
      who = fmt::format("kernel '{}'", loop.kernel->getNameAsString());
    }
    message.text = fmt::format("{}: {}; it will run as a function pointer", who, reason);
    messages.push_back(std::move(message));
  }
  return messages;
}

}  // namespace op2::embed
