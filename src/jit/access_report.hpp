// SPDX-License-Identifier: BSD-3-Clause
// Messages about kernels that break an access mode of their loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jit/diagnostics.hpp>
#include <jit/jit.hpp>
#include <op2/error.hpp>

namespace op2::jit {

struct AccessMessage {
  bool is_error = false;  ///< also without OP2_CHECK=access
  bool is_known = false;  ///< whoever plans the loop says it, from what the source proves
  std::string topic;      ///< equal for equal findings at the same place of a kernel
  std::string text;  ///< loop, argument, kernel, what it does, where, what to do; the source line
};

/// One message per finding of a call of the nest, without those that do not apply to an argument
/// that may be off.
std::vector<AccessMessage> access_messages(const std::vector<AccessFinding>& findings,
                                           const LoopRequest& request, std::size_t call,
                                           const KernelContext& context);

/// The error kernel_access with those messages that are errors.
/// @param messages  at least one
/// @param all       because of OP2_CHECK=access
/// @return          nothing if none is an error
std::optional<Error> access_error(const std::vector<AccessMessage>& messages, bool all);

}  // namespace op2::jit
