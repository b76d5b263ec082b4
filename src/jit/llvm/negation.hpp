// SPDX-License-Identifier: BSD-3-Clause
// Rows that differ only in sign are transposed once.
#pragma once

#include <llvm/IR/PassManager.h>

namespace op2::jit {

/// Negates after shuffles instead of before them. What a kernel adds on one side of an edge and
/// subtracts on the other is then the same shuffled vector, which later passes find, and the
/// negation ends in a subtraction.
struct NegateLate : llvm::PassInfoMixin<NegateLate> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace op2::jit
