// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/signature_check.hpp>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <core/text.hpp>
#include <jit/backend.hpp>
#include <jit/target/cuda/emit_cuda.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <jit/target/cuda/scan_functions.hpp>

namespace op2::jit {
namespace {

/// What failed comparisons say of one kernel.
struct Mismatch {
  std::size_t call = 0;
  bool result = false, count = false;
  std::vector<std::size_t> forms{}, consts{};  ///< parameters
};

/// Takes "0 result", "0 count", "0 3 form" or "0 3 const", from behind the mark.
void take(Mismatch& mismatch, const std::string& words) {
  std::istringstream in(words);
  std::string what;
  std::size_t parameter = 0;
  in >> mismatch.call;
  if (in >> parameter) {
    in >> what;
    (what.starts_with("form") ? mismatch.forms : mismatch.consts).push_back(parameter);
    return;
  }
  in.clear();
  in >> what;
  mismatch.result |= what.starts_with("result");
  mismatch.count |= what.starts_with("count");
}

void join(Mismatch& mismatch, const Mismatch& other) {
  mismatch.result |= other.result;
  mismatch.count |= other.count;
  std::ranges::copy(other.forms, std::back_inserter(mismatch.forms));
  std::ranges::copy(other.consts, std::back_inserter(mismatch.consts));
}

/// The call that a message about an unknown or ambiguous kernel names.
std::optional<std::size_t> call_named_in(const LoopNest& nest, const std::string& text) {
  for (std::size_t n = 0; n < nest.calls.size(); ++n) {
    const std::string missing = fmt::format("namespace \"{}\" has no member \"{}\"",
                                            kernel_namespace(n), nest.calls[n].name);
    const std::string ambiguous =
        fmt::format("\"{}::{}\" is intended", kernel_namespace(n), nest.calls[n].name);
    if (text.find(missing) != text.npos || text.find(ambiguous) != text.npos) return n;
  }
  return {};
}

bool is_error(const Diagnostic& message) {
  return message.severity == Diagnostic::Severity::error;
}

/// About the first kernel that does not match.
std::optional<Mismatch> mismatch_in(const LoopNest& nest, const std::vector<Diagnostic>& messages) {
  std::optional<Mismatch> found;
  for (const Diagnostic& message : messages) {
    if (!is_error(message)) continue;
    if (message.file != generated_file) return {};
    const auto mark = message.text.find(signature_mark);
    const auto named = call_named_in(nest, message.text);
    if (mark == message.text.npos && !named) continue;
    Mismatch one{.call = named.value_or(0)};
    if (mark != message.text.npos)
      take(one, message.text.substr(mark + std::string(signature_mark).size()));
    if (!found)
      found = std::move(one);
    else if (found->call == one.call)
      join(*found, one);
  }
  return found;
}

/// Of the source and of the files that it includes.
std::vector<FunctionForm> functions_of(const KernelCall& kernel) {
  std::vector<FunctionForm> functions = scan_functions(kernel.source, kernel.name);
  for (const IncludedFile& file : kernel.includes) {
    auto included = scan_functions(file.text, file.name);
    functions.insert(functions.end(), included.begin(), included.end());
  }
  return functions;
}

/// The unit as signatures are compared with.
CompileUnit unit_of(const LoopNest& nest, std::size_t call) {
  CompileUnit unit;
  unit.kernel = nest.calls[call].name;
  for (const CallArg& arg : nest.calls[call].args)
    if (arg.members > 0) unit.parameters.emplace_back(shape_of(nest, arg), arg.members);
  unit.any_const = nest.calls[call].any_const;
  return unit;
}

bool contains(const std::vector<std::size_t>& list, std::size_t value) {
  return std::ranges::find(list, value) != list.end();
}

/// Gives a function the types of its parameters: those that the unit wants, but for mismatches.
void complete(FunctionForm& function, const CompileUnit& unit, const Mismatch& mismatch) {
  function.result = mismatch.result ? function.result : "void";
  const std::size_t count = std::min(function.parameters.size(), unit.parameters.size());
  for (std::size_t k = 0; k < count; ++k) {
    ParameterForm& form = function.parameters[k];
    const auto& [arg, rows] = unit.parameters[k];
    const bool reads = arg.kind == OP_ARG_IDX || arg.access == OP_READ;
    if (!contains(mismatch.forms, k)) form.pointee = arg.kind == OP_ARG_IDX ? Type::i32 : arg.type;
    form.is_vector = rows > 1;
    form.to_const = contains(mismatch.consts, k) ? !reads : reads;
  }
}

SignatureFault fault_of(const LoopNest& nest, const Mismatch& mismatch) {
  const CompileUnit unit = unit_of(nest, mismatch.call);
  std::vector<FunctionForm> functions = functions_of(nest.calls[mismatch.call]);
  const auto kernel = std::ranges::find_if(
      functions, [&](const FunctionForm& each) { return is_kernel(each, unit.kernel); });
  if (kernel == functions.end()) return missing_kernel(unit.kernel, functions);
  complete(*kernel, unit, mismatch);
  std::rotate(kernel, kernel + 1, functions.end());
  if (auto fault = signature_fault(unit, functions)) return *fault;
  return {fmt::format("the parameters of kernel '{}({})' do not match the loop's {}; "
                      "a kernel has one pointer per argument",
                      unit.kernel, parameter_list(functions.back()),
                      core::counted(unit.parameters.size(), "argument")),
          functions.back().place};
}

}  // namespace

std::optional<KernelFault> kernel_fault(const LoopNest& nest,
                                        const std::vector<Diagnostic>& messages) {
  const auto mismatch = mismatch_in(nest, messages);
  if (!mismatch || mismatch->call >= nest.calls.size()) return {};
  KernelFault found{static_cast<std::int32_t>(mismatch->call), fault_of(nest, *mismatch)};
  if (found.fault.place) found.fault.place->unit = found.call;
  return found;
}

std::string signature_of(const KernelCall& kernel) {
  for (const FunctionForm& function : functions_of(kernel))
    if (is_kernel(function, kernel.name)) return parameter_list(function);
  return {};
}

}  // namespace op2::jit
