// SPDX-License-Identifier: BSD-3-Clause
// Why optimised code of a loop is not to be used as vectorised code.
#pragma once

#include <string>

#include <jit/backend.hpp>

namespace llvm {
class Module;
}

namespace op2::jit {

/// Functions, other than of mathematics, that the loop calls: each lane would wait for the others.
SimdChoice calls_in(const llvm::Module& module, const CompileRequest& request);

/// Whether vector code is not profitable in the function.
SimdChoice loss_in(llvm::Module& module, const std::string& function);

}  // namespace op2::jit
