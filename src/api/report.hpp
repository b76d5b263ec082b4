// SPDX-License-Identifier: BSD-3-Clause
// What the library tells about a session.
#pragma once

#include <api/runtime.hpp>

namespace op2::api {

/// Writes the per-loop table to the file that OP2_TIMING names, if it does.
/// @throws Error io_failure
void write_timing(const Runtime& runtime);

/// The same for OP2_TRACE.
void write_trace(const Runtime& runtime);

}  // namespace op2::api
