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
  if (arg.members != 1) words += fmt::format(" vector of {}", arg.members);
  return words + (arg.active ? "\n" : " off\n");
}

std::string words_of(const ConstantShape& constant) {
  if (constant.variable != nullptr) return fmt::format("variable {}\n", constant.declaration);
  return fmt::format("{} {}[{}]\n", core::name_of(constant.type), constant.name, constant.dim);
}

}  // namespace

KeyFields fields_of(const LoopShape& shape, const std::string& source, const TargetInfo& target,
                    const std::string& options) {
  KeyFields fields;
  const core::Digest digest = core::Hasher().field(source).finish();
  fields.generator = fmt::format("op2 " OP2_VERSION ", format {}, cpu, source {}",
                                 cache_format_version, core::to_hex(digest).substr(0, 32));
  fields.compiler = target.compiler;
  fields.triple = target.triple;
  fields.cpu = target.cpu;
  fields.features = target.features;
  fields.options = options;
  if (options.find(vector_math_word) != std::string::npos) fields.options += target.vector_math;
  fields.kernel = shape.kernel;
  fields.text = shape.text;
  for (const ArgShape& arg : shape.args) fields.arguments += words_of(arg);
  for (const ConstantShape& constant : shape.constants) fields.constants += words_of(constant);
  for (const IncludedFile& file : shape.includes) {
    fields.includes += fmt::format("{} {}\n{}\n", file.name, file.text.size(), file.text);
  }
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

std::vector<ConstantShape> constants_in(const KeyFields& fields,
                                        std::span<const Constant> declared) {
  const std::string lines = "\n" + fields.constants;
  std::vector<ConstantShape> constants;
  for (const Constant& constant : declared) {
    if (constant.variable != nullptr) continue;
    ConstantShape shape = shape_of(constant);
    if (lines.find(fmt::format("\n{}", words_of(shape))) != std::string::npos)
      constants.push_back(std::move(shape));
  }
  std::sort(constants.begin(), constants.end());
  return constants;
}

}  // namespace op2::jit
