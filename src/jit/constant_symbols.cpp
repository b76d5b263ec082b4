// SPDX-License-Identifier: BSD-3-Clause
#include <jit/constant_symbols.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <core/value_type.hpp>

namespace op2::jit {

std::vector<ConstantShape> constants_of(const LoopNest& nest) {
  std::vector<ConstantShape> constants;
  for (const KernelCall& call : nest.calls)
    for (const ConstantShape& constant : call.constants)
      if (std::ranges::find(constants, constant) == constants.end()) constants.push_back(constant);
  return constants;
}

std::string constant_symbol(const LoopNest& nest, const ConstantShape& constant) {
  int others = 0;
  for (const ConstantShape& each : constants_of(nest)) {
    if (each == constant) break;
    others += each.name == constant.name ? 1 : 0;
  }
  return fmt::format("op2_const{}_{}", others > 0 ? std::to_string(others) : "", constant.name);
}

std::string declaration_of(const ConstantShape& constant) {
  if (constant.variable != nullptr) return constant.declaration;
  return fmt::format("{} {}{}", core::cxx_name_of(constant.type), constant.name,
                     constant.dim > 1 ? fmt::format("[{}]", constant.dim) : "");
}

}  // namespace op2::jit
