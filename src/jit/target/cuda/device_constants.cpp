// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/device_constants.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <core/value_type.hpp>
#include <jit/constant_symbols.hpp>
#include <jit/target/cuda/kernel_symbols.hpp>

namespace op2::jit {
namespace {

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
