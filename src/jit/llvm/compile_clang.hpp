// SPDX-License-Identifier: BSD-3-Clause
// Sources of kernels to an object, with Clang inside the process.
#pragma once

#include <cstdint>

#include <jit/backend.hpp>
#include <jit/llvm/machine.hpp>
#include <jit/llvm/parsed_kernels.hpp>

namespace op2::jit {

/// As Backend::compile; a failure of LLVM itself may leave it by a long jump or a signal.
/// @param unit  set to the unit that is being worked on, for the case that this never returns
CompileResult compile_loop(const Machine& machine, ParsedKernels& kernels,
                           const CompileRequest& request, std::int32_t& unit);

}  // namespace op2::jit
