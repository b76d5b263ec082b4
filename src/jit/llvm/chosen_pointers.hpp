// SPDX-License-Identifier: BSD-3-Clause
// Kernels that choose between pointers, such as `a ? std::max(b, c) : std::min(b, d)`.
#pragma once

#include <llvm/IR/PassManager.h>

namespace op2::jit {

/// Loads through a pointer that depends on the way to a block become loads at the ends of the
/// blocks before it, each through the pointer of that way. Only where the load follows on every
/// way and nothing writes memory in between, so that no load is added. Local variables that were
/// in memory because of such a pointer then end up in registers, and loops that were not vectorised
/// because of that memory are.
struct LoadBeforeChoice : llvm::PassInfoMixin<LoadBeforeChoice> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace op2::jit
