// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/device_headers.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <core/hash.hpp>
#include <jit/common_headers.hpp>
#include <jit/math_names.hpp>
#include <jit/source_scan.hpp>

namespace op2::jit {
namespace {

// {0} is the function, {1} its scope. Integers count as double, as in the standard library.
constexpr const char* unary_form =
    "template <class T> requires(op2_traits::is_integer<T>()) inline double {0}(T x) {{ return "
    "{1}{0}(static_cast<double>(x)); }}\n";

constexpr const char* binary_form =
    "template <class T, class U> requires(op2_traits::mixes<T, U>()) inline double {0}(T x, U y) "
    "{{ return {1}{0}(static_cast<double>(x), static_cast<double>(y)); }}\n";

// What a namespace needs beside these, in which others of the name are defined.
constexpr const char* unary_overloads =
    "inline double {0}(double x) {{ return {1}{0}(x); }}\n"
    "inline float {0}(float x) {{ return {1}{0}(x); }}\n";
constexpr const char* binary_overloads =
    "inline double {0}(double x, double y) {{ return {1}{0}(x, y); }}\n"
    "inline float {0}(float x, float y) {{ return {1}{0}(x, y); }}\n";

std::string without_macros(const std::vector<IncludedFile>& headers) {
  std::string text;
  for (const IncludedFile& header : headers)
    for (const std::string_view macro : macros_in(header.text))
      text += fmt::format("#undef {}\n", macro);
  return text;
}

}  // namespace

const std::vector<IncludedFile>& device_headers() {
  static const std::vector<IncludedFile> headers = [] {
    std::vector<IncludedFile> all = common_headers();
    all.push_back({"op2_math", functions_of_one_and_two(unary_form, binary_form) +
                                   "#include <op2_other_math>\n"});
    add_headers(all, "cuda");
    all.push_back({undefining_header, without_macros(all)});
    return all;
  }();
  return headers;
}

std::string overloads_of(const std::string& name) {
  const auto is_in = [&](const auto& list) { return std::ranges::find(list, name) != list.end(); };
  const auto scoped = [&](std::string overloads, const char* form) {
    return fmt::format(fmt::runtime(overloads.append(form)), name, "::");
  };
  if (is_in(unary_functions)) return scoped(unary_overloads, unary_form);
  if (is_in(binary_functions)) return scoped(binary_overloads, binary_form);
  return {};
}

std::string features_of_headers() {
  core::Hasher hasher;
  for (const IncludedFile& header : device_headers()) hasher.field(header.name).field(header.text);
  return "headers " + core::to_hex(hasher.finish()).substr(0, 16);
}

}  // namespace op2::jit
