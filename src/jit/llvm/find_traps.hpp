// SPDX-License-Identifier: BSD-3-Clause
// Programs with floating-point traps: what vector code computes for elements that do not.
#pragma once

#include <string>

#include <llvm/IR/PassManager.h>

namespace op2::jit {

/// Finds floating-point operations that a loop over the elements of a vector executes on some paths
/// only, where the vectoriser and the optimiser would execute them on all. To be run before both,
/// when helpers are inlined and loops of constant length are replaced.
class FindTraps : public llvm::PassInfoMixin<FindTraps> {
 public:
  /// @param blocks  the function with the loop over the elements of a vector
  /// @param found   set to true; as long-lived as the pass
  FindTraps(const std::string& blocks, bool& found) : blocks_(blocks), found_(found) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);

 private:
  const std::string& blocks_;
  bool& found_;
};

}  // namespace op2::jit
