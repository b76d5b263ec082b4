// SPDX-License-Identifier: BSD-3-Clause
// Text of a kernel to an object, with Clang inside the process.
#pragma once

#include <jit/backend.hpp>
#include <jit/llvm/machine.hpp>

namespace op2::jit {

/// As Backend::compile; a failure of LLVM itself may leave it by a long jump or a signal.
CompileResult compile_text(const Machine& machine, const CompileRequest& request);

}  // namespace op2::jit
