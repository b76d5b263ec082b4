// SPDX-License-Identifier: BSD-3-Clause
// op2-embed-kernels: embeds the source of a program's kernels into the program.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/core.h>

#include <op2/version.hpp>

#include "access_check.hpp"
#include "kernels.hpp"
#include "loops.hpp"
#include "options.hpp"
#include "unit.hpp"
#include "wrapper.hpp"

namespace op2::embed {
namespace {

namespace fs = std::filesystem;

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
  const auto kernels = embed_kernels(unit, loops, unsupported_flag(options.flags));
  for (auto& message : missing_sources(unit, loops, kernels)) result.messages.push_back(message);
  for (auto& message : access_faults(unit, loops, options.access))
    result.messages.push_back(message);
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
