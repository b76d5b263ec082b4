// SPDX-License-Identifier: BSD-3-Clause
// Rewrites of single instructions: make_calls_consistent, LoadBeforeChoice, NegateLate,
// call_libraries.
#include <jit/llvm/passes/passes.hpp>

#include <algorithm>
#include <array>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <jit/llvm/versions.hpp>
#include <jit/math_names.hpp>

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

namespace {

/// What `value` is the negative of, or null.
llvm::Value* negated(llvm::Value* value) {
  llvm::Value* positive = nullptr;
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

constexpr unsigned no_operand = ~0U;

/// The operand of a call that does nothing but move it: a barrier, or between a vector and the
/// register of SVE with it.
unsigned operand_moved_by(const llvm::CallInst& call) {
  if (is_barrier(call)) return 0;
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  if (intrinsic == nullptr) return no_operand;
  if (intrinsic->getIntrinsicID() == llvm::Intrinsic::vector_extract) return 0;
  const bool is_whole = intrinsic->getIntrinsicID() == llvm::Intrinsic::vector_insert &&
                        llvm::isa<llvm::UndefValue>(call.getArgOperand(0));
  return is_whole ? 1 : no_operand;
}

/// The instruction for positive operands, if all that it has are negated; else null.
llvm::Value* positive_form(llvm::Instruction& instruction, llvm::IRBuilder<>& builder) {
  if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
    llvm::Value* first = negated(shuffle->getOperand(0));
    llvm::Value* second = llvm::isa<llvm::UndefValue>(shuffle->getOperand(1))
                              ? shuffle->getOperand(1)
                              : negated(shuffle->getOperand(1));
    if (first == nullptr || second == nullptr) return nullptr;
    return builder.CreateShuffleVector(first, second, shuffle->getShuffleMask());
  }
  auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const unsigned moved = call != nullptr ? operand_moved_by(*call) : no_operand;
  llvm::Value* value = moved != no_operand ? negated(call->getArgOperand(moved)) : nullptr;
  if (value == nullptr) return nullptr;
  llvm::Instruction* copy = builder.Insert(call->clone());
  copy->setOperand(moved, value);
  return copy;
}

}  // namespace

llvm::PreservedAnalyses NegateLate::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function)) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
      llvm::IRBuilder<> builder(&instruction);
      llvm::Value* positive = positive_form(instruction, builder);
      if (positive == nullptr) continue;
      instruction.replaceAllUsesWith(builder.CreateFNeg(positive));
      instruction.eraseFromParent();
      changed = true;
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

namespace {

/// Functions of the C library and of the compiler that are neither exact nor have a variant.
constexpr std::array without_variant{"powi", "sincos", "sincosf"};

/// The name in the C library, without the f of float: "exp" of "expf", of "llvm.exp.v4f32" and of
/// "llvm.experimental.constrained.exp.f64".
llvm::StringRef base_name(const llvm::Function& function) {
  llvm::StringRef name = function.getName();
  if (!name.consume_front("llvm.")) return name;
  name.consume_front("experimental.constrained.");
  return name.split('.').first;
}

const ConsistentFunction* find_variants(const llvm::Function& function) {
  const llvm::StringRef name = base_name(function);
  const auto found = llvm::find_if(consistent_functions, [name](const ConsistentFunction& known) {
    llvm::StringRef rest = name;
    return rest.consume_front(known.name) && (rest.empty() || rest == "f");
  });
  return found == consistent_functions.end() ? nullptr : found;
}

/// The type of the variant for one number, if that is also the type of `function`; else null.
llvm::FunctionType* type_of(const llvm::Function& function, const ConsistentFunction& variants) {
  llvm::FunctionType* type = function.getFunctionType();
  llvm::Type* number = type->getReturnType();
  const bool is_float = function.isIntrinsic()
                            ? number->isFloatTy()
                            : function.getName() != llvm::StringRef(variants.name);
  if (is_float ? !number->isFloatTy() : !number->isDoubleTy()) return nullptr;
  const std::vector<llvm::Type*> parameters(static_cast<std::size_t>(variants.arguments), number);
  return type == llvm::FunctionType::get(number, parameters, false) ? type : nullptr;
}

/// A function of its arguments only, which may be called where its result is not needed.
void declare_pure(llvm::Function& function) {
  function.setDoesNotAccessMemory();
  function.setDoesNotThrow();
  function.setDoesNotFreeMemory();
  function.setWillReturn();
  function.setNoSync();
  function.addFnAttr(llvm::Attribute::NoCallback);
  function.addFnAttr(llvm::Attribute::Speculatable);
}

/// @return false if there is no variant of its type
bool replace_by_variant(llvm::Function& function, const ConsistentFunction& variants) {
  llvm::FunctionType* type = type_of(function, variants);
  if (type == nullptr) return false;
  const std::string name =
      consistent_name(variants, type->getReturnType()->isFloatTy() ? 'f' : 'd');
  auto* variant =
      llvm::cast<llvm::Function>(function.getParent()->getOrInsertFunction(name, type).getCallee());
  declare_pure(*variant);
  function.replaceAllUsesWith(variant);
  function.eraseFromParent();
  return true;
}

/// What may be rounded once, if the processor can do so, is rounded once on all of them.
bool replace_by_fma(llvm::Function& function) {
  if (function.getIntrinsicID() != llvm::Intrinsic::fmuladd) return false;
  function.replaceAllUsesWith(
      intrinsic(*function.getParent(), llvm::Intrinsic::fma, function.getReturnType()));
  function.eraseFromParent();
  return true;
}

}  // namespace

std::vector<std::string> make_calls_consistent(llvm::Module& module) {
  std::vector<std::string> refused;
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration() || function.use_empty() || replace_by_fma(function)) continue;
    const std::string name = base_name(function).str();
    const ConsistentFunction* variants = find_variants(function);
    const bool is_done = variants != nullptr ? replace_by_variant(function, *variants)
                                             : !llvm::is_contained(without_variant, name);
    if (!is_done) refused.push_back(name);
  }
  return refused;
}

namespace {

/// What the library's function takes and returns instead of this type.
llvm::VectorType* type_in_library(const llvm::FixedVectorType& vector, int width) {
  constexpr unsigned bits_of_sve = 128;  // times a factor that only the processor knows
  llvm::Type* number = vector.getElementType();
  if (width > 0) return llvm::FixedVectorType::get(number, static_cast<unsigned>(width));
  return llvm::ScalableVectorType::get(number, bits_of_sve / number->getScalarSizeInBits());
}

/// The call of the library's function for numbers from `first` on.
llvm::Value* call_of(llvm::Function& library, llvm::CallInst& call, int first,
                     llvm::IRBuilder<>& builder) {
  auto* const type = llvm::cast<llvm::VectorType>(library.getReturnType());
  const unsigned width = type->getElementCount().getKnownMinValue();
  std::vector<llvm::Value*> values;
  for (llvm::Value* value : call.args())
    values.push_back(
        type->isScalableTy()
            ? builder.CreateInsertVector(type, llvm::PoisonValue::get(type), value,
                                         builder.getInt64(0))
            : builder.CreateShuffleVector(
                  value, llvm::createSequentialMask(static_cast<unsigned>(first), width, 0)));
  llvm::Value* result = builder.CreateCall(&library, values);
  if (!type->isScalableTy()) return result;
  return builder.CreateExtractVector(call.getType(), result, builder.getInt64(0));
}

void replace_call(llvm::CallInst& call, llvm::Function& library, const VectorFunction& function) {
  llvm::IRBuilder<> builder(&call);
  const int step = function.library_width > 0 ? function.library_width : function.width;
  std::vector<llvm::Value*> results;
  for (int first = 0; first < function.width; first += step)
    results.push_back(call_of(library, call, first, builder));
  call.replaceAllUsesWith(llvm::concatenateVectors(builder, results));
  call.eraseFromParent();
}

}  // namespace

void call_libraries(llvm::Module& module, const std::vector<VectorFunction>& functions) {
  for (const VectorFunction& function : functions) {
    llvm::Function* called = module.getFunction(function.vector);
    if (called == nullptr || function.library_width == function.width) continue;
    auto* type = type_in_library(*llvm::cast<llvm::FixedVectorType>(called->getReturnType()),
                                 function.library_width);
    const std::vector<llvm::Type*> parameters(called->arg_size(), type);
    auto* library = llvm::cast<llvm::Function>(
        module
            .getOrInsertFunction(function.library, llvm::FunctionType::get(type, parameters, false))
            .getCallee());
    declare_pure(*library);
    const auto is_called = [&](const llvm::Constant* value) { return value == called; };
    llvm::removeFromUsedLists(module, is_called);  // where LLVM notes vector variants
    called->removeDeadConstantUsers();
    for (llvm::User* user : llvm::make_early_inc_range(called->users()))
      replace_call(llvm::cast<llvm::CallInst>(*user), *library, function);
    called->eraseFromParent();
  }
}

}  // namespace op2::jit
