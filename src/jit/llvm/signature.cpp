// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/signature.hpp>

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace op2::jit {
namespace {

const char* spelling(Type type) {
  constexpr std::array names{
      "double", "float", "int", "unsigned", "long long", "unsigned long long", "bool"};
  return names.at(static_cast<std::size_t>(type));
}

const char* spelling(op_access access) {
  constexpr std::array names{"OP_READ", "OP_WRITE", "OP_RW", "OP_INC", "OP_MIN", "OP_MAX"};
  return names.at(static_cast<std::size_t>(access));
}

bool is_read_only(const ArgShape& arg) {
  return arg.kind == OP_ARG_IDX || arg.access == OP_READ;
}

std::string describe(const ArgShape& arg) {
  if (arg.kind == OP_ARG_IDX) return fmt::format("index, int x{}", arg.dim);
  return fmt::format("{}, {} x{}", spelling(arg.access), spelling(arg.type), arg.dim);
}

std::string parameter_fault(std::size_t position, const ParameterForm& parameter,
                            const ArgShape& arg) {
  const Type type = arg.kind == OP_ARG_IDX ? Type::i32 : arg.type;
  const bool read_only = is_read_only(arg);
  if (parameter.pointee == type && parameter.to_const == read_only) return {};
  const std::string wanted = fmt::format("{}{}", read_only ? "const " : "", spelling(type));
  const std::string demand = parameter.pointee != type ? "must be a pointer to " + wanted
                             : read_only               ? "must be a pointer to const"
                                                       : "must not be a pointer to const";
  return fmt::format("arg {} ({}): parameter '{}' {}: write '{} *{}'", position, describe(arg),
                     parameter.text, demand, wanted, parameter.name);
}

}  // namespace

std::string parameter_list(const std::vector<ParameterForm>& parameters) {
  std::vector<std::string> texts;
  for (const auto& parameter : parameters) texts.push_back(parameter.text);
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string signature_fault(const std::string& kernel, const std::vector<ParameterForm>& parameters,
                            const std::vector<ArgShape>& args) {
  if (parameters.size() != args.size()) {
    return fmt::format(
        "kernel '{}' has {} parameters ({}), but the loop has {} arguments; a kernel has one "
        "pointer per argument",
        kernel, parameters.size(), parameter_list(parameters), args.size());
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (auto fault = parameter_fault(i, parameters[i], args[i]); !fault.empty()) return fault;
  }
  return {};
}

}  // namespace op2::jit
