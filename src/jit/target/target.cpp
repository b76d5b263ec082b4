// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/target.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <op2/version.hpp>

#include <jit/target/cpu/emit_simd.hpp>
#include <jit/target/cuda/cuda_rules.hpp>

namespace op2::jit {
namespace {

std::string digest_of(const std::vector<std::string>& units) {
  core::Hasher hasher;
  for (const std::string& unit : units) hasher.field(unit);
  return core::to_hex(hasher.finish()).substr(0, 32);
}

}  // namespace

std::string joined(const std::vector<std::string>& units) {
  return fmt::format("{}", fmt::join(units, "\n"));
}

KeyFields fields_of(const LoopNest& nest, const std::vector<std::string>& units,
                    const Target& target, const std::string& flags) {
  KeyFields fields;
  fields.target = target.name();
  fields.generator = fmt::format("op2 " OP2_VERSION_STRING ", format {}, source {}",
                                 cache_format_version, digest_of(units));
  add_machine(fields, target.info());
  fields.options = target.options() + flags;
  add_nest(fields, nest);
  return fields;
}

void add_machine(KeyFields& fields, const TargetInfo& info) {
  fields.compiler = info.compiler;
  fields.triple = info.triple;
  fields.cpu = info.cpu;
  fields.features = info.features;
}

bool TargetRules::allows_vectors(std::span<const ArgShape> args) const {
  constexpr int vector_bytes = 16;
  return simd_choice({args.begin(), args.end()}, vector_bytes).vectorised();
}

/// A target has a row here.
std::unique_ptr<TargetRules> make_target_rules(const core::Options& options) {
  switch (options.target) {
    case core::Target::cuda:
      return std::make_unique<CudaRules>(options.gpu_increments, options.reproducible);
    case core::Target::cpu:
    case core::Target::reference:
      break;
  }
  return std::make_unique<TargetRules>();
}

}  // namespace op2::jit
