// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/emit_cuda.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include <core/error.hpp>
#include <core/text.hpp>
#include <jit/backend.hpp>
#include <jit/source_rules.hpp>
#include <jit/target/cuda/gather.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

constexpr std::size_t longest_list = 100;

bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

/// The letter by which the device library calls a type.
char letter_of(const ArgShape& arg) {
  constexpr char letters[] = {'d', 'f', 'i', 'u', 'l', 'm', 'b'};
  return arg.kind == OP_ARG_IDX ? 'i' : letters[static_cast<std::size_t>(arg.type)];
}

std::string check(std::size_t call, const std::string& condition, const std::string& message) {
  return fmt::format("static_assert({}, \"{} {}: {}\");\n", condition, signature_mark, call,
                     message);
}

std::string parameter_checks(std::size_t call, std::size_t position, const ParameterShape& wanted,
                             bool any_const) {
  const ArgShape& arg = wanted.arg;
  const std::string parameter = fmt::format("op2_signature{}::At<{}>", call, position);
  const bool to_const = arg.kind == OP_ARG_IDX || !writes(arg);
  std::string text = check(call,
                           fmt::format("{0}::type == '{1}' && {0}::is_vector == {2}", parameter,
                                       letter_of(arg), wanted.rows > 1 ? 1 : 0),
                           parameter_form_demand(position, wanted));
  if (!any_const)
    text += check(call, fmt::format("{}::is_const == {}", parameter, to_const ? 1 : 0),
                  parameter_const_demand(position, wanted));
  return text;
}

/// Compares the parameters of a kernel with the arguments of its loop.
std::string signature_checks(const LoopNest& nest, std::size_t call) {
  const KernelCall& kernel = nest.calls[call];
  const std::vector<ParameterShape> parameters = parameters_of(nest, call);
  const std::string signature = fmt::format("op2_signature{}", call);
  std::string text = fmt::format("\nusing {} = op2_signature::Of<decltype({}::{})>;\n", signature,
                                 kernel_namespace(call), kernel.name);
  text += check(call, signature + "::returns_void", "a kernel returns void");
  text += check(call, fmt::format("{}::count == {}", signature, parameters.size()),
                fmt::format("the loop has {}; a kernel has one pointer per argument",
                            core::counted(parameters.size(), "argument")));
  for (std::size_t k = 0; k < parameters.size(); ++k)
    text += parameter_checks(call, k, parameters[k], kernel.any_const);
  return text;
}

bool is_library_kernel(const LoopNest& nest) {
  return nest.args.empty() && is_library_symbol(nest.calls.front().name);
}

Adding adding_of(const LoopNest& nest, core::Increments increments, bool ordered) {
  if (ordered) return Adding::in_order;
  const bool in_rows = !nest.gathered.empty() || pulls(nest.args, increments);
  return in_rows ? Adding::by_rows : Adding::atomically;
}

}  // namespace

std::string cuda_symbol(const char* role, const LoopNest& nest) {
  std::string list;
  for (const KernelCall& call : nest.calls) {
    if (list.size() + 1 + call.name.size() > longest_list) break;
    list += "_" + call.name;
  }
  return role + list;
}

std::string gather_role(std::size_t k) {
  return fmt::format("op2_gather{}", k);
}

std::string ending_of(const std::string& symbol) {
  return symbol.substr(std::string_view(cuda_loop_role).size());
}

bool names_symbol(std::string_view image, std::string_view symbol, int times) {
  for (auto at = image.find(symbol); at != image.npos; at = image.find(symbol, at + 1)) {
    const std::size_t end = at + symbol.size();
    if ((end == image.size() || !continues_name(image[end])) && --times <= 0) return true;
  }
  return false;
}

bool is_library_symbol(const std::string& kernel) {
  return kernel.starts_with(cuda_loop_role);
}

std::string emit_cuda(const LoopNest& nest, core::Increments increments, bool ordered) {
  if (is_library_kernel(nest)) return heading_of(nest) + nest.calls.front().source;
  core::ensure(runs_on_device(nest.args), "a loop that sets a global by single elements on a GPU");
  std::string text = heading_of(nest);
  text += "#include <op2_device>\n" + standard_includes(nest);
  if (ordered) text += "#include <op2_ordered>\n";
  if (std::ranges::any_of(nest.args, is_extreme_row)) text += "#include <op2_extremes>\n";
  text += constant_definitions(nest);
  for (std::size_t n = 0; n < nest.calls.size(); ++n) text += kernel_scope(nest, n);
  for (std::size_t n = 0; n < nest.calls.size(); ++n) text += signature_checks(nest, n);
  return text + emit_kernels(nest, adding_of(nest, increments, ordered));
}

std::string cuda_entry(const LoopNest& nest, core::Increments increments, bool ordered) {
  if (is_library_kernel(nest)) return nest.calls.front().name;
  const bool in_rows = adding_of(nest, increments, ordered) == Adding::by_rows;
  return cuda_symbol(in_rows ? cuda_pull_role : cuda_loop_role, nest);
}

}  // namespace op2::jit
