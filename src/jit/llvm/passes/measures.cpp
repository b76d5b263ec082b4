// SPDX-License-Identifier: BSD-3-Clause
// What the code of a loop computes, and whether vector code pays: CountFlops, calls_in, loss_in.
#include <jit/llvm/passes/passes.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <jit/llvm/machine.hpp>
#include <jit/math_names.hpp>

namespace op2::jit {
namespace {

/// Elements of a vector that an instruction makes or compares; 1: its type is scalar.
double width_of(const llvm::Type& type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  return vector != nullptr ? vector->getNumElements() : 1;
}

/// Elementary functions for which processors have no instructions.
bool is_elementary(llvm::Intrinsic::ID intrinsic) {
  constexpr llvm::StringLiteral names[] = {// some only in newer versions of LLVM
                                           "acos", "asin",  "atan", "atan2", "cos",   "cosh",
                                           "exp",  "exp10", "exp2", "log",   "log10", "log2",
                                           "pow",  "sin",   "sinh", "tan",   "tanh"};
  llvm::StringRef name = llvm::Intrinsic::getBaseName(intrinsic);
  return name.consume_front("llvm.") && llvm::is_contained(names, name);
}

/// Empty: not known.
using Flops = std::optional<double>;

void add_flops(Flops& sum, Flops more) {
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
    for (const llvm::Loop* loop : loops_) add_flops(sum, of_elements(*loop));
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
    for (const llvm::Loop* inner : loop) add_flops(sum, of_elements(*inner));
    return sum;
  }

  Flops of_iteration(const llvm::Loop& loop) {
    Flops sum = 0;
    for (const llvm::BasicBlock* block : loop.blocks())
      if (loops_.getLoopFor(block) == &loop)
        for (const llvm::Instruction& instruction : *block) add_flops(sum, flops_of(instruction));
    for (const llvm::Loop* inner : loop) {
      const Flops once = of_iteration(*inner);
      const unsigned length = lengths_.getSmallConstantTripCount(inner);
      const bool is_known = once == 0 || (once && length != 0);
      add_flops(sum, is_known ? Flops(*once * length) : Flops());
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
  const bool is_vector = !request.blocks.empty();
  Flops sum = 0;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || (is_vector && function.getName() != request.blocks)) continue;
    Counter counter(of_function.getResult<llvm::LoopAnalysis>(function),
                    of_function.getResult<llvm::ScalarEvolutionAnalysis>(function));
    add_flops(sum, counter.count());
  }
  flops = sum ? *sum / (is_vector ? request.width : 1) : core::unknown_flops;
  return llvm::PreservedAnalyses::all();
}

namespace {

/// What the loops of a vectorised function save and what they cost, in instructions, roughly.
struct SimdGain {
  double saved = 0;  ///< arithmetic that one element after the other would need more
  double moved = 0;  ///< between rows of elements and vectors: shuffles, insertions, extractions
};

/// What vectors cost and save. How long an element less keeps a unit busy, in additions. Throughput
/// of usual processors (Agner Fog's tables, uops.info): a division takes the time of 4 to 8
/// additions, a root of 8 to 16. An exponential function or a sine of the C library executes 20 to
/// 40 instructions.
struct Weights {
  double division = 5, root = 8, library_function = 20;
  unsigned register_bits = 1U << 20;  ///< a longer vector is several registers; this: never
};

/// Arm's processors execute a division or a root of a vector one element after another (its guides
/// for Neoverse), so that little is saved.
Weights weights_for(const TargetInfo& target) {
  if (!is_arm(target)) return {};
  constexpr unsigned bits_of_neon = 128;
  return {.division = 1,
          .root = 1,
          .register_bits = has_fixed_sve(target) ? 8U * static_cast<unsigned>(target.vector_bytes)
                                                 : bits_of_neon};
}

/// Elements of the type in one register.
int per_register(const llvm::Type& type, const Weights& weights) {
  const unsigned bits = std::max(type.getScalarSizeInBits(), 1U);
  return static_cast<int>(weights.register_bits / bits);
}

/// Instructions that a vector saves: one for each element but for those of its registers.
double saved_of(const llvm::Type& type, const Weights& weights) {
  return width_of(type) - std::ceil(width_of(type) / per_register(type, weights));
}

/// Registers of the result that are not those of an operand.
double moves_of(const llvm::ShuffleVectorInst& shuffle, const Weights& weights) {
  const llvm::ArrayRef<int> mask = shuffle.getShuffleMask();
  const int most = per_register(*shuffle.getType(), weights);
  if (std::max(width_of(*shuffle.getType()), width_of(*shuffle.getOperand(0)->getType())) <= most)
    return 1;
  double moves = 0;
  for (auto rest = mask; !rest.empty();) {
    const auto part = rest.take_front(static_cast<std::size_t>(most));
    bool is_whole = part[0] % most == 0;
    for (std::size_t k = 1; k < part.size(); ++k) is_whole = is_whole && part[k] == part[k - 1] + 1;
    moves += is_whole ? 0 : 1;
    rest = rest.drop_front(part.size());
  }
  return moves;
}

double weight_of(const llvm::Instruction& instruction, const Weights& weights) {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return call->getIntrinsicID() == llvm::Intrinsic::sqrt ? weights.root : 1;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::UDiv:
      return weights.division;
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

/// The first element of a register needs no instruction.
double moves_of_element(const llvm::Type& type, const llvm::Value* index, const Weights& weights) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index);
  const auto in_register = static_cast<std::uint64_t>(per_register(type, weights));
  return constant != nullptr && constant->getZExtValue() % in_register == 0 ? 0 : 1;
}

void add_gain(const llvm::Instruction& instruction, const Weights& weights, SimdGain& gain) {
  const llvm::Type& type = *instruction.getType();
  if (const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction))
    gain.moved += moves_of_element(type, insert->getOperand(2), weights);
  else if (const auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction))
    gain.moved += moves_of_element(type, extract->getIndexOperand(), weights);
  else if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction))
    gain.moved += moves_of(*shuffle, weights);
  else if (becomes_calls(instruction))
    gain.moved += 2 * (width_of(type) - 1);
  else if (is_vector_call(instruction))
    gain.saved += saved_of(type, weights) * weights.library_function;
  else if (is_arithmetic(instruction))
    gain.saved += saved_of(type, weights) * weight_of(instruction, weights);
}

/// What the optimiser, or a sanitizer, has put there itself.
bool is_made_by_passes(llvm::StringRef name) {
  return name.starts_with("mem") || name.starts_with("__asan_") || name.starts_with("__tsan_");
}

/// The name of a function in C++, with its scope but without parameters.
std::string demangled_name(const std::string& symbol) {
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(symbol.c_str()) || !demangler.isFunction()) return symbol;
  const std::unique_ptr<char, decltype(&std::free)> name(
      demangler.getFunctionName(nullptr, nullptr), &std::free);
  return name.get();
}

/// Whether it is a kernel, or generated code around one.
bool is_kernel_itself(const std::string& symbol, const CompileRequest& request) {
  return symbol.find("op2_") != std::string::npos ||
         std::ranges::any_of(request.units, [&](const CompileUnit& unit) {
           return !unit.kernel.empty() && demangled_name(symbol) == unit.kernel;
         });
}

bool may_be_vectorised(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  return function.isIntrinsic() || is_mathematical(name) || is_vector_mathematics(name) ||
         is_consistent_mathematics(name) || is_made_by_passes(name);
}

}  // namespace

SimdChoice calls_in(const llvm::Module& module, const CompileRequest& request) {
  std::set<std::string> names;
  bool is_outlined = false;
  if (const auto* blocks = module.getFunction(request.blocks))
    for (const auto& instruction : llvm::instructions(*blocks)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const auto* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee == nullptr || may_be_vectorised(*callee)) continue;
      const std::string symbol = callee->getName().str();
      if (is_kernel_itself(symbol, request))
        is_outlined = true;
      else
        names.insert(demangled_name(symbol));
    }
  if (!names.empty())
    return {.reason = ScalarReason::calls, .detail = fmt::format("{}", fmt::join(names, ", "))};
  return {.reason = is_outlined ? ScalarReason::not_inlined : ScalarReason::none};
}

SimdChoice loss_in(llvm::Module& module, const std::string& function, const TargetInfo& target) {
  llvm::Function* blocks = module.getFunction(function);
  if (blocks == nullptr) return {};
  const llvm::DominatorTree dominators(*blocks);
  const llvm::LoopInfo loops(dominators);
  const Weights weights = weights_for(target);
  SimdGain gain;
  for (const llvm::BasicBlock& block : *blocks)
    if (loops.getLoopFor(&block) != nullptr)
      for (const llvm::Instruction& instruction : block) add_gain(instruction, weights, gain);
  if (gain.saved >= gain.moved) return {};
  return {.reason = ScalarReason::not_profitable,
          .amount = std::llround(gain.moved),
          .limit = std::llround(gain.saved)};
}

}  // namespace op2::jit
