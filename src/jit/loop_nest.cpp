// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_nest.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/text.hpp>
#include <core/value_type.hpp>
#include <jit/backend.hpp>
#include <jit/cache_entry.hpp>
#include <jit/diagnostics.hpp>
#include <jit/source_scan.hpp>

namespace op2::jit {

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
  return core::joined(nest.calls, &KernelCall::name, "+");
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

std::string loops_of(const LoopRequest& request) {
  return core::joined(request.origins, &LoopOrigin::loop, "+");
}

std::string where_is(const LoopRequest& request) {
  return fmt::format("loop '{}' ({})", loops_of(request), request.origins.front().call_site);
}

KernelCall call_of(const op_kernel_core& kernel, std::span<const Constant> declared,
                   const CompileLimit& limit) {
  KernelCall call{.name = kernel.name, .source = kernel.source};
  call.includes = read_includes(call.source, folder_of(kernel), limit);
  const auto identifiers = identifiers_in(call.source, call.includes);
  for (const Constant& constant : declared) {
    if (identifiers.contains(constant.name)) call.constants.push_back(shape_of(constant));
  }
  std::ranges::sort(call.constants);
  return call;
}

core::Digest fingerprint_of(const LoopNest& nest) {
  KeyFields fields;
  add_nest(fields, nest);
  return make_key(fields);
}

namespace {

std::string key_line(const ArgShape& arg) {
  constexpr const char* kinds[] = {"global", "dat", "number"};
  std::string line = fmt::format("{} {} x{} {}", kinds[arg.kind], core::name_of(arg.type), arg.dim,
                                 core::word_of(arg.access));
  if (arg.dat >= 0) line += fmt::format(" dat={}", arg.dat);
  if (arg.map >= 0)
    line += arg.arity > 0 ? fmt::format(" map={} column {} of {}", arg.map, arg.column, arg.arity)
                          : " through a map";
  if (arg.extreme >= 0) line += fmt::format(" of {}", arg.extreme);
  if (arg.in_order) line += " in order";
  if (arg.padding > 0) line += fmt::format(" padding {}", arg.padding);
  return line + (arg.active ? "\n" : " off\n");
}

std::string key_line(const ConstantShape& constant) {
  if (constant.variable != nullptr) return fmt::format("variable {}\n", constant.declaration);
  return fmt::format("{} {}[{}]\n", core::name_of(constant.type), constant.name, constant.dim);
}

/// Concatenates a part of each kernel; with several, each after a line that names the kernel.
std::string parts_of(const LoopNest& nest, const auto& part) {
  std::string all;
  for (const KernelCall& call : nest.calls) {
    const std::string line = part(call);
    if (nest.calls.size() > 1 && !line.empty())
      all += fmt::format("{}, {} bytes:\n{}\n", call.name, line.size(), line);
    else
      all += line;
  }
  return all;
}

/// "kernel adt_calc: 0 read, 2 write, 3 read vector of 4"
std::string key_line(const KernelCall& call) {
  std::string line;
  for (const CallArg& arg : call.args) {
    line +=
        fmt::format("{}{} {}", line.empty() ? "" : ", ", arg.position, core::word_of(arg.access));
    if (arg.members != 1) line += fmt::format(" vector of {}", arg.members);
  }
  return fmt::format("kernel {}: {}{}\n", call.name, line, call.any_const ? ", any const" : "");
}

bool has_vectors(const KernelCall& call) {
  return std::ranges::any_of(call.args, [](const CallArg& arg) { return arg.members != 1; });
}

std::string constants_in(const KernelCall& call) {
  std::string line;
  for (const ConstantShape& constant : call.constants) line += key_line(constant);
  return line;
}

std::string includes_in(const KernelCall& call) {
  std::string line;
  for (const IncludedFile& file : call.includes)
    line += fmt::format("{} {}\n{}\n", file.name, file.text.size(), file.text);
  return line;
}

}  // namespace

void add_nest(KeyFields& fields, const LoopNest& nest) {
  fields.kernel = name_of(nest);
  fields.source = parts_of(nest, [](const KernelCall& call) { return call.source; });
  for (const ArgShape& arg : nest.args) fields.arguments += key_line(arg);
  for (const KernelCall& call : nest.calls)
    if (nest.calls.size() > 1 || has_vectors(call)) fields.arguments += key_line(call);
  if (!nest.gathered.empty())
    fields.arguments +=
        fmt::format("rows gather {} loops, arguments up to {}; zero before {}; not kept {}\n",
                    nest.gathered.size(), fmt::join(nest.gathered, " "),
                    fmt::join(nest.zero_initialised, " "), fmt::join(nest.not_stored, " "));
  fields.constants = parts_of(nest, constants_in);
  fields.includes = parts_of(nest, includes_in);
}

std::vector<ConstantUse> constants_used(const LoopNest& nest) {
  std::vector<ConstantUse> used;
  for (std::size_t n = 0; n < nest.calls.size(); ++n)
    for (const ConstantShape& constant : nest.calls[n].constants)
      if (constant.variable == nullptr)
        used.push_back({static_cast<std::int32_t>(n), constant.name});
  return used;
}

void use_constants(LoopNest& nest, std::span<const ConstantUse> used,
                   std::span<const Constant> declared) {
  for (std::size_t n = 0; n < nest.calls.size(); ++n) {
    std::vector<ConstantShape>& constants = nest.calls[n].constants;
    std::erase_if(constants, [](const ConstantShape& c) { return c.variable == nullptr; });
    for (const Constant& constant : declared) {
      const ConstantUse use{static_cast<std::int32_t>(n), constant.name};
      if (constant.variable == nullptr && std::ranges::find(used, use) != used.end())
        constants.push_back(shape_of(constant));
    }
    std::ranges::sort(constants);
  }
}

}  // namespace op2::jit
