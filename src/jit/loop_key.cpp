// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_key.hpp>

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include <op2/version.hpp>

#include <core/access.hpp>
#include <core/hash.hpp>
#include <core/value_type.hpp>
#include <jit/cache_entry.hpp>

namespace op2::jit {
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
template <class Part>
std::string parts_of(const LoopNest& nest, const Part& part) {
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

std::string digest_of(const std::vector<std::string>& units) {
  core::Hasher hasher;
  for (const std::string& unit : units) hasher.field(unit);
  return core::to_hex(hasher.finish()).substr(0, 32);
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

KeyFields fields_of(const LoopNest& nest, const std::vector<std::string>& units,
                    const Target& target, const std::string& flags) {
  const TargetInfo info = target.info();
  KeyFields fields{.target = target.name(),
                   .generator = fmt::format("op2 " OP2_VERSION_STRING ", format {}, source {}",
                                            cache_format_version, digest_of(units)),
                   .compiler = info.compiler,
                   .triple = info.triple,
                   .cpu = info.cpu,
                   .features = info.features,
                   .options = target.options() + flags};
  add_nest(fields, nest);
  return fields;
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
