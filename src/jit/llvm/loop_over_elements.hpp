// SPDX-License-Identifier: BSD-3-Clause
// The loop that must become vector code.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace op2::jit {

/// Whether generated code asks for it by a pragma.
inline bool is_over_elements(const llvm::Loop& loop) {
  return llvm::getBooleanLoopAttribute(&loop, "llvm.loop.vectorize.enable");
}

}  // namespace op2::jit
