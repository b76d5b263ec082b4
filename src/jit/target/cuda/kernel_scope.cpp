// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/kernel_scope.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include <jit/backend.hpp>
#include <jit/constant_symbols.hpp>
#include <jit/reserved_names.hpp>
#include <jit/source_scan.hpp>
#include <jit/target/cuda/device_constants.hpp>
#include <jit/target/cuda/device_headers.hpp>
#include <jit/target/cuda/scan_functions.hpp>

namespace op2::jit {
namespace {

constexpr std::string_view call_folder = "op2_call";

/// Included in every kernel, as on a CPU.
constexpr auto default_headers = std::to_array<const char*>({"algorithm", "cmath", "cstdint"});

/// A text in which names are replaced while it is copied.
class ScopedText {
 public:
  /// @param folder  of the file with this text
  ScopedText(std::string_view text, const KernelCall& kernel, std::size_t call,
             std::filesystem::path folder)
      : text_(text), kernel_(kernel), call_(call), folder_(std::move(folder)) {}

  std::string run() {
    const std::vector<std::string_view> tokens = scan_source(text_).tokens;
    for (std::size_t k = 0; k < tokens.size(); ++k) {
      if (tokens[k].starts_with('#')) include(tokens[k]);
      if (defines_c_function(tokens, k))  // two kernels may have one of the same name
        insert(tokens[k + 1].data() + 2 - text_.data(), "++");
      if (is_global_qualifier(tokens, k))
        insert(tokens[k + 2].data() - text_.data(), kernel_namespace(call_) + "::");
    }
    return result_ + std::string(text_.substr(copied_));
  }

 private:
  void insert(std::size_t at, const std::string& words) {
    result_ += text_.substr(copied_, at - copied_);
    result_ += words;
    copied_ = at;
  }

  /// Replaces the name in `#include "name"` if it is a known file.
  void include(std::string_view directive) {
    const auto open = directive.find('"'), close = directive.find('"', open + 1);
    if (directive.find("include") > open || close == std::string_view::npos) return;
    const std::filesystem::path name(directive.substr(open + 1, close - open - 1));
    for (const std::filesystem::path& path : {folder_ / name, name}) {
      const std::string known = path.lexically_normal().generic_string();
      if (std::ranges::find(kernel_.includes, known, &IncludedFile::name) == kernel_.includes.end())
        continue;
      insert(directive.data() + open + 1 - text_.data(), scoped_name(call_, known));
      copied_ = directive.data() + close - text_.data();
      return;
    }
  }

  /// Whether tokens k and k + 1 are `extern "C"` before a function with its body.
  static bool defines_c_function(const std::vector<std::string_view>& tokens, std::size_t k) {
    if (k + 2 >= tokens.size() || tokens[k] != "extern" || tokens[k + 1] != "\"C\"") return false;
    const auto end = std::find_if(
        tokens.begin() + static_cast<std::ptrdiff_t>(k) + 2, tokens.end(),
        [](std::string_view token) { return token == "{" || token == ";" || token == "="; });
    return end != tokens.end() && *end == "{" && tokens[k + 2] != "{";
  }

  static bool is_word(std::string_view token) {
    return std::isalnum(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_';
  }

  /// Names of the standard library, which stay global.
  static bool is_standard(std::string_view name) {
    return is_reserved(name) || name.ends_with("_t");
  }

  /// Whether tokens k and k + 1 are `::` before a name of the source, with nothing that it could
  /// qualify.
  static bool is_global_qualifier(const std::vector<std::string_view>& tokens, std::size_t k) {
    if (k + 2 >= tokens.size() || tokens[k] != ":" || tokens[k + 1] != ":") return false;
    if (tokens[k].data() + 1 != tokens[k + 1].data()) return false;
    if (!is_word(tokens[k + 2]) || is_standard(tokens[k + 2])) return false;
    if (k == 0) return true;
    const std::string_view before = tokens[k - 1];
    return before != ">" && before != ":" && (!is_word(before) || may_precede_global(before));
  }

  static bool may_precede_global(std::string_view word) {
    constexpr auto keywords = std::to_array<std::string_view>(
        {"return", "else", "case", "const", "static", "inline", "constexpr", "typename", "struct"});
    return std::ranges::find(keywords, word) != keywords.end();
  }

  std::string_view text_;
  const KernelCall& kernel_;
  const std::size_t call_;
  const std::filesystem::path folder_;
  std::string result_;
  std::size_t copied_ = 0;
};

/// The names of headers that `text` includes in angle brackets.
void add_standard_includes(std::string_view text, std::set<std::string>& names) {
  for (const std::string_view token : scan_source(text).tokens) {
    const auto open = token.find('<'), close = token.find('>');
    if (!token.starts_with('#') || token.find("include") > open || close == token.npos) continue;
    names.emplace(token.substr(open + 1, close - open - 1));
  }
}

bool is_offered(const std::string& name) {
  const auto& headers = device_headers();
  return std::ranges::find(headers, name, &IncludedFile::name) != headers.end();
}

std::string includes_of(std::set<std::string> names) {
  names.insert(default_headers.begin(), default_headers.end());
  std::string text;
  for (const std::string& name : names)
    if (is_offered(name)) text += fmt::format("#include <{}>\n", name);
  return text;
}

/// The macros that a kernel's source and files define.
std::set<std::string> macros_of(const KernelCall& kernel) {
  std::vector<std::string_view> macros = macros_in(kernel.source);
  for (const IncludedFile& file : kernel.includes)
    std::ranges::copy(macros_in(file.text), std::back_inserter(macros));
  return {macros.begin(), macros.end()};
}

/// Functions of the library that the source defines too, with other parameters: in the namespace
/// its own would hide them.
std::string overloaded_functions(const KernelCall& kernel) {
  std::set<std::string> names;
  const auto add = [&](const std::string& text) {
    for (const FunctionForm& function : scan_functions(text, {}))
      if (function.scope.empty() && function.name != kernel.name) names.insert(function.name);
  };
  add(kernel.source);
  for (const IncludedFile& file : kernel.includes) add(file.text);
  std::string text;
  for (const std::string& name : names) text += overloads_of(name);
  return text;
}

}  // namespace

std::string kernel_namespace(std::size_t call) {
  return fmt::format("op2_kernel{}", call);
}

std::string scoped_name(std::size_t call, const std::string& name) {
  return fmt::format("{}{}/{}", call_folder, call, name);
}

std::optional<std::pair<std::size_t, std::string>> unscoped(const std::string& name) {
  const auto slash = name.find('/');
  if (!name.starts_with(call_folder) || slash == std::string::npos) return {};
  return std::pair(std::strtoull(name.c_str() + call_folder.size(), nullptr, 10),
                   name.substr(slash + 1));
}

std::vector<IncludedFile> scoped_files(const LoopNest& nest) {
  std::vector<IncludedFile> files;
  for (std::size_t n = 0; n < nest.calls.size(); ++n)
    for (const IncludedFile& file : nest.calls[n].includes) {
      const auto folder = std::filesystem::path(file.name).parent_path();
      files.push_back(
          {scoped_name(n, file.name), ScopedText(file.text, nest.calls[n], n, folder).run()});
    }
  return files;
}

std::string standard_includes(const LoopNest& nest) {
  std::set<std::string> names;
  for (const KernelCall& kernel : nest.calls) {
    add_standard_includes(kernel.source, names);
    for (const IncludedFile& file : kernel.includes) add_standard_includes(file.text, names);
  }
  return includes_of(std::move(names));
}

std::string kernel_scope(const LoopNest& nest, std::size_t call) {
  const KernelCall& kernel = nest.calls[call];
  std::string text = fmt::format("\nnamespace {} {{\n{}", kernel_namespace(call), includes_of({}));
  text += overloaded_functions(kernel);
  for (const ConstantShape& constant : kernel.constants)
    text += fmt::format("using {}::{};\n", constant_namespace(nest, constant), constant.name);
  text += fmt::format("#line 1 \"{}\"\n{}\n#line 1 \"{}\"\n}}\n", scoped_name(call, kernel.name),
                      ScopedText(kernel.source, kernel, call, {}).run(), generated_file);
  for (const std::string& macro : macros_of(kernel)) text += fmt::format("#undef {}\n", macro);
  text += fmt::format("#include <{}>\n", undefining_header);
  return text;
}

}  // namespace op2::jit
