// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/call_arguments.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

const ArgShape& nest_arg(const LoopNest& nest, const CallArg& arg) {
  return nest.args[arg.position];
}

std::string vector_name(std::size_t call, std::size_t first) {
  return fmt::format("op2_vector{}_{}", call, first);
}

}  // namespace

bool is_vector(const LoopNest& nest, const CallArg& arg) {
  return arg.members > 1 && nest_arg(nest, arg).active;
}

std::string vector_declarations(const LoopNest& nest, std::size_t call,
                                const std::vector<std::string>& pointers,
                                const std::string& indent) {
  std::string text;
  const std::vector<CallArg>& args = nest.calls[call].args;
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (!is_vector(nest, args[k])) continue;
    std::vector<std::string> rows;
    for (std::size_t m = k; m < k + static_cast<std::size_t>(args[k].members); ++m)
      rows.push_back(pointers[args[m].position]);
    text += fmt::format("{}const void* {}[] = {{{}}};\n", indent, vector_name(call, k),
                        fmt::join(rows, ", "));
  }
  return text;
}

std::vector<std::string> actual_arguments(const LoopNest& nest, std::size_t call,
                                          const std::vector<std::string>& pointers,
                                          const PassPointer& pass) {
  const std::vector<CallArg>& args = nest.calls[call].args;
  std::vector<std::string> actual;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const ArgShape& shape = nest_arg(nest, args[k]);
    if (args[k].members == 0) continue;
    if (!shape.active)
      actual.emplace_back("nullptr");
    else if (is_vector(nest, args[k]))
      actual.push_back(pass(vector_name(call, k), true));
    else
      actual.push_back(
          pass(pointers[args[k].position], nest.calls[call].any_const || is_64_bit_integer(shape)));
  }
  return actual;
}

}  // namespace op2::jit
