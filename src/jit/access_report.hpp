// SPDX-License-Identifier: BSD-3-Clause
// Messages about kernels that break an access mode of their loop.
#pragma once

#include <string>
#include <vector>

#include <jit/diagnostics.hpp>
#include <jit/jit.hpp>
#include <op2/error.hpp>

namespace op2::jit {

struct AccessMessage {
  std::string topic;  ///< equal where the same kernel does the same at the same place
  std::string text;   ///< loop, argument, kernel, what it does, where, what to do; the source line
};

/// One for each finding of a call of the nest, without those that do not hold for an argument that
/// may be off.
std::vector<AccessMessage> access_messages(const std::vector<AccessFinding>& findings,
                                           const LoopRequest& request, std::size_t call,
                                           const KernelContext& context);

/// kernel_access, with all messages. @param messages  at least one
Error access_error(const std::vector<AccessMessage>& messages);

}  // namespace op2::jit
