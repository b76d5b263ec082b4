// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_key.hpp>

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include <core/access.hpp>
#include <core/hash.hpp>
#include <core/value_type.hpp>
#include <jit/cache_format.hpp>

namespace op2::jit {
namespace {

constexpr const char* vector_math_word = "math=vector ";

std::string words_of(const ArgShape& arg) {
  constexpr const char* kinds[] = {"global", "dat", "number"};
  std::string words = fmt::format("{} {} x{} {}", kinds[arg.kind], core::name_of(arg.type), arg.dim,
                                  core::word_of(arg.access));
  if (arg.dat >= 0) words += fmt::format(" dat={}", arg.dat);
  if (arg.map >= 0) words += fmt::format(" map={} column {} of {}", arg.map, arg.column, arg.arity);
  return words + (arg.active ? "\n" : " off\n");
}

std::string words_of(const ConstantShape& constant) {
  if (constant.variable != nullptr) return fmt::format("variable {}\n", constant.declaration);
  return fmt::format("{} {}[{}]\n", core::name_of(constant.type), constant.name, constant.dim);
}

/// Behind each other; of several kernels, each part behind a line that names the kernel.
template <class Part>
std::string parts_of(const LoopNest& nest, const Part& part) {
  std::string all;
  for (const KernelCall& call : nest.calls) {
    const std::string words = part(call);
    if (nest.calls.size() > 1 && !words.empty())
      all += fmt::format("{}, {} bytes:\n{}\n", call.name, words.size(), words);
    else
      all += words;
  }
  return all;
}

/// "adt_calc: 0 read, 2 write, 3 read vector of 4"
std::string words_of(const KernelCall& call) {
  std::string words;
  for (const CallArg& arg : call.args) {
    words +=
        fmt::format("{}{} {}", words.empty() ? "" : ", ", arg.position, core::word_of(arg.access));
    if (arg.members != 1) words += fmt::format(" vector of {}", arg.members);
  }
  return fmt::format("{}: {}{}\n", call.name, words, call.any_const ? ", any const" : "");
}

bool has_vectors(const KernelCall& call) {
  return std::ranges::any_of(call.args, [](const CallArg& arg) { return arg.members != 1; });
}

std::string constants_in(const KernelCall& call) {
  std::string words;
  for (const ConstantShape& constant : call.constants) words += words_of(constant);
  return words;
}

std::string includes_in(const KernelCall& call) {
  std::string words;
  for (const IncludedFile& file : call.includes)
    words += fmt::format("{} {}\n{}\n", file.name, file.text.size(), file.text);
  return words;
}

std::string digest_of(const std::vector<std::string>& units) {
  core::Hasher hasher;
  for (const std::string& unit : units) hasher.field(unit);
  return core::to_hex(hasher.finish()).substr(0, 32);
}

}  // namespace

KeyFields fields_of(const LoopNest& nest, const std::vector<std::string>& units,
                    const TargetInfo& target, const std::string& options) {
  KeyFields fields;
  fields.generator = fmt::format("op2 " OP2_VERSION ", format {}, cpu, source {}",
                                 cache_format_version, digest_of(units));
  fields.compiler = target.compiler;
  fields.triple = target.triple;
  fields.cpu = target.cpu;
  fields.features = target.features;
  fields.options = options;
  if (options.find(vector_math_word) != std::string::npos) fields.options += target.vector_math;
  fields.kernel = name_of(nest);
  fields.text = parts_of(nest, [](const KernelCall& call) { return call.source; });
  for (const ArgShape& arg : nest.args) fields.arguments += words_of(arg);
  for (const KernelCall& call : nest.calls)
    if (nest.calls.size() > 1 || has_vectors(call)) fields.arguments += words_of(call);
  fields.constants = parts_of(nest, constants_in);
  fields.includes = parts_of(nest, includes_in);
  return fields;
}

std::string words_of(const Sanitizers& sanitizers) {
  std::string words;
  if (sanitizers.address) words += "sanitize=address ";
  if (sanitizers.undefined) words += "sanitize=undefined ";
  if (sanitizers.thread) words += "sanitize=thread ";
  return words;
}

std::string words_of(const JitOptions& options) {
  constexpr const char* simd[] = {"", "simd=on ", "simd=off "};
  return words_of(options.sanitizers) + simd[static_cast<int>(options.simd)] +
         (options.vector_math ? vector_math_word : "");
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
