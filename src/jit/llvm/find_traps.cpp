// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/find_traps.hpp>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <jit/llvm/loop_over_elements.hpp>

namespace op2::jit {
namespace {

/// Comparisons, conversions and calls count, too: of NaN, of numbers out of range.
bool may_trap(const llvm::Instruction& instruction) {
  const auto is_number = [](const llvm::Value* value) {
    return value->getType()->isFPOrFPVectorTy();
  };
  const bool moves = llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::LoadInst, llvm::StoreInst,
                               llvm::ReturnInst, llvm::FreezeInst, llvm::BitCastInst>(instruction);
  return !moves && (is_number(&instruction) || llvm::any_of(instruction.operands(), is_number));
}

/// Whether an iteration may leave such an operation out.
bool computes_on_some_paths(const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
  const llvm::BasicBlock* const end = loop.getLoopLatch();
  return llvm::any_of(loop.blocks(), [&](const llvm::BasicBlock* block) {
    const bool is_always = end != nullptr && dominators.dominates(block, end);
    return !is_always && llvm::any_of(*block, may_trap);
  });
}

}  // namespace

llvm::PreservedAnalyses FindTraps::run(llvm::Module& module,
                                       llvm::ModuleAnalysisManager& analyses) {
  llvm::Function* const blocks = module.getFunction(blocks_);
  if (blocks == nullptr) return llvm::PreservedAnalyses::all();
  auto& of_function =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  const auto& dominators = of_function.getResult<llvm::DominatorTreeAnalysis>(*blocks);
  for (const llvm::Loop* loop :
       of_function.getResult<llvm::LoopAnalysis>(*blocks).getLoopsInPreorder())
    if (is_over_elements(*loop) && computes_on_some_paths(*loop, dominators)) found_ = true;
  return llvm::PreservedAnalyses::all();
}

}  // namespace op2::jit
