// SPDX-License-Identifier: BSD-3-Clause
#include <sched/shapes.hpp>

#include <algorithm>

#include <sched/numbering.hpp>

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
    if (arg.is_payload() && arg.info_of >= 0 && !arg.any_order)
      shapes[static_cast<std::size_t>(arg.info_of)].in_order = true;
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

}  // namespace op2::sched
