// SPDX-License-Identifier: BSD-3-Clause
// Branches of kernels on what is the same for all elements: constants and globals that are read.
#pragma once

#include <llvm/IR/PassManager.h>

namespace op2::jit {

/// Makes one version of a loop over the elements of a vector for each value of a condition that
/// does not depend on the element, so that the vectoriser does not execute both sides of the branch
/// for all. Only where a side has enough instructions, and up to a budget of versions and of
/// instructions.
struct VersionsOfLoops : llvm::PassInfoMixin<VersionsOfLoops> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace op2::jit
