// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/emit_cuda.hpp>

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <core/error.hpp>
#include <jit/target/cuda/device_constants.hpp>
#include <jit/target/cuda/device_headers.hpp>
#include <jit/target/cuda/emit_kernels.hpp>
#include <jit/target/cuda/emit_pull.hpp>
#include <jit/target/cuda/extreme_rows.hpp>
#include <jit/target/cuda/increments.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <jit/target/cuda/kernel_symbols.hpp>
#include <jit/target/cuda/ordered_library.hpp>
#include <jit/target/cuda/ordered_sums.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

/// The letter by which the device library calls a type.
char letter_of(const ArgShape& arg) {
  constexpr char letters[] = {'d', 'f', 'i', 'u', 'l', 'm', 'b'};
  return arg.kind == OP_ARG_IDX ? 'i' : letters[static_cast<std::size_t>(arg.type)];
}

std::string parameter_checks(std::size_t call, std::size_t position, const ArgShape& arg,
                             bool is_vector, bool any_const) {
  const std::string parameter = fmt::format("op2_signature{}::At<{}>", call, position);
  std::string text = fmt::format(
      "static_assert({0}::type == '{1}' && {0}::is_vector == {2}, \"{3} {4} {5} form\");\n",
      parameter, letter_of(arg), is_vector ? 1 : 0, signature_mark, call, position);
  const bool to_const = arg.kind == OP_ARG_IDX || !writes(arg);
  if (!any_const)
    text += fmt::format("static_assert({}::is_const == {}, \"{} {} {} const\");\n", parameter,
                        to_const ? 1 : 0, signature_mark, call, position);
  return text;
}

/// Compares the parameters of a kernel with the arguments of its loop.
std::string signature_checks(const LoopNest& nest, std::size_t call) {
  const KernelCall& kernel = nest.calls[call];
  std::string parameters;
  std::size_t count = 0;
  for (const CallArg& arg : kernel.args)
    if (arg.members > 0)
      parameters +=
          parameter_checks(call, count++, shape_of(nest, arg), arg.members > 1, kernel.any_const);
  return fmt::format(
             "\nusing op2_signature{0} = op2_signature::Of<decltype({1}::{2})>;\n"
             "static_assert(op2_signature{0}::returns_void, \"{3} {0} result\");\n"
             "static_assert(op2_signature{0}::count == {4}, \"{3} {0} count\");\n",
             call, kernel_namespace(call), kernel.name, signature_mark, count) +
         parameters;
}

bool is_library_kernel(const LoopNest& nest) {
  return nest.args.empty() && is_library_symbol(nest.calls.front().name);
}

bool gathers(const LoopNest& nest, core::Increments increments) {
  return !nest.gathered.empty() || pulls(nest.args, increments);
}

}  // namespace

std::string emit_cuda(const LoopNest& nest, core::Increments increments, bool ordered) {
  if (is_library_kernel(nest)) return heading_of(nest) + nest.calls.front().source;
  core::ensure(runs_on_device(nest.args), "a loop that sets a global by single elements on a GPU");
  std::string text = heading_of(nest);
  text += fmt::format("#include <{}>\n", device_library_name) + standard_includes(nest);
  if (ordered) text += fmt::format("#include <{}>\n", ordered_library_name);
  if (std::ranges::any_of(nest.args, is_extreme_row))
    text += fmt::format("#include <{}>\n", extreme_library_name);
  text += constant_definitions(nest);
  for (std::size_t n = 0; n < nest.calls.size(); ++n) text += kernel_scope(nest, n);
  for (std::size_t n = 0; n < nest.calls.size(); ++n) text += signature_checks(nest, n);
  if (ordered) return text + ordered_kernels(nest) + fold_kernel(nest, true);
  text += gathers(nest, increments) ? pull_kernel(nest) : loop_kernel(nest);
  return text + fold_kernel(nest);
}

std::string cuda_entry(const LoopNest& nest, core::Increments increments, bool ordered) {
  if (is_library_kernel(nest)) return nest.calls.front().name;
  const bool in_rows = !ordered && gathers(nest, increments);
  return cuda_symbol(in_rows ? cuda_pull_role : cuda_loop_role, nest);
}

}  // namespace op2::jit
