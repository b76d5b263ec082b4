// SPDX-License-Identifier: BSD-3-Clause
// Kernels in the form that vector code can be made of: flatten_kernels, FindTraps, PrepareBranches.
#include <jit/llvm/passes/passes.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

namespace op2::jit {
namespace {

/// Whether it is the loop that must become vector code: generated code asks for it by a pragma.
bool is_over_elements(const llvm::Loop& loop) {
  return llvm::getBooleanLoopAttribute(&loop, "llvm.loop.vectorize.enable");
}

std::size_t size_of(const llvm::Loop& loop) {
  std::size_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) size += block->size();
  return size;
}

/// Budgets of instructions, counted before anything is optimised: of a kernel with all that it
/// calls, and of the copies of a loop's body. A hexahedron with its local matrix, eight points and
/// loops written out needs 24 000 and is compiled in a second.
constexpr std::size_t most_inlined = 40000, most_unrolled = 40000;

/// A larger variable does not become registers. Setting it would be one store for each of its
/// numbers.
constexpr std::size_t most_bytes_of_variable = 2048;

/// Longer loops are not over components, shape functions or points.
constexpr std::size_t longest_loop = 128;

/// The size of functions with everything that they call.
class InlinedSizes {
 public:
  /// Nothing of functions that call themselves: they stay as they are.
  std::size_t size_of(llvm::Function& function) {
    const auto [known, is_new] = sizes_.try_emplace(&function, 0);
    if (!is_new) return known->second;
    running_.insert(&function);
    std::size_t size = function.getInstructionCount();
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee == nullptr || callee->isDeclaration()) continue;
      if (running_.contains(callee)) recursive_.insert(callee);
      size += size_of(*callee);
    }
    running_.erase(&function);
    return sizes_[&function] = size;
  }
  bool is_recursive(llvm::Function& function) const { return recursive_.contains(&function); }

 private:
  std::map<llvm::Function*, std::size_t> sizes_;
  std::set<llvm::Function*> running_, recursive_;
};

/// Requests that all functions are inlined for which the budget suffices.
struct InlineAll : llvm::PassInfoMixin<InlineAll> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    InlinedSizes sizes;
    std::size_t largest = 0;
    for (llvm::Function& function : module)
      if (!function.isDeclaration()) largest = std::max(largest, sizes.size_of(function));
    if (largest > most_inlined) return llvm::PreservedAnalyses::all();
    for (llvm::Function& function : module) {
      const bool may_be = !function.isDeclaration() && function.hasLocalLinkage() &&
                          !function.hasFnAttribute(llvm::Attribute::NoInline) &&
                          !sizes.is_recursive(function);
      if (may_be) function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
    return llvm::PreservedAnalyses::none();
  }
};

/// Sets a variable to zero where its life begins. The optimiser drops the marks of lives; then a
/// variable that is set on some paths only would have the value of the element before, and the loop
/// over elements could not become vector code. (That it has no value there, which would be enough,
/// is dropped, too.)
void forget_old_values(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* begin = llvm::dyn_cast<llvm::LifetimeIntrinsic>(&instruction);
    if (begin == nullptr || begin->getIntrinsicID() != llvm::Intrinsic::lifetime_start) continue;
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(begin->getArgOperand(begin->arg_size() - 1));
    const auto size = variable != nullptr
                          ? variable->getAllocationSize(function.getParent()->getDataLayout())
                          : std::nullopt;
    if (size && !size->isScalable() && size->getFixedValue() <= most_bytes_of_variable)
      llvm::IRBuilder<>(begin->getNextNode())
          .CreateStore(llvm::Constant::getNullValue(variable->getAllocatedType()), variable);
  }
}

/// Whether it is in a kernel: inside the loop that must become vector code or, without one, inside
/// any. Loops around kernels are arranged for the optimiser, which decides about branches in them
/// before it unrolls them.
bool is_of_kernel(const llvm::Loop& loop, bool has_vectors) {
  const llvm::Loop* around = loop.getParentLoop();
  while (has_vectors && around != nullptr && !is_over_elements(*around))
    around = around->getParentLoop();
  return around != nullptr;
}

/// Replaces a loop of constant length in a kernel by copies of its body.
struct UnrollKernelLoop : llvm::PassInfoMixin<UnrollKernelLoop> {
  bool has_vectors;
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& manager,
                              llvm::LoopStandardAnalysisResults& analyses,
                              llvm::LPMUpdater& updater) {
    if (!is_of_kernel(loop, has_vectors)) return llvm::PreservedAnalyses::all();
    const std::size_t length = analyses.SE.getSmallConstantTripCount(&loop);
    const bool is_short =
        length > 0 && length <= longest_loop && length * size_of(loop) <= most_unrolled;
    if (is_short && llvm::hasUnrollTransformation(&loop) == llvm::TM_Unspecified)
      llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.full");
    return llvm::LoopFullUnrollPass().run(loop, manager, analyses, updater);
  }
};

/// Moves no operation to where the source does not execute it.
void simplify(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().speculateBlocks(false)));
}

/// Of one function or, without a name, of all.
class UnrollAll : public llvm::PassInfoMixin<UnrollAll> {
 public:
  explicit UnrollAll(const std::string& name) : name_(name) {
    simplify(passes_);
    llvm::LoopPassManager rotate, unroll;
    rotate.addPass(llvm::LoopRotatePass());
    unroll.addPass(llvm::IndVarSimplifyPass());
    unroll.addPass(UnrollKernelLoop{{}, !name.empty()});
    passes_.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(rotate)));
    passes_.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(unroll)));
    simplify(passes_);
  }
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    if (!name_.empty() && function.getName() != name_) return llvm::PreservedAnalyses::all();
    if (!name_.empty()) forget_old_values(function);
    return passes_.run(function, analyses);
  }

 private:
  const std::string& name_;
  llvm::FunctionPassManager passes_;
};

}  // namespace

void flatten_kernels(llvm::ModulePassManager& passes, const CompileRequest& request) {
  passes.addPass(InlineAll());
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(UnrollAll(request.blocks)));
}

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
  llvm::IRBuilder<> builder(jump);
  llvm::Value* const decided = builder.CreateFreeze(condition, "uniform");
  builder.CreateCondBr(decided, entry, llvm::cast<llvm::BasicBlock>(copies[entry]));
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
    if (function.getInstructionCount() + size_of(*loop) > most_instructions) continue;
    llvm::simplifyLoop(loop, &analyses.dominators, &analyses.loops, &analyses.lengths,
                       &analyses.assumptions, nullptr, false);
    llvm::Value* condition = condition_for_versions(*loop, analyses);
    if (condition != nullptr && make_versions(*loop, condition, analyses)) return true;
  }
  return false;
}

}  // namespace

llvm::PreservedAnalyses PrepareBranches::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager& analyses) {
  if (function.getName() != blocks) return llvm::PreservedAnalyses::all();
  analyses.invalidate(function, llvm::LowerSwitchPass().run(function, analyses));
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
  llvm::Function* const function = module.getFunction(blocks);
  if (function == nullptr) return llvm::PreservedAnalyses::all();
  auto& of_function =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  const auto& dominators = of_function.getResult<llvm::DominatorTreeAnalysis>(*function);
  for (const llvm::Loop* loop :
       of_function.getResult<llvm::LoopAnalysis>(*function).getLoopsInPreorder())
    if (is_over_elements(*loop) && computes_on_some_paths(*loop, dominators)) found = true;
  return llvm::PreservedAnalyses::all();
}

}  // namespace op2::jit
