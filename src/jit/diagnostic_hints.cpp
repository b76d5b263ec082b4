// SPDX-License-Identifier: BSD-3-Clause
#include <jit/diagnostic_hints.hpp>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/similar_name.hpp>
#include <jit/common_headers.hpp>
#include <jit/source_scan.hpp>

namespace op2::jit {
namespace fs = std::filesystem;
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

/// Where an OP_KERNEL finds names of the program.
constexpr const char* in_header = "in a header that OP2_KERNEL_HEADER names";

std::string functions_hint(const std::string& unknown, const op_kernel_core& kernel) {
  if (is_macro(kernel))
    return fmt::format(
        "a kernel sees functions of the program only {}: define '{}' there, or write it as a "
        "lambda in the kernel",
        in_header, unknown);
  return fmt::format("a kernel cannot call functions of the program: write '{}' in its source",
                     unknown);
}

std::string constants_hint(const std::string& unknown, const std::vector<std::string>& constants) {
  if (constants.empty()) return "no constants are declared (op_decl_const declares them)";
  const std::string list = fmt::format("declared constants: {}", fmt::join(constants, ", "));
  return list + core::did_you_mean(unknown, constants);
}

/// Of a relative folder; itself if the program is not known.
fs::path in_folder_of_program(const fs::path& folder) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path() / folder;
  const std::string name = program.lexically_normal();
  return name.size() > 1 && name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
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
  const fs::path folder = folder_of(kernel);
  std::string folders = folder;
  if (is_macro(kernel) && folder.is_relative())
    folders += ", " + in_folder_of_program(folder).string();
  return fmt::format("folders searched for \"{}\": {}", diagnostic.subject, folders);
}

}  // namespace

std::string folder_of(const op_kernel_core& kernel) {
  const fs::path file = kernel.file != nullptr ? kernel.file : "";
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!is_macro(kernel) || folder.is_absolute()) return folder;
  const std::vector<std::string> headers = scan_source(kernel.source).includes;
  std::error_code ignored;
  if (headers.empty() || fs::exists(folder / headers.front(), ignored)) return folder;
  const fs::path program = in_folder_of_program(folder);
  return fs::exists(program / headers.front(), ignored) ? program : folder;
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
      if (is_called(diagnostic)) return "; " + functions_hint(diagnostic.subject, kernel);
      return "; " + constants_hint(diagnostic.subject, constants) +
             (is_macro(kernel) ? fmt::format("; other names of the program belong {}", in_header)
                               : "");
    case Diagnostic::Kind::unknown_type:
      return is_macro(kernel)
                 ? fmt::format("; a kernel sees types of the program only {}: define it there",
                               in_header)
                 : "; define it in the source, or in a file that the source includes";
    case Diagnostic::Kind::missing_include:
      return "; " + include_hint(diagnostic, kernel);
    default:
      return {};
  }
}

}  // namespace op2::jit
