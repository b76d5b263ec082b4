// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/negation.hpp>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace op2::jit {
namespace {

using llvm::Value;

/// What `value` is the negative of, or null.
Value* negated(Value* value) {
  Value* positive = nullptr;
  return llvm::PatternMatch::match(
             value, llvm::PatternMatch::m_FNeg(llvm::PatternMatch::m_Value(positive)))
             ? positive
             : nullptr;
}

/// Inline assembly without instructions, such as `keep` of the SIMD header.
bool is_barrier(const llvm::CallInst& call) {
  const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  return assembly != nullptr && assembly->getAsmString().empty() && call.arg_size() == 1 &&
         call.getArgOperand(0)->getType() == call.getType() && call.doesNotAccessMemory();
}

/// The instruction for positive operands, if all that it has are negated; else null.
Value* positive_form(llvm::Instruction& instruction, llvm::IRBuilder<>& builder) {
  if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
    Value* first = negated(shuffle->getOperand(0));
    Value* second = llvm::isa<llvm::UndefValue>(shuffle->getOperand(1))
                        ? shuffle->getOperand(1)
                        : negated(shuffle->getOperand(1));
    if (first == nullptr || second == nullptr) return nullptr;
    return builder.CreateShuffleVector(first, second, shuffle->getShuffleMask());
  }
  auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (call == nullptr || !is_barrier(*call)) return nullptr;
  Value* value = negated(call->getArgOperand(0));
  if (value == nullptr) return nullptr;
  llvm::Instruction* copy = builder.Insert(call->clone());
  copy->setOperand(0, value);
  return copy;
}

}  // namespace

llvm::PreservedAnalyses NegateLate::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function)) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
      llvm::IRBuilder<> builder(&instruction);
      Value* positive = positive_form(instruction, builder);
      if (positive == nullptr) continue;
      instruction.replaceAllUsesWith(builder.CreateFNeg(positive));
      instruction.eraseFromParent();
      changed = true;
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace op2::jit
