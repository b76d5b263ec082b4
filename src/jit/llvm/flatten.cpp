// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/flatten.hpp>

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
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <jit/llvm/loop_over_elements.hpp>

namespace op2::jit {
namespace {

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
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(begin->getArgOperand(1));
    const auto size =
        variable != nullptr ? variable->getAllocationSize(function.getDataLayout()) : std::nullopt;
    if (size && !size->isScalable() && size->getFixedValue() <= most_bytes_of_variable)
      new llvm::StoreInst(llvm::Constant::getNullValue(variable->getAllocatedType()), variable,
                          std::next(begin->getIterator()));
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
class UnrollKernelLoop : public llvm::PassInfoMixin<UnrollKernelLoop> {
 public:
  explicit UnrollKernelLoop(bool has_vectors) : has_vectors_(has_vectors) {}

  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& manager,
                              llvm::LoopStandardAnalysisResults& analyses,
                              llvm::LPMUpdater& updater) {
    if (!is_of_kernel(loop, has_vectors_)) return llvm::PreservedAnalyses::all();
    const std::size_t length = analyses.SE.getSmallConstantTripCount(&loop);
    std::size_t size = 0;
    for (const llvm::BasicBlock* block : loop.blocks()) size += block->size();
    const bool is_short = length > 0 && length <= longest_loop && length * size <= most_unrolled;
    if (is_short && llvm::hasUnrollTransformation(&loop) == llvm::TM_Unspecified)
      llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.full");
    return llvm::LoopFullUnrollPass().run(loop, manager, analyses, updater);
  }

 private:
  bool has_vectors_;
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
    unroll.addPass(UnrollKernelLoop(!name.empty()));
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

}  // namespace op2::jit
