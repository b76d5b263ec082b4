// SPDX-License-Identifier: BSD-3-Clause
#include "code_statistics.hpp"

#include <cctype>

#include "text.hpp"

namespace op2::jitinspect {

namespace {

bool contains(std::string_view line, std::string_view words) {
  return line.find(words) != std::string_view::npos;
}

/// "<4 x double>" and the like.
bool names_a_vector(std::string_view line) {
  for (std::size_t at = line.find('<'); at < line.size(); at = line.find('<', at + 1)) {
    std::size_t end = at + 1;
    while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end]))) ++end;
    if (end > at + 1 && line.substr(end).starts_with(" x ")) return true;
  }
  return false;
}

/// Deeper lines continue an instruction, others are labels, declarations and metadata.
bool is_ir_instruction(std::string_view line) {
  return line.size() > 2 && line.starts_with("  ") && line[2] != ' ' && line[2] != ';' &&
         line[2] != ']';
}

}  // namespace

IrStatistics ir_statistics(std::string_view ir) {
  IrStatistics sum;
  for (const std::string& line : split(ir, '\n')) {
    if (!is_ir_instruction(line)) continue;
    ++sum.instructions;
    sum.loads += contains(line, " = load ");
    sum.stores += line.starts_with("  store ");
    sum.calls += contains(line, "call ") && !contains(line, "@llvm.");
    sum.vectors += names_a_vector(line);
  }
  return sum;
}

std::int64_t assembly_instructions(std::string_view assembly) {
  std::int64_t count = 0;
  for (const std::string& line : split(assembly, '\n'))
    count += line.size() > 1 && line[0] == '\t' &&
             (line[1] == '@' || std::isalpha(static_cast<unsigned char>(line[1])) != 0);
  return count;
}

}  // namespace op2::jitinspect
