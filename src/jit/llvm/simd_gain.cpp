// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/simd_gain.hpp>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <jit/consistent_names.hpp>
#include <jit/llvm/floating_point.hpp>
#include <jit/math_names.hpp>

namespace op2::jit {
namespace {

/// How long it keeps a unit busy, in additions. Throughput of usual processors (Agner Fog's tables,
/// uops.info): a division takes the time of 4 to 8 additions, a root of 8 to 16. An exponential
/// function or a sine of the C library executes 20 to 40 instructions.
constexpr double division = 5, root = 8, library_function = 20;

double weight_of(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return call->getIntrinsicID() == llvm::Intrinsic::sqrt ? root : 1;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::UDiv:
      return division;
    default:
      return 1;
  }
}

bool is_arithmetic(const llvm::Instruction& instruction) {
  return instruction.isBinaryOp() || instruction.isUnaryOp() || instruction.isCast() ||
         llvm::isa<llvm::CmpInst, llvm::SelectInst, llvm::IntrinsicInst>(instruction);
}

/// Of a vector, what remains of it calls the C library for each element.
bool becomes_calls(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call != nullptr && is_elementary(call->getIntrinsicID());
}

bool is_vector_call(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr) return false;
  const llvm::StringRef name = call->getCalledFunction()->getName();
  return is_vector_mathematics(name) || is_consistent_mathematics(name);
}

/// The first element of a vector needs no instruction.
bool is_first(const llvm::Value* index) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index);
  return constant != nullptr && constant->isZero();
}

void count(const llvm::Instruction& instruction, SimdGain& gain) {
  if (const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction))
    gain.moved += is_first(insert->getOperand(2)) ? 0 : 1;
  else if (const auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction))
    gain.moved += is_first(extract->getIndexOperand()) ? 0 : 1;
  else if (llvm::isa<llvm::ShuffleVectorInst>(instruction))
    gain.moved += 1;
  else if (becomes_calls(instruction))
    gain.moved += 2 * (width_of(*instruction.getType()) - 1);
  else if (is_vector_call(instruction))
    gain.saved += (width_of(*instruction.getType()) - 1) * library_function;
  else if (is_arithmetic(instruction))
    gain.saved += (width_of(*instruction.getType()) - 1) * weight_of(instruction);
}

}  // namespace

SimdGain simd_gain(llvm::Function& blocks) {
  const llvm::DominatorTree dominators(blocks);
  const llvm::LoopInfo loops(dominators);
  SimdGain gain;
  for (const llvm::BasicBlock& block : blocks)
    if (loops.getLoopFor(&block) != nullptr)
      for (const llvm::Instruction& instruction : block) count(instruction, gain);
  return gain;
}

}  // namespace op2::jit
