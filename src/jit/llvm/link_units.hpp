// SPDX-License-Identifier: BSD-3-Clause
// Links the modules of a loop's units into one.
#pragma once

#include <memory>
#include <vector>

#include <llvm/IR/Module.h>

namespace op2::jit {

/// Of a kernel's module only the function `call_name` is visible to the others, so helpers and
/// variables of equal names do not clash.
/// @param modules  of one LLVMContext, that of the loop last
/// @return null if LLVM refuses
std::unique_ptr<llvm::Module> linked(std::vector<std::unique_ptr<llvm::Module>> modules);

}  // namespace op2::jit
