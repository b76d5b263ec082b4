// SPDX-License-Identifier: BSD-3-Clause
#include "wrapper.hpp"

#include <fmt/format.h>

#include "names.hpp"

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

std::string row_of(const EmbeddedKernel& kernel, std::size_t number) {
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
    rows += row_of(kernel, number++);
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

}  // namespace op2::embed
