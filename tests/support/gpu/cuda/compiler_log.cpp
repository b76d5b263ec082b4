// SPDX-License-Identifier: BSD-3-Clause
#include "compiler_log.hpp"

#include <array>
#include <map>
#include <regex>
#include <sstream>
#include <utility>

#include "compile_kernels.hpp"

#include <fmt/format.h>

namespace op2::test::gpu::cuda {
namespace {

/// The lines of a program and its headers, by the file and number that #line gives them.
using Lines = std::map<std::pair<std::string, int>, std::string>;

void add_lines(Lines& lines, const std::string& text, std::string file) {
  static const std::regex directive(R"re(\s*#\s*(?:line)?\s+(\d+)(?:\s+"([^"]*)")?.*)re");
  std::istringstream source(text);
  int number = 1;
  for (std::string line; std::getline(source, line); ++number) {
    std::smatch parts;
    lines[{file, number}] = line;
    if (!std::regex_match(line, parts, directive)) continue;
    number = std::stoi(parts[1]) - 1;
    if (parts[2].matched) file = parts[2];
  }
}

Lines lines_of(const Program& program) {
  Lines lines;
  add_lines(lines, program.source, program.name);
  for (const Header& header : program.headers) add_lines(lines, header.text, header.name);
  return lines;
}

std::string with_caret(const Lines& lines, const std::string& file, int line, int column) {
  const auto found = lines.find({file, line});
  if (found == lines.end()) return "\n";
  return fmt::format("  {}\n  {:>{}}\n\n", found->second, "^", column);
}

struct Wording {
  std::regex gcc;
  const char* nvrtc;
};

/// The words of NVRTC for the most frequent mistakes; those of GCC otherwise.
std::string reworded(const std::string& message) {
  static const std::array wordings{
      Wording{std::regex("'([^']*)' was not declared in this scope.*"),
              "error: identifier \"$1\" is undefined"},
      Wording{std::regex("(\\S+): No such file or directory"),
              "catastrophic error: cannot open source file \"$1\""},
      Wording{std::regex("static assertion failed: (.*)"),
              "error: static assertion failed with \"$1\""},
      Wording{std::regex("'[^']*?([^' ]+)' has no member named '([^']*)'.*"),
              "error: class \"$1\" has no member \"$2\""},
      Wording{std::regex("'([^']*)' is not a member of '([^']*)'.*"),
              "error: namespace \"$2\" has no member \"$1\""},
      Wording{std::regex("redefinition of '(?:[^']* )?([^' (]+)(?:\\(.*\\))?'.*"),
              "error: \"$1\" has already been defined"},
      Wording{std::regex("'[^']*?(\\w+)' conflicts with a previous declaration.*"),
              "error: \"$1\" has already been declared in the current scope"},
      Wording{std::regex("template instantiation depth exceeds.*"),
              "error: excessive recursion at instantiation"}};
  for (const Wording& wording : wordings)
    if (std::regex_match(message, wording.gcc))
      return std::regex_replace(message, wording.gcc, wording.nvrtc);
  return "error: " + message;
}

/// A function without a body is found by the linker, whose place NVRTC's assembler has. Empty: no
/// error.
std::string of_linker(const std::string& line) {
  static const std::regex undefined("undefined reference to `([^']*)'");
  std::smatch parts;
  if (!std::regex_search(line, parts, undefined)) return {};
  return fmt::format("ptxas fatal   : Unresolved extern function '{}'\n", parts[1].str());
}

}  // namespace

std::string nvrtc_log(const std::string& gcc_log, const Program& program) {
  if (gcc_log.empty()) return {};
  static const std::regex message(R"((.*?):(\d+):(\d+): (?:fatal )?error: (.*))");
  const Lines lines = lines_of(program);
  std::istringstream text(gcc_log);
  std::string log;
  int errors = 0;
  for (std::string line; std::getline(text, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, message)) {
      log += of_linker(line);
      continue;
    }
    ++errors;
    log += fmt::format("{}({}): {}\n", parts[1].str(), parts[2].str(), reworded(parts[4]));
    log += with_caret(lines, parts[1], std::stoi(parts[2]), std::stoi(parts[3]));
  }
  if (errors > 0)
    log += fmt::format("{} error{} detected in the compilation of \"{}\".\n", errors,
                       errors == 1 ? "" : "s", program.name);
  return log;
}

}  // namespace op2::test::gpu::cuda
