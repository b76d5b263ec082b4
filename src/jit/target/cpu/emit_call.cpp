// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cpu/emit_call.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <jit/backend.hpp>
#include <jit/target/call_arguments.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

bool is_single(const LoopNest& nest) {
  return nest.calls.size() == 1;
}

/// The expression passed for one parameter.
/// @param is_any  the kernel's parameter decides the type of the pointer
std::string passed(const std::string& pointer, bool is_single, bool is_any) {
  if (!is_single) return fmt::format("(void*)({})", pointer);
  return is_any ? fmt::format("op2_pointer{{(void*)({})}}", pointer) : pointer;
}

/// "void*" for each parameter of a kernel; with names unless `name` is empty.
std::string void_pointers(const KernelCall& call, const char* name) {
  std::vector<std::string> list;
  for (const CallArg& arg : call.args)
    if (arg.members > 0) list.push_back(fmt::format(fmt::runtime(name), list.size()));
  return fmt::format("{}", fmt::join(list, ", "));
}

}  // namespace

std::string call_symbol(std::size_t call) {
  return fmt::format("{}{}", call_name, call);
}

std::string call_declarations(const LoopNest& nest) {
  std::string text;
  if (is_single(nest)) return text;
  for (std::size_t n = 0; n < nest.calls.size(); ++n)
    text += fmt::format("extern \"C\" void {}({});\n", call_symbol(n),
                        void_pointers(nest.calls[n], "void*"));
  return text;
}

std::string call_definition(const LoopNest& nest, std::size_t call) {
  const KernelCall& kernel = nest.calls[call];
  return fmt::format(
      "\nextern \"C\" void {}({}) {{\n  [[_Clang::__always_inline__]] ::{}({});\n}}\n", call_name,
      void_pointers(kernel, "void* op2_arg{}"), kernel.name,
      void_pointers(kernel, "op2_pointer{{op2_arg{}}}"));
}

std::string calls_of(const LoopNest& nest, const std::vector<std::string>& pointers,
                     const std::string& indent) {
  std::string text;
  const auto pass = [&](const std::string& pointer, bool is_any) {
    return passed(pointer, is_single(nest), is_any);
  };
  for (std::size_t n = 0; n < nest.calls.size(); ++n)
    text += fmt::format(
        "{0}{1}[[_Clang::__always_inline__]] {2}(\n{1}    {3});\n",
        vector_declarations(nest, n, pointers, indent), indent,
        is_single(nest) ? "::" + nest.calls[n].name : call_symbol(n),
        fmt::join(actual_arguments(nest, n, pointers, pass), fmt::format(",\n{}    ", indent)));
  return text;
}

bool converts_pointers(const LoopNest& nest) {
  if (!is_single(nest)) return false;
  return nest.calls[0].any_const ||
         std::ranges::any_of(nest.calls[0].args, [&](const CallArg& arg) {
           return is_vector(nest, arg) || is_64_bit_integer(nest.args[arg.position]);
         });
}

}  // namespace op2::jit
