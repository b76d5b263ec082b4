// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/uniform_branches.hpp>

#include <cstddef>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <jit/llvm/loop_over_elements.hpp>

namespace op2::jit {
namespace {

/// A side of a branch that is shorter costs less as a selection.
constexpr std::size_t shortest_side = 12;
constexpr int most_versions = 8;
constexpr std::size_t most_instructions = 20000;

struct Analyses {
  Analyses(llvm::Function& function, llvm::FunctionAnalysisManager& manager)
      : loops(manager.getResult<llvm::LoopAnalysis>(function)),
        dominators(manager.getResult<llvm::DominatorTreeAnalysis>(function)),
        lengths(manager.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        assumptions(manager.getResult<llvm::AssumptionAnalysis>(function)) {}

  llvm::LoopInfo& loops;
  llvm::DominatorTree& dominators;
  llvm::ScalarEvolution& lengths;
  llvm::AssumptionCache& assumptions;
};

/// Instructions that only one successor of a branch leads to.
std::size_t size_of_side(const llvm::BranchInst& branch, unsigned successor, const llvm::Loop& loop,
                         const llvm::DominatorTree& dominators) {
  const llvm::BasicBlockEdge edge(branch.getParent(), branch.getSuccessor(successor));
  std::size_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    if (dominators.dominates(edge, block)) size += block->size();
  return size;
}

/// The condition of a branch for which versions pay; it is then computed before the loop.
llvm::Value* condition_for_versions(llvm::Loop& loop, Analyses& analyses) {
  for (llvm::BasicBlock* block : loop.blocks()) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (branch == nullptr || !branch->isConditional()) continue;
    llvm::Value* condition = branch->getCondition();
    bool changed = false;
    if (llvm::isa<llvm::Constant>(condition) || !loop.contains(branch->getSuccessor(0)) ||
        !loop.contains(branch->getSuccessor(1)))
      continue;
    if (size_of_side(*branch, 0, loop, analyses.dominators) < shortest_side &&
        size_of_side(*branch, 1, loop, analyses.dominators) < shortest_side)
      continue;
    if (loop.makeLoopInvariant(condition, changed, nullptr, nullptr, &analyses.lengths))
      return condition;
  }
  return nullptr;
}

void decide(llvm::Value* condition, const llvm::Loop& loop, bool value) {
  condition->replaceUsesWithIf(
      llvm::ConstantInt::getBool(condition->getContext(), value), [&](const llvm::Use& use) {
        const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
        return user != nullptr && loop.contains(user);
      });
}

/// @return false if the loop has a form that is not handled
bool make_versions(llvm::Loop& loop, llvm::Value* condition, Analyses& analyses) {
  llvm::BasicBlock* const before = loop.getLoopPreheader();
  llvm::BasicBlock* const exit = loop.getUniqueExitBlock();
  if (before == nullptr || exit == nullptr) return false;
  llvm::formLCSSARecursively(loop, analyses.dominators, &analyses.loops, &analyses.lengths);
  llvm::BasicBlock* const entry =
      llvm::SplitBlock(before, before->getTerminator(), &analyses.dominators, &analyses.loops);

  llvm::ValueToValueMapTy copies;
  llvm::SmallVector<llvm::BasicBlock*> blocks;
  llvm::Loop* const other = llvm::cloneLoopWithPreheader(
      exit, before, &loop, copies, ".version", &analyses.loops, &analyses.dominators, blocks);
  llvm::remapInstructionsInBlocks(blocks, copies);
  for (llvm::PHINode& value : exit->phis())
    for (unsigned k = 0, count = value.getNumIncomingValues(); k < count; ++k) {
      const auto copy = copies.find(value.getIncomingValue(k));
      value.addIncoming(copy == copies.end() ? value.getIncomingValue(k) : &*copy->second,
                        llvm::cast<llvm::BasicBlock>(copies[value.getIncomingBlock(k)]));
    }

  llvm::Instruction* const jump = before->getTerminator();
  // The branch may not have been reached: its condition may be undefined.
  auto* const decided = new llvm::FreezeInst(condition, "uniform", jump->getIterator());
  llvm::BranchInst::Create(entry, llvm::cast<llvm::BasicBlock>(copies[entry]), decided,
                           jump->getIterator());
  jump->eraseFromParent();
  decide(condition, loop, true);
  decide(condition, *other, false);
  return true;
}

/// @return whether a loop has got one more version
bool add_version(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
  Analyses analyses(function, manager);
  for (llvm::Loop* loop : analyses.loops.getLoopsInPreorder()) {
    if (!is_over_elements(*loop)) continue;
    std::size_t size = 0;
    for (const llvm::BasicBlock* block : loop->blocks()) size += block->size();
    if (function.getInstructionCount() + size > most_instructions) continue;
    llvm::simplifyLoop(loop, &analyses.dominators, &analyses.loops, &analyses.lengths,
                       &analyses.assumptions, nullptr, false);
    llvm::Value* condition = condition_for_versions(*loop, analyses);
    if (condition != nullptr && make_versions(*loop, condition, analyses)) return true;
  }
  return false;
}

}  // namespace

llvm::PreservedAnalyses VersionsOfLoops::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager simplify;
  simplify.addPass(llvm::SimplifyCFGPass());
  simplify.addPass(llvm::EarlyCSEPass());
  simplify.addPass(llvm::InstCombinePass());
  for (int versions = 1; versions < most_versions; ++versions) {
    if (!add_version(function, analyses)) break;
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
    simplify.run(function, analyses);
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace op2::jit
