// SPDX-License-Identifier: BSD-3-Clause
#include <jit/diagnostic_hints.hpp>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/similar_name.hpp>

namespace op2::jit {
namespace {

struct DeclaredName {
  std::string_view name;
  const char* header;
};

/// The most used names of supplied headers that are not included by default.
constexpr DeclaredName declared_names[] = {
    {"printf", "cstdio"},         {"puts", "cstdio"},        {"memcpy", "cstring"},
    {"memmove", "cstring"},       {"memset", "cstring"},     {"assert", "cassert"},
    {"DBL_MAX", "cfloat"},        {"DBL_MIN", "cfloat"},     {"DBL_EPSILON", "cfloat"},
    {"FLT_MAX", "cfloat"},        {"FLT_MIN", "cfloat"},     {"FLT_EPSILON", "cfloat"},
    {"INT_MAX", "climits"},       {"INT_MIN", "climits"},    {"UINT_MAX", "climits"},
    {"LONG_MAX", "climits"},      {"LONG_MIN", "climits"},   {"LLONG_MAX", "climits"},
    {"LLONG_MIN", "climits"},     {"strlen", "cstring"},     {"memcmp", "cstring"},
    {"numeric_limits", "limits"}, {"complex", "complex"},    {"array", "array"},
    {"numbers", "numbers"},       {"accumulate", "numeric"}, {"inner_product", "numeric"},
    {"iota", "numeric"},          {"gcd", "numeric"},        {"greater", "functional"},
};

/// Classes of C++'s library that kernels use in vain: they allocate memory.
constexpr std::string_view allocating_classes[] = {
    "vector", "string", "list", "map", "set", "deque", "unordered_map", "unique_ptr", "shared_ptr"};

/// Whether the source uses one of them: C++'s, not one that the user has written.
bool is_allocating_class(const Diagnostic& diagnostic) {
  const std::string_view text = diagnostic.text;
  return std::ranges::count(allocating_classes, diagnostic.subject) != 0 &&
         (text.ends_with("namespace 'std'") || text.starts_with("no template named"));
}

/// Whether the source calls the subject: it is followed by a bracket.
bool is_called(const Diagnostic& diagnostic) {
  const std::string_view line = diagnostic.source_line;
  const std::string_view name = diagnostic.subject;
  std::size_t at = diagnostic.column < 1 ? 0 : static_cast<std::size_t>(diagnostic.column) - 1;
  if (at > line.size() || !line.substr(at).starts_with(name)) at = line.find(name);
  if (at == std::string_view::npos) return false;
  const std::size_t next = line.find_first_not_of(" \t", at + name.size());
  return next != std::string_view::npos && line[next] == '(';
}

std::string functions_hint(const std::string& unknown, const op_kernel_core& kernel) {
  return fmt::format("a kernel cannot call functions of the program: write '{}' {}", unknown,
                     kernel.host != nullptr ? "as a lambda in the kernel" : "in its source");
}

std::string constants_hint(const std::string& unknown, const std::vector<std::string>& constants) {
  if (constants.empty()) return "no constants are declared (op_decl_const declares them)";
  const std::string list = fmt::format("declared constants: {}", fmt::join(constants, ", "));
  return list + core::did_you_mean(unknown, constants);
}

std::string include_hint(const Diagnostic& diagnostic, const op_kernel_core& kernel) {
  const auto written = [&](const char* form) {
    return diagnostic.source_line.find(fmt::format(fmt::runtime(form), diagnostic.subject)) !=
           std::string::npos;
  };
  if (written("<{}>")) {
    return fmt::format("kernels can include <{}>, and files in quotes",
                       fmt::join(offered_headers, ">, <"));
  }
  if (!written("\"{}\"")) return "write the file's name in the #include itself, not in a macro";
  return fmt::format("folders searched for \"{}\": {}", diagnostic.subject, folder_of(kernel));
}

}  // namespace

std::string folder_of(const op_kernel_core& kernel) {
  const std::string folder = std::filesystem::path(kernel.file ? kernel.file : "").parent_path();
  return folder.empty() ? "." : folder;
}

std::string hint_for(const Diagnostic& diagnostic, const op_kernel_core& kernel,
                     const std::vector<std::string>& constants) {
  for (const auto& [name, header] : declared_names) {
    if (diagnostic.subject == name) return fmt::format("; add #include <{}>", header);
  }
  if (is_allocating_class(diagnostic))
    return "; kernels allocate no memory: use arrays of fixed size, or std::array of <array>";
  switch (diagnostic.kind) {
    case Diagnostic::Kind::unknown_symbol:
      return "; " + (is_called(diagnostic) ? functions_hint(diagnostic.subject, kernel)
                                           : constants_hint(diagnostic.subject, constants));
    case Diagnostic::Kind::missing_include:
      return "; " + include_hint(diagnostic, kernel);
    default:
      return {};
  }
}

}  // namespace op2::jit
