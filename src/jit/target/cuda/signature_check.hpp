// SPDX-License-Identifier: BSD-3-Clause
// From failed comparisons in generated code to what is wrong with a kernel's parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <jit/loop_nest.hpp>
#include <jit/signature.hpp>

namespace op2::jit {

struct KernelFault {
  std::int32_t call = 0;
  SignatureFault fault;
};

/// @param messages  of the compiler, about the text of the nest
/// @return          nothing if none is about the kernels' parameters, or if another error is in a
///                  kernel's source
std::optional<KernelFault> kernel_fault(const LoopNest& nest,
                                        const std::vector<Diagnostic>& messages);

/// The parameters of a kernel as written, as far as they are found.
std::string signature_of(const KernelCall& kernel);

}  // namespace op2::jit
