// SPDX-License-Identifier: BSD-3-Clause
// op2-embed-kernels: embeds the source of a program's kernels into the program.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include <jit/llvm/clang_messages.hpp>
#include <op2/version.hpp>

#include "kernels.hpp"
#include "loops.hpp"
#include "options.hpp"
#include "spelling.hpp"
#include "unit.hpp"

namespace op2::embed {
namespace {

namespace fs = std::filesystem;

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
  return {loop.name.empty() ? "?" : loop.name, kernel,
          fmt::format("{}:{}", fs::path(location.file).filename().string(), location.line),
          reason.empty() ? result.empty() ? "any function of its type" : result : reason};
}

/// A unit that is compiled instead of the program's unit. It includes that unit and defines a table
/// of its kernels.
/// @param source  absolute path of the program's unit
/// @param table_header  path of op2_embedded.h
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

/// One line per loop: name, kernel, location of the kernel, and the size of its source in bytes or
/// the reason why there is none.
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

/// A warning for each kernel without source, once.
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

/// The result for one unit; it does not refer to the syntax tree.
struct Result {
  std::string wrapper;
  std::string table;
  std::vector<jit::Diagnostic> messages;
};

/// That of the installation, or, in a folder where the tool is built, that of its sources.
std::string table_header(const Options& options) {
  if (!options.table_header.empty()) return fs::absolute(options.table_header).string();
  std::error_code none;
  const fs::path tool = fs::read_symlink("/proc/self/exe", none);
  const fs::path link = tool.parent_path() / "op2_embedded.h";
  if (fs::exists(link, none)) return fs::canonical(link).string();
  return (tool.parent_path() / OP2_TABLE_HEADER_FROM_TOOL).lexically_normal().string();
}

/// The first error of Clang, which may be an error of the program: its compiler reports the rest.
void add_parse_errors(const Unit& unit, std::vector<jit::Diagnostic>& messages) {
  if (unit.errors.empty()) return;
  jit::Diagnostic first = unit.errors.front().message;
  first.text = fmt::format("op2-embed-kernels cannot parse this: {}", first.text);
  messages.push_back(std::move(first));
}

Result process(const Unit& unit, const Options& options) {
  Result result;
  add_parse_errors(unit, result.messages);
  const Loops loops = find_loops(unit);
  const AccessReport access = check_access(unit, loops, options.access);
  const auto kernels = embed_kernels(unit, loops, access, unsupported_flag(options.flags));
  for (auto& message : missing_sources(unit, loops, kernels)) result.messages.push_back(message);
  for (const auto& message : access.messages) result.messages.push_back(message);
  result.wrapper = wrapper_unit(fs::absolute(options.source).lexically_normal().string(),
                                table_header(options), kernels);
  if (options.list) result.table = loop_table(unit, loops, kernels);
  return result;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("cannot write '{}'", path));
}

std::string dependencies(const Options& options, const std::vector<std::string>& files) {
  std::string rule = options.output + ":";
  for (const auto& file : files) {
    rule += " \\\n  ";
    for (const char c : file) rule += c == ' ' || c == '#' ? std::string{'\\', c} : std::string{c};
  }
  return rule + "\n";
}

/// Parses and processes the unit. The wrapper of a unit that cannot be parsed has no kernel
/// sources.
/// @param files  [out] that the wrapper depends on
Result result_of(const Options& options, std::vector<std::string>& files) {
  const std::string source = fs::absolute(options.source).lexically_normal().string();
  Result result;
  ParseRequest request{
      options.source,
      options.resource_folder.empty() ? OP2_CLANG_RESOURCES : options.resource_folder,
      parser_flags(options.flags)};
  const auto use = [&](const Unit& unit) { result = process(unit, options); };
  files = parse_unit(request, use);
  if (files.empty()) {  // a processor that Clang does not know
    std::erase_if(request.flags, [](const auto& flag) { return flag.starts_with("-m"); });
    files = parse_unit(request, use);
  }
  if (!files.empty()) return result;
  files = {source};
  result.wrapper = wrapper_unit(source, table_header(options), {});
  jit::Diagnostic& message = result.messages.emplace_back();
  message.severity = jit::Diagnostic::Severity::warning;
  message.file = options.source;
  message.line = message.column = 1;
  message.text = "Clang cannot parse this unit; its kernels will run as function pointers";
  return result;
}

int run(const Options& options) {
  check_file(options.source);
  std::vector<std::string> files;
  const Result result = result_of(options, files);
  bool failed = false;
  for (const auto& message : result.messages) {
    fmt::print(stderr, "{}", line_of(message));
    failed = failed || message.severity == jit::Diagnostic::Severity::error;
  }
  fmt::print("{}", result.table);
  if (failed) return 1;
  if (!options.output.empty()) write(options.output, result.wrapper);
  if (!options.dependencies.empty()) write(options.dependencies, dependencies(options, files));
  return 0;
}

}  // namespace
}  // namespace op2::embed

int main(int argc, char** argv) {
  try {
    const auto options = op2::embed::parse_options(argc, argv);
    if (!options.help && !options.version) return op2::embed::run(options);
    fmt::print("{}",
               options.help ? op2::embed::usage : "op2-embed-kernels " OP2_VERSION_STRING "\n");
    return 0;
  } catch (const op2::embed::UsageError& error) {
    fmt::print(stderr, "op2-embed-kernels: {}\n{}", error.what(), op2::embed::usage);
  } catch (const std::exception& error) {
    fmt::print(stderr, "op2-embed-kernels: {}\n", error.what());
  }
  return 2;
}
