// SPDX-License-Identifier: BSD-3-Clause
#include "wrapper.hpp"

#include <fmt/format.h>

#include "names.hpp"

namespace op2::embed {
namespace {

/// A string literal of one line.
std::string quoted(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c == '\n' ? ' ' : c;
  }
  return literal + "\"";
}

/// A literal that keeps lines.
std::string raw(const std::string& text) {
  std::string mark = "op2";
  while (text.find(")" + mark + "\"") != std::string::npos) mark += "_";
  return fmt::format("R\"{0}({1}){0}\"", mark, text);
}

/// No name here begins like one of the program, and macros are few that it can meet.
std::string constants_of(const EmbeddedKernel& kernel, std::size_t number) {
  if (kernel.text.variables.empty()) return {};
  std::string rows;
  for (const auto& variable : kernel.text.variables) {
    const std::string name = full_name(*variable.variable);
    rows += fmt::format("    {{{}, {}, &{}, sizeof({})}},\n", quoted(variable.name),
                        quoted(variable.declaration), name, name);
  }
  return fmt::format("const ::op2::embedded::Constant op2_constants_{}[] = {{\n{}}};\n", number,
                     rows);
}

std::string row_of(const EmbeddedKernel& kernel, std::size_t number) {
  const bool has_text = kernel.reason.empty();
  const auto count = has_text ? kernel.text.variables.size() : 0;
  return fmt::format(
      "    {{reinterpret_cast<void (*)()>(static_cast<{}>(&{})), {}, {}, {},\n     {}, {}, {}, "
      "{}}},\n",
      pointer_type(*kernel.function), full_name(*kernel.function),
      quoted(has_text ? kernel.text.name : kernel.function->getNameAsString()),
      has_text ? fmt::format("op2_text_{}", number) : "nullptr",
      has_text ? "nullptr" : quoted(kernel.reason), quoted(kernel.place.file), kernel.place.line,
      count > 0 ? fmt::format("op2_constants_{}", number) : "nullptr", count);
}

}  // namespace

std::string wrapper_unit(const std::string& source, const std::string& table_header,
                         const std::vector<EmbeddedKernel>& kernels) {
  std::string texts, rows;
  std::size_t number = 0;
  for (const auto& kernel : kernels) {
    if (!kernel.can_be_named) continue;
    if (kernel.reason.empty()) {
      texts += fmt::format("const char op2_text_{}[] = {};\n", number, raw(kernel.text.text));
      texts += constants_of(kernel, number);
    }
    rows += row_of(kernel, number++);
  }
  std::string unit = fmt::format("// Made by op2-embed-kernels; changes are lost.\n");
  if (number == 0) return unit + fmt::format("#include {}\n", quoted(source));
  unit += fmt::format("#include {}\n#include {}\n\nnamespace {{\n", quoted(table_header),
                      quoted(source));
  return unit + texts +
         fmt::format(
             "const ::op2::embedded::Kernel op2_kernels[] = {{\n{}}};\n"
             "const ::op2::embedded::Registration op2_registration(op2_kernels, {});\n"
             "}}  // namespace\n",
             rows, number);
}

}  // namespace op2::embed
