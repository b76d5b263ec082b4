// SPDX-License-Identifier: BSD-3-Clause
#include <jit/source_rules.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/text.hpp>
#include <core/value_type.hpp>

namespace op2::jit {
namespace {

const char* spelling(Type type) {
  constexpr std::array names{
      "double", "float", "int", "unsigned", "long long", "unsigned long long", "bool"};
  return names.at(static_cast<std::size_t>(type));
}

std::string describe(const ArgShape& arg, std::int32_t rows) {
  if (arg.kind == OP_ARG_IDX) return "index of the element";
  if (rows > 1)
    return fmt::format("{}, {} rows of {} x{}", core::name_of(arg.access), rows, spelling(arg.type),
                       arg.dim);
  return fmt::format("{}, {} x{}", core::name_of(arg.access), spelling(arg.type), arg.dim);
}

Type type_of(const ArgShape& arg) {
  return arg.kind == OP_ARG_IDX ? Type::i32 : arg.type;
}

bool is_read_only(const ArgShape& arg) {
  return arg.kind == OP_ARG_IDX || arg.access == OP_READ;
}

/// "const double"
std::string pointee_of(const ArgShape& arg) {
  return fmt::format("{}{}", is_read_only(arg) ? "const " : "", spelling(type_of(arg)));
}

std::string form_demand(const ParameterShape& wanted) {
  return fmt::format("must be {} to {}", wanted.rows > 1 ? "an array of pointers" : "a pointer",
                     pointee_of(wanted.arg));
}

const char* const_demand(const ParameterShape& wanted) {
  return is_read_only(wanted.arg) ? "must be a pointer to const" : "must not be a pointer to const";
}

std::string parameter_fault(std::size_t position, const ParameterForm& parameter,
                            const ParameterShape& wanted, bool any_const) {
  const ArgShape& arg = wanted.arg;
  const bool is_vector = wanted.rows > 1;
  const bool same_form = parameter.pointee == type_of(arg) && parameter.is_vector == is_vector;
  if (same_form && (any_const || parameter.to_const == is_read_only(arg))) return {};
  return fmt::format("arg {} ({}): parameter '{}' {}; write '{} *{}{}'", position,
                     describe(arg, wanted.rows), parameter.text,
                     same_form ? const_demand(wanted) : form_demand(wanted), pointee_of(arg),
                     is_vector ? "*" : "", parameter.name);
}

/// Of a function that is the kernel.
std::optional<SignatureFault> function_fault(const FunctionForm& function,
                                             const std::vector<ParameterShape>& args,
                                             bool any_const) {
  const auto& parameters = function.parameters;
  if (function.result != "void") {
    return SignatureFault{fmt::format("kernel '{}' returns '{}', but a kernel returns void",
                                      function.name, function.result),
                          function.place};
  }
  if (parameters.size() != args.size() || function.is_variadic) {
    return SignatureFault{
        fmt::format("kernel '{}({}{})' has {}, but the loop has {}; a kernel has "
                    "one pointer per argument",
                    function.name, parameter_list(function), function.is_variadic ? ", ..." : "",
                    core::counted(parameters.size(), "parameter"),
                    core::counted(args.size(), "argument")),
        function.place};
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto fault = parameter_fault(i, parameters[i], args[i], any_const);
    if (!fault.empty()) return SignatureFault{fault, parameters[i].place};
  }
  return std::nullopt;
}

}  // namespace

bool is_kernel(const FunctionForm& function, const std::string& kernel) {
  return function.name == kernel && function.scope.empty() && !function.is_template;
}

std::string parameter_form_demand(std::size_t position, const ParameterShape& wanted) {
  return fmt::format("arg {} ({}) {}", position, describe(wanted.arg, wanted.rows),
                     form_demand(wanted));
}

std::string parameter_const_demand(std::size_t position, const ParameterShape& wanted) {
  return fmt::format("arg {} ({}) {}", position, describe(wanted.arg, wanted.rows),
                     const_demand(wanted));
}

std::string parameter_list(const FunctionForm& function) {
  return core::joined(function.parameters, &ParameterForm::text, ", ");
}

void add_message(std::vector<Diagnostic>& messages, Diagnostic message) {
  const bool is_limit =
      message.severity == Diagnostic::Severity::note && message.kind == Diagnostic::Kind::limit;
  if (is_limit) message.kind = Diagnostic::Kind::other;
  const auto error = std::find_if(messages.rbegin(), messages.rend(), is_error);
  if (is_limit && error != messages.rend()) error->kind = Diagnostic::Kind::limit;
  messages.push_back(std::move(message));
}

std::optional<SignatureFault> signature_fault(const CompileUnit& unit,
                                              const std::vector<FunctionForm>& functions) {
  const std::string& kernel = unit.kernel;
  const auto& last = functions.back();
  if (!is_kernel(last, kernel)) return std::nullopt;
  const auto count = std::ranges::count_if(
      functions, [&](const auto& function) { return is_kernel(function, kernel); });
  if (count == 1) return function_fault(last, unit.parameters, unit.any_const);
  return SignatureFault{
      fmt::format("kernel '{}' is overloaded; rename all functions of that name but one", kernel),
      last.place};
}

SignatureFault missing_kernel(const std::string& kernel,
                              const std::vector<FunctionForm>& functions) {
  std::vector<std::string> names;
  for (const auto& function : functions) {
    if (function.name == kernel && function.is_template) {
      return {fmt::format("kernel '{}' is a template; it must be a plain function", kernel),
              function.place};
    }
    if (function.name == kernel) {
      return {fmt::format("kernel '{}' is in namespace '{}'; it must be at file scope", kernel,
                          function.scope),
              function.place};
    }
    if (function.scope.empty()) names.push_back(fmt::format("'{}'", function.name));
  }
  return {fmt::format("the source does not define a function '{}'; it defines {}", kernel,
                      names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))),
          std::nullopt};
}

}  // namespace op2::jit
