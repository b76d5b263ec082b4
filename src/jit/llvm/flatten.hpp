// SPDX-License-Identifier: BSD-3-Clause
// Brings kernels into the form that vector code can be made of: one function without calls, loops
// or local memory.
#pragma once

#include <llvm/IR/PassManager.h>

#include <jit/backend.hpp>

namespace op2::jit {

/// Inlines all functions of the module, except those that call themselves, and replaces loops of
/// constant length by copies of their bodies, so that local arrays that they index become
/// variables. If a loop over the elements of a vector is to become vector code, only loops inside
/// it are replaced: the rest of the module executes few elements. Beyond a budget of instructions
/// the optimiser decides as usual.
void flatten_kernels(llvm::ModulePassManager& passes, const CompileRequest& request);

}  // namespace op2::jit
