// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/cuda_rules.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include <jit/loop_nest.hpp>
#include <jit/math_names.hpp>
#include <jit/source_scan.hpp>
#include <jit/target/cuda/gather.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>

namespace op2::jit {
namespace {

using Names = std::set<std::string, std::less<>>;

constexpr std::string_view builtin_prefix = "__builtin_";

/// Of double, float or long double.
bool is_elementary(std::string_view name) {
  if (name.starts_with(builtin_prefix)) name.remove_prefix(builtin_prefix.size());
  if (name == "sincos" || name == "sincosf" || name == "powi") return true;
  return std::ranges::any_of(consistent_functions, [&](const ConsistentFunction& function) {
    const std::string_view of = function.name;
    return name.starts_with(of) && (name.size() == of.size() || name.substr(of.size()) == "f" ||
                                    name.substr(of.size()) == "l");
  });
}

/// Functions of std::complex that call elementary ones.
bool is_elementary_of_complex(std::string_view name) {
  return name == "abs" || name == "arg" || name == "polar" || name == "sqrt";
}

std::optional<std::string> called_function(const Names& names) {
  const bool has_complex = names.contains("complex");
  for (const std::string& name : names)
    if (is_elementary(name) || (has_complex && is_elementary_of_complex(name))) return name;
  return {};
}

bool ends_long(std::string_view number) {
  return number.find_first_of("0123456789") == 0 &&
         (number.ends_with("l") || number.ends_with("L"));
}

/// 1.0L, but not 1L.
bool is_long_double(std::string_view number) {
  const bool is_hexadecimal = number.starts_with("0x") || number.starts_with("0X");
  return ends_long(number) && number.find_first_of(is_hexadecimal ? ".pP" : ".eE") != number.npos;
}

bool has_long_double(std::span<const std::string_view> tokens) {
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const std::string_view token = tokens[k], next = k + 1 < tokens.size() ? tokens[k + 1] : "";
    if ((token == "long" && next == "double") || (token == "double" && next == "long") ||
        (token == "." && ends_long(next)) || is_long_double(token) || token == "__float128" ||
        token == "_Float128" || token == "__float80")
      return true;
  }
  return false;
}

/// One source or file.
std::string other_bits_in(std::string_view text) {
  const SourceScan scan = scan_source(text);
  if (const auto name = called_function(scan.identifiers))
    return fmt::format("it calls '{}', whose bits on a GPU are not those of a CPU", *name);
  if (has_long_double(scan.tokens)) return "it computes with long double, which GPUs do not have";
  if (std::ranges::find(scan.tokens, "#") != scan.tokens.end())
    return "its macros make names (##), perhaps of functions whose bits on a GPU are others";
  return {};
}

}  // namespace

std::string other_bits(const KernelCall& call) {
  std::string found = other_bits_in(call.source);
  for (const IncludedFile& file : call.includes)
    if (found.empty()) found = other_bits_in(file.text);
  return found;
}

std::string CudaRules::reason_for_host(op_kernel kernel, bool in_colours,
                                       std::span<const ArgShape> args) const {
  if (in_colours) return "its elements use rows that others modify, so they run in colours";
  if (!reproducible_) return {};
  if (bytes_of_sums(args) > most_bytes_of_sums)
    return "its sums have too many components for a GPU's exact sums";
  const auto [reason, is_new] = reasons_of_sources_.try_emplace(kernel);
  if (is_new) reason->second = other_bits(call_of(*kernel, {}));
  return reason->second;
}

}  // namespace op2::jit
