// SPDX-License-Identifier: BSD-3-Clause
// The modules of a loop's units as one.
#pragma once

#include <memory>
#include <vector>

#include <llvm/IR/Module.h>

namespace op2::jit {

/// Of what a kernel's module defines, only functions that begin with `call_prefix` are seen by the
/// others: helpers and variables of equal names stay apart.
/// @param modules  of one LLVMContext, that of the loop last
/// @return null if LLVM refuses
std::unique_ptr<llvm::Module> linked(std::vector<std::unique_ptr<llvm::Module>> modules);

}  // namespace op2::jit
