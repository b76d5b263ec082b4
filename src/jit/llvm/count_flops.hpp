// SPDX-License-Identifier: BSD-3-Clause
// How much arithmetic the code of a loop executes, for rooflines.
#pragma once

#include <llvm/IR/PassManager.h>

#include <jit/backend.hpp>

namespace op2::jit {

/// Counts the floating-point operations that one element costs: additions, subtractions,
/// multiplications and divisions as one, fused multiply-adds as two, roots and functions of
/// mathematics as one. Both sides of a branch count, as vector code executes both. To run when
/// calls are inlined and loops over components are unrolled, but loops over elements are not yet.
/// Cost: a pass over the instructions.
class CountFlops : public llvm::PassInfoMixin<CountFlops> {
 public:
  /// @param flops  becomes the number, or `core::unknown_flops`: the kernel has a loop whose length
  /// only
  ///               its execution shows, or a call that is not inlined
  CountFlops(const CompileRequest& request, double& flops) : request_(request), flops_(flops) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);

 private:
  const CompileRequest& request_;
  double& flops_;
};

}  // namespace op2::jit
