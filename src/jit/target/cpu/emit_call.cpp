// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cpu/emit_call.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <jit/backend.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

bool is_single(const LoopNest& nest) {
  return nest.calls.size() == 1;
}

const ArgShape& nest_arg(const LoopNest& nest, const CallArg& arg) {
  return nest.args[arg.position];
}

/// Whether the argument is the first of several columns that are one parameter of the kernel.
bool is_vector(const LoopNest& nest, const CallArg& arg) {
  return arg.members > 1 && nest_arg(nest, arg).active;
}

std::string vector_name(std::size_t call, std::size_t first) {
  return fmt::format("op2_vector{}_{}", call, first);
}

/// Arrays of pointers for the vector arguments.
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

/// The expression passed for one parameter.
/// @param is_any  the kernel's parameter decides the type of the pointer
std::string passed(const std::string& pointer, bool is_single, bool is_any) {
  if (!is_single) return fmt::format("(void*)({})", pointer);
  return is_any ? fmt::format("op2_pointer{{(void*)({})}}", pointer) : pointer;
}

std::vector<std::string> actual_arguments(const LoopNest& nest, std::size_t call,
                                          const std::vector<std::string>& pointers) {
  const std::vector<CallArg>& args = nest.calls[call].args;
  std::vector<std::string> actual;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const ArgShape& shape = nest_arg(nest, args[k]);
    if (args[k].members == 0) continue;
    if (!shape.active)
      actual.emplace_back("nullptr");
    else if (is_vector(nest, args[k]))
      actual.push_back(passed(vector_name(call, k), is_single(nest), true));
    else
      actual.push_back(passed(pointers[args[k].position], is_single(nest),
                              nest.calls[call].any_const || is_64_bit_integer(shape)));
  }
  return actual;
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
      "\nextern \"C\" void {}({}) {{\n  [[_Clang::__always_inline__]] ::{}({});\n}}\n",
      call_name, void_pointers(kernel, "void* op2_arg{}"), kernel.name,
      void_pointers(kernel, "op2_pointer{{op2_arg{}}}"));
}

std::string calls_of(const LoopNest& nest, const std::vector<std::string>& pointers,
                     const std::string& indent) {
  std::string text;
  for (std::size_t n = 0; n < nest.calls.size(); ++n)
    text += fmt::format(
        "{0}{1}[[_Clang::__always_inline__]] {2}(\n{1}    {3});\n",
        vector_declarations(nest, n, pointers, indent), indent,
        is_single(nest) ? "::" + nest.calls[n].name : call_symbol(n),
        fmt::join(actual_arguments(nest, n, pointers), fmt::format(",\n{}    ", indent)));
  return text;
}

bool converts_pointers(const LoopNest& nest) {
  if (!is_single(nest)) return false;
  return nest.calls[0].any_const ||
         std::ranges::any_of(nest.calls[0].args, [&](const CallArg& arg) {
           return is_vector(nest, arg) || is_64_bit_integer(nest_arg(nest, arg));
         });
}

}  // namespace op2::jit
