// SPDX-License-Identifier: BSD-3-Clause
// The half of the plug-in that needs Clang, in a separate library (op2_clang): loading Clang
// takes as long as linking a hundred cached kernels, and a warm start does not need it.
#pragma once

#include <jit/backend.hpp>
#include <jit/llvm/machine.hpp>

namespace op2::jit {

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// As Backend::compile.
  virtual CompileResult compile(const CompileRequest& request) = 0;
};

/// What op2_clang exports as extern "C" `op2_jit_compiler`.
using CompilerFactory = Compiler* (*)(const Machine& machine);

}  // namespace op2::jit
