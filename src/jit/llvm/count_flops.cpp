// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/count_flops.hpp>

#include <optional>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <jit/llvm/floating_point.hpp>

namespace op2::jit {
namespace {

/// Empty: not known.
using Flops = std::optional<double>;

void add(Flops& sum, Flops more) {
  sum = sum && more ? Flops(*sum + *more) : Flops();
}

bool calls_a_pointer(const llvm::BasicBlock& block) {
  return llvm::any_of(block, [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    return call != nullptr && call->isIndirectCall();
  });
}

double flops_of_intrinsic(llvm::Intrinsic::ID intrinsic) {
  switch (intrinsic) {
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd:
      return 2;
    case llvm::Intrinsic::powi:
    case llvm::Intrinsic::sqrt:
      return 1;
    default:
      return is_elementary(intrinsic) ? 1 : 0;  // 0: fabs, a minimum, a copy
  }
}

Flops flops_of_call(const llvm::CallInst& call) {
  const llvm::Type& type = *call.getType();
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
    return width_of(type) * flops_of_intrinsic(intrinsic->getIntrinsicID());
  if (call.isInlineAsm()) return 0;  // of generated code, which has no instructions
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return {};
  return type.isFPOrFPVectorTy() ? width_of(type) : 0;
}

Flops flops_of(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return flops_of_call(*call);
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem:
      return width_of(*instruction.getType());
    default:
      return 0;
  }
}

/// Of a function of generated code.
class Counter {
 public:
  Counter(llvm::LoopInfo& loops, llvm::ScalarEvolution& lengths)
      : loops_(loops), lengths_(lengths) {}

  /// Of all loops over elements.
  Flops count() {
    Flops sum = 0;
    for (const llvm::Loop* loop : loops_) add(sum, of_elements(*loop));
    return sum;
  }

 private:
  /// Loops over components of globals have constant lengths. Those over pieces of the elements give
  /// the terms of a piece to a function of the library.
  Flops of_elements(const llvm::Loop& loop) {
    if (lengths_.getSmallConstantTripCount(&loop) != 0) return 0;
    bool is_of_pieces = false;
    for (const llvm::BasicBlock* block : loop.blocks())
      is_of_pieces = is_of_pieces || (loops_.getLoopFor(block) == &loop && calls_a_pointer(*block));
    if (!is_of_pieces) return of_iteration(loop);
    Flops sum = 0;
    for (const llvm::Loop* inner : loop) add(sum, of_elements(*inner));
    return sum;
  }

  Flops of_iteration(const llvm::Loop& loop) {
    Flops sum = 0;
    for (const llvm::BasicBlock* block : loop.blocks())
      if (loops_.getLoopFor(block) == &loop)
        for (const llvm::Instruction& instruction : *block) add(sum, flops_of(instruction));
    for (const llvm::Loop* inner : loop) {
      const Flops once = of_iteration(*inner);
      const unsigned length = lengths_.getSmallConstantTripCount(inner);
      const bool is_known = once == 0 || (once && length != 0);
      add(sum, is_known ? Flops(*once * length) : Flops());
    }
    return sum;
  }

  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& lengths_;
};

}  // namespace

llvm::PreservedAnalyses CountFlops::run(llvm::Module& module,
                                        llvm::ModuleAnalysisManager& analyses) {
  auto& of_function =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  const bool is_vector = !request_.blocks.empty();
  Flops sum = 0;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || (is_vector && function.getName() != request_.blocks)) continue;
    Counter counter(of_function.getResult<llvm::LoopAnalysis>(function),
                    of_function.getResult<llvm::ScalarEvolutionAnalysis>(function));
    add(sum, counter.count());
  }
  flops_ = sum ? *sum / (is_vector ? request_.width : 1) : core::unknown_flops;
  return llvm::PreservedAnalyses::all();
}

}  // namespace op2::jit
