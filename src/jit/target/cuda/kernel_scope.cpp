// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/kernel_scope.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <core/value_type.hpp>
#include <jit/backend.hpp>
#include <jit/loop_nest.hpp>
#include <jit/source_scan.hpp>
#include <jit/target/cuda/device_headers.hpp>
#include <jit/target/cuda/emit_cuda.hpp>

namespace op2::jit {
namespace {

constexpr std::string_view call_folder = "op2_call";

/// Included in every kernel, as on a CPU.
constexpr auto default_headers = std::to_array<const char*>({"algorithm", "cmath", "cstdint"});

/// A text in which names are replaced while it is copied.
class ScopedSource {
 public:
  /// @param folder  of the file with this text
  ScopedSource(std::string_view text, const KernelCall& kernel, std::size_t call,
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

  /// Names of the standard library, which stay global.
  static bool is_standard(std::string_view name) {
    return is_reserved(name) || name.ends_with("_t");
  }

  /// Whether tokens k and k + 1 are `::` before a name of the source, with nothing that it could
  /// qualify.
  static bool is_global_qualifier(const std::vector<std::string_view>& tokens, std::size_t k) {
    if (k + 2 >= tokens.size() || tokens[k] != ":" || tokens[k + 1] != ":") return false;
    if (tokens[k].data() + 1 != tokens[k + 1].data()) return false;
    if (!is_name(tokens[k + 2]) || is_standard(tokens[k + 2])) return false;
    if (k == 0) return true;
    const std::string_view before = tokens[k - 1];
    return before != ">" && before != ":" && (!is_name(before) || may_precede_global(before));
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

std::string includes_of(std::set<std::string> names) {
  names.insert(default_headers.begin(), default_headers.end());
  std::string text;
  for (const std::string& name : names)
    if (std::ranges::count(device_headers(), name, &IncludedFile::name) != 0)
      text += fmt::format("#include <{}>\n", name);
  return text;
}

/// The macros that a kernel's source and files define.
std::set<std::string> macros_of(const KernelCall& kernel) {
  std::vector<std::string_view> macros = macros_in(kernel.source);
  for (const IncludedFile& file : kernel.includes)
    std::ranges::copy(macros_in(file.text), std::back_inserter(macros));
  return {macros.begin(), macros.end()};
}

/// Adds what is defined like a function: "double pow(double x, int n) {". That it may be a member
/// does no harm.
void add_defined_names(std::string_view text, std::set<std::string>& names) {
  const std::vector<std::string_view> tokens = scan_source(text).tokens;
  for (std::size_t k = 1; k + 1 < tokens.size(); ++k) {
    const std::string_view before = tokens[k - 1];
    const bool follows_type = is_name(before) && before != "return" && before != "else";
    if (tokens[k + 1] != "(" || !follows_type) continue;
    const std::size_t behind = closing(tokens, k + 1) + 1;
    if (behind < tokens.size() && (tokens[behind] == "{" || tokens[behind] == "noexcept"))
      names.emplace(tokens[k]);
  }
}

/// Functions of the library that the source defines too, with other parameters: in the namespace
/// its own would hide them.
std::string overloaded_functions(const KernelCall& kernel) {
  std::set<std::string> names;
  add_defined_names(kernel.source, names);
  for (const IncludedFile& file : kernel.includes) add_defined_names(file.text, names);
  names.erase(kernel.name);
  std::string text;
  for (const std::string& name : names) text += overloads_of(name);
  return text;
}

/// Of 64 KB; the compiler needs some for numbers in the source and for parameters.
constexpr std::size_t constant_memory = 56 * 1024;

std::string namespace_at(std::size_t position) {
  return fmt::format("op2_constants{}", position);
}

/// As in mangled names: "14op2_constants0".
std::string mangled_namespace(std::size_t position) {
  const std::string scope = namespace_at(position);
  return fmt::format("{}{}", scope.size(), scope);
}

bool is_cubin(std::string_view image) {
  return image.starts_with("\177ELF");
}

/// An upper bound; all memory if a dimension is not a number, as in "double a[count]".
std::size_t bytes_of(const ConstantShape& constant) {
  if (constant.variable == nullptr) return core::size_of(constant.type, constant.dim);
  std::size_t values = 1;
  std::string_view rest = constant.declaration;
  for (auto open = rest.find('['); open != rest.npos; open = rest.find('[')) {
    rest.remove_prefix(open + 1);
    std::size_t dimension = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), dimension);
    const bool is_number = error == std::errc{} && end != rest.data() + rest.size() && *end == ']';
    if (!is_number || dimension > constant_memory) return constant_memory + 1;
    values = std::min(values * dimension, constant_memory);
  }
  return values * sizeof(double);
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
          {scoped_name(n, file.name), ScopedSource(file.text, nest.calls[n], n, folder).run()});
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
                      ScopedSource(kernel.source, kernel, call, {}).run(), generated_file);
  for (const std::string& macro : macros_of(kernel)) text += fmt::format("#undef {}\n", macro);
  text += fmt::format("#include <{}>\n", undefining_header);
  return text;
}

std::string constant_namespace(const LoopNest& nest, const ConstantShape& constant) {
  const auto all = constants_of(nest);
  return namespace_at(std::ranges::find(all, constant) - all.begin());
}

std::string constant_definitions(const LoopNest& nest) {
  std::string text;
  std::size_t used = 0;
  for (const ConstantShape& constant : constants_of(nest)) {
    const std::size_t bytes = bytes_of(constant);
    const bool fits = used + bytes <= constant_memory;
    if (fits) used += bytes;
    text += fmt::format("namespace {} {{ {} {}; }}\n", constant_namespace(nest, constant),
                        fits ? "__constant__" : "__device__", declaration_of(constant));
  }
  return text;
}

bool reads_constant(std::string_view image, const std::string& device_symbol) {
  return names_symbol(image, device_symbol, is_cubin(image) ? 1 : 2);
}

bool reads_constant(std::string_view image, std::size_t position) {
  const std::string scope = mangled_namespace(position);
  const std::size_t first = image.find(scope);
  if (first == image.npos) return false;
  return is_cubin(image) || image.find(scope, first + 1) != image.npos;
}

std::string device_symbol(std::size_t position, const std::string& symbol) {
  const std::string name = symbol.substr(symbol.find('_', std::string("op2_const").size()) + 1);
  return fmt::format("_ZN{}{}{}E", mangled_namespace(position), name.size(), name);
}

}  // namespace op2::jit
