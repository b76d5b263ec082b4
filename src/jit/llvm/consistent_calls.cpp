// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/consistent_calls.hpp>

#include <array>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <jit/consistent_names.hpp>

namespace op2::jit {
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
bool replace(llvm::Function& function, const ConsistentFunction& variants) {
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
bool fuse(llvm::Function& function) {
  if (function.getIntrinsicID() != llvm::Intrinsic::fmuladd) return false;
  function.replaceAllUsesWith(llvm::Intrinsic::getDeclaration(
      function.getParent(), llvm::Intrinsic::fma, {function.getReturnType()}));
  function.eraseFromParent();
  return true;
}

}  // namespace

std::vector<std::string> make_calls_consistent(llvm::Module& module) {
  std::vector<std::string> refused;
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration() || function.use_empty() || fuse(function)) continue;
    const std::string name = base_name(function).str();
    const ConsistentFunction* variants = find_variants(function);
    const bool is_done = variants != nullptr ? replace(function, *variants)
                                             : !llvm::is_contained(without_variant, name);
    if (!is_done) refused.push_back(name);
  }
  return refused;
}

}  // namespace op2::jit
