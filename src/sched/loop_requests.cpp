// SPDX-License-Identifier: BSD-3-Clause
#include <sched/loop_requests.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace op2::sched {
namespace {

std::vector<jit::Constant> declared_constants(const core::Mesh& mesh) {
  std::vector<jit::Constant> constants;
  for (const auto& [name, constant] : mesh.constants())
    constants.push_back({name, constant.type, constant.dim, constant.value.get()});
  return constants;
}

std::vector<jit::Constant> variables_of(const core::FunctionKernel& kernel) {
  std::vector<jit::Constant> constants;
  for (const core::NamedVariable& named : kernel.variables)
    constants.push_back({.name = named.name,
                         .address = named.variable->value.get(),
                         .declaration = named.declaration,
                         .variable = named.variable->origin});
  return constants;
}

}  // namespace

std::vector<jit::ArgShape> arg_shapes(std::span<const core::LoopArg> args) {
  std::vector<core::Dat*> dats;
  std::vector<core::Map*> maps;
  std::vector<jit::ArgShape> shapes;
  for (const core::LoopArg& arg : args) {
    jit::ArgShape shape{.kind = arg.kind,
                        .access = arg.access,
                        .type = arg.type,
                        .dim = arg.dim,
                        .active = arg.active};
    if (arg.any_order) shape.extreme = arg.info_of;
    if (arg.is_active_dat()) {
      shape.dat = number_of(dats, arg.dat);
      shape.padding = arg.dat->padding;
    }
    if (arg.active && arg.is_indirect()) {
      shape.map = number_of(maps, arg.map);
      shape.column = arg.column;
      shape.arity = arg.map->dim;
    }
    shapes.push_back(shape);
  }
  for (const core::LoopArg& arg : args)
    if (arg.is_payload() && arg.info_of >= 0 && !arg.any_order) shapes[arg.info_of].in_order = true;
  return shapes;
}

std::vector<std::int32_t> optional_args(std::span<const core::LoopArg> args) {
  std::vector<std::int32_t> optional;
  std::int32_t number = 0;
  for (const core::LoopArg& arg : args) {
    if (arg.members == 0) continue;
    if (arg.optional) optional.push_back(number);
    ++number;
  }
  return optional;
}

std::vector<jit::Constant> constants_of(const core::Mesh& mesh) {
  std::vector<jit::Constant> constants = declared_constants(mesh);
  for (const auto& [function, kernel] : mesh.functions()) {
    const std::vector<jit::Constant> variables = variables_of(*kernel);
    constants.insert(constants.end(), variables.begin(), variables.end());
  }
  return constants;
}

jit::KernelCall call_of(const core::Mesh& mesh, op_kernel kernel, const jit::CompileLimit& limit) {
  const core::FunctionKernel* function = mesh.function_of(kernel);
  if (function == nullptr) return jit::call_of(*kernel, declared_constants(mesh), limit);
  jit::KernelCall call = jit::call_of(*kernel, {}, limit);
  call.any_const = true;
  for (const jit::Constant& variable : variables_of(*function))
    call.constants.push_back(jit::shape_of(variable));
  std::ranges::sort(call.constants);
  return call;
}

namespace {

/// Of dats of a step among its arguments.
std::vector<std::int32_t> numbers_of(const std::vector<const core::Dat*>& dats, const Step& step,
                                     const std::vector<jit::ArgShape>& shapes) {
  std::vector<std::int32_t> numbers;
  for (const core::Dat* dat : dats) {
    const auto use = std::ranges::find_if(
        step.args, [&](const core::LoopArg& arg) { return arg.is_active_dat() && arg.dat == dat; });
    numbers.push_back(shapes[use - step.args.begin()].dat);
  }
  return numbers;
}

}  // namespace

std::string site_of(const core::LoopRecord& loop) {
  return fmt::format("{}:{}", loop.where.file, loop.where.line);
}

std::string named_with_site(const core::LoopRecord& loop) {
  return fmt::format("loop '{}' ({})", loop.name, site_of(loop));
}

jit::LoopRequest LoopRequests::request_for(const core::Queue& queue, const Step& step) {
  jit::LoopRequest request;
  request.nest.args = arg_shapes(step.args);
  if (step.gathers()) {
    const auto& [ends, extent, zero_initialised, not_stored] = *step.gather;
    request.nest.gathered = ends;
    request.nest.zero_initialised = numbers_of(zero_initialised, step, request.nest.args);
    request.nest.not_stored = numbers_of(not_stored, step, request.nest.args);
  }
  for (const KernelUse& use : step.kernels) {
    const core::LoopRecord& loop = queue.records()[use.record];
    const auto [known, fresh] = calls_.try_emplace(use.kernel);
    if (fresh) known->second = call_of(mesh_, use.kernel, limit_);
    request.nest.calls.push_back(known->second);
    request.nest.calls.back().args = use.args;
    request.nest.calls.back().traps = loop.traps;
    request.origins.push_back(
        {.loop = loop.name,
         .call_site = site_of(loop),
         .kernel = use.kernel,
         .compare_access = check_access_ || mesh_.function_of(use.kernel) == nullptr,
         .optional = optional_args(queue.args_of(loop))});
  }
  return request;
}

}  // namespace op2::sched
