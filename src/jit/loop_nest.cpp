// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_nest.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <core/value_type.hpp>
#include <jit/backend.hpp>

namespace op2::jit {

LoopNest nest_of(KernelCall call, std::vector<ArgShape> args) {
  call.args.clear();
  for (std::size_t k = 0; k < args.size(); ++k)
    call.args.push_back({.position = static_cast<std::int32_t>(k), .access = args[k].access});
  LoopNest nest{.calls = {}, .args = std::move(args)};
  nest.calls.push_back(std::move(call));
  return nest;
}

std::vector<ArgRange> arg_ranges(std::span<const std::int32_t> gathered, std::size_t args) {
  std::vector<ArgRange> ranges;
  std::size_t begin = 0;
  for (const std::int32_t end : gathered) {
    ranges.push_back({begin, static_cast<std::size_t>(end)});
    begin = static_cast<std::size_t>(end);
  }
  ranges.push_back({begin, args});
  return ranges;
}

std::string name_of(const LoopNest& nest) {
  std::string name;
  for (const KernelCall& call : nest.calls) name += (name.empty() ? "" : "+") + call.name;
  return name;
}

std::vector<ParameterShape> parameters_of(const LoopNest& nest, std::size_t call) {
  std::vector<ParameterShape> parameters;
  for (const CallArg& arg : nest.calls[call].args)
    if (arg.members > 0) parameters.push_back({without_place(shape_of(nest, arg)), arg.members});
  return parameters;
}

ArgShape shape_of(const LoopNest& nest, const CallArg& arg) {
  ArgShape shape = nest.args[arg.position];
  shape.access = arg.access;
  return shape;
}

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

namespace {

using Columns = std::vector<std::pair<std::int32_t, std::int32_t>>;  ///< map and column

bool is_of(const ArgShape& arg, std::int32_t dat) {
  return arg.active && arg.kind == OP_ARG_DAT && arg.dat == dat;
}

bool is_slotted(std::span<const ArgShape> args, std::int32_t dat) {
  return std::ranges::all_of(args, [&](const ArgShape& arg) {
    return !is_of(arg, dat) || (arg.access == OP_INC && arg.map >= 0);
  });
}

/// Through which the loop accesses a dat, in the order of the arguments, each once.
Columns columns_of(std::span<const ArgShape> args, std::int32_t dat) {
  Columns columns;
  for (const ArgShape& arg : args)
    if (is_of(arg, dat) &&
        std::ranges::find(columns, std::pair(arg.map, arg.column)) == columns.end())
      columns.emplace_back(arg.map, arg.column);
  return columns;
}

}  // namespace

std::vector<SlottedArg> slotted_args(std::span<const ArgShape> args) {
  std::vector<SlottedArg> slotted;
  const auto first_where = [&](std::size_t arg, auto&& alike) {
    const auto known = std::ranges::find_if(
        slotted, [&](const SlottedArg& other) { return alike(args[other.arg]); });
    return known == slotted.end() ? arg : known->arg;
  };
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ArgShape& arg = args[i];
    if (!is_of(arg, arg.dat) || !is_slotted(args, arg.dat)) continue;
    const Columns columns = columns_of(args, arg.dat);
    const std::size_t sum = first_where(i, [&](const ArgShape& other) {
      return other.dat == arg.dat && other.map == arg.map && other.column == arg.column;
    });
    const std::size_t targets = first_where(i, [&](const ArgShape& other) {
      return other.map == arg.map && columns_of(args, other.dat) == columns;
    });
    slotted.push_back({i, sum, targets});
  }
  return slotted;
}

}  // namespace op2::jit
