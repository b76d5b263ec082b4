// SPDX-License-Identifier: BSD-3-Clause
// Exceptions while code is made, as outcomes of loops.
#pragma once

#include <jit/jit.hpp>
#include <jit/loop_request.hpp>

namespace op2::jit {

/// The exception that is being handled, as the outcome of a loop.
Built caught(const LoopRequest& request);

}  // namespace op2::jit
