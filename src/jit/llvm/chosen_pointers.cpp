// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/chosen_pointers.hpp>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Scalar/SROA.h>

namespace op2::jit {
namespace {

/// Whether every way into the block of `pointer` leads nowhere else, and no pointer is chosen
/// between others in a cycle.
bool is_only_way(const llvm::PHINode& pointer) {
  return llvm::all_of(pointer.blocks(), [&](const llvm::BasicBlock* before) {
    return before->getSingleSuccessor() == pointer.getParent() && before != pointer.getParent();
  });
}

bool writes_before(const llvm::LoadInst& load) {
  return std::any_of(load.getParent()->begin(), load.getIterator(),
                     [](const auto& instruction) { return instruction.mayHaveSideEffects(); });
}

/// The pointer that `load` should be moved before, or null.
llvm::PHINode* choice_of(llvm::LoadInst& load) {
  auto* pointer = llvm::dyn_cast<llvm::PHINode>(load.getPointerOperand());
  const bool fits = pointer != nullptr && load.isSimple() &&
                    pointer->getParent() == load.getParent() && is_only_way(*pointer);
  return fits && !writes_before(load) ? pointer : nullptr;
}

void move_before(llvm::LoadInst& load, llvm::PHINode& pointer) {
  llvm::IRBuilder<> builder(&pointer);
  llvm::PHINode* value = builder.CreatePHI(load.getType(), pointer.getNumIncomingValues());
  for (unsigned k = 0; k < pointer.getNumIncomingValues(); ++k) {
    llvm::BasicBlock* before = pointer.getIncomingBlock(k);
    builder.SetInsertPoint(before->getTerminator());
    value->addIncoming(
        builder.CreateAlignedLoad(load.getType(), pointer.getIncomingValue(k), load.getAlign()),
        before);
  }
  load.replaceAllUsesWith(value);
  load.eraseFromParent();
  if (pointer.use_empty()) pointer.eraseFromParent();
}

/// @return whether a load was moved
bool move_loads(llvm::Function& function) {
  bool changed = false;
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      llvm::PHINode* pointer = load != nullptr ? choice_of(*load) : nullptr;
      if (pointer == nullptr) continue;
      move_before(*load, *pointer);
      changed = true;
    }
  return changed;
}

}  // namespace

llvm::PreservedAnalyses LoadBeforeChoice::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager& analyses) {
  constexpr int most_rounds = 8;  // choices between results of choices
  int rounds = 0;
  while (rounds < most_rounds && move_loads(function)) ++rounds;
  if (rounds == 0) return llvm::PreservedAnalyses::all();
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::SROAPass(llvm::SROAOptions::ModifyCFG).run(function, analyses);
  return llvm::PreservedAnalyses::none();
}

}  // namespace op2::jit
