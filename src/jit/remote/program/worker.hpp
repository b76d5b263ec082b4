// SPDX-License-Identifier: BSD-3-Clause
// A process that compiles one kernel after the other.
#pragma once

#include <jit/backend.hpp>
#include <jit/remote/compile_limit.hpp>
#include <jit/remote/messages.hpp>

namespace op2::jit {

/// Answers requests until the program closes its end of `socket`, the compiler fails, or a kernel
/// costs more than the limit.
void serve(const FileDescriptor& socket, Backend& backend, const CompileLimit& limit);

}  // namespace op2::jit
