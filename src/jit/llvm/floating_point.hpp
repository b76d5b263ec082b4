// SPDX-License-Identifier: BSD-3-Clause
// What the instructions of optimised code do with floating-point numbers.
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Intrinsics.h>

namespace op2::jit {

/// Elements of a vector that an instruction makes or compares; 1: its type is scalar.
inline double width_of(const llvm::Type& type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  return vector != nullptr ? vector->getNumElements() : 1;
}

/// Elementary functions for which processors have no instructions.
inline bool is_elementary(llvm::Intrinsic::ID intrinsic) {
  switch (intrinsic) {
    case llvm::Intrinsic::cos:
    case llvm::Intrinsic::exp:
    case llvm::Intrinsic::exp10:
    case llvm::Intrinsic::exp2:
    case llvm::Intrinsic::log:
    case llvm::Intrinsic::log10:
    case llvm::Intrinsic::log2:
    case llvm::Intrinsic::pow:
    case llvm::Intrinsic::sin:
    case llvm::Intrinsic::tan:
      return true;
    default:
      return false;
  }
}

}  // namespace op2::jit
