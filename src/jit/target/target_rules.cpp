// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/target_rules.hpp>

#include <jit/target/cpu/emit_simd.hpp>
#include <jit/target/cuda/cuda_rules.hpp>

namespace op2::jit {

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
