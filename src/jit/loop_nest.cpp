// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_nest.hpp>

#include <utility>

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

}  // namespace op2::jit
