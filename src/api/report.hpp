// SPDX-License-Identifier: BSD-3-Clause
// What the library tells about a session.
#pragma once

#include <api/runtime.hpp>

namespace op2::api {

/// Writes the files that OP2_TIMING and OP2_TRACE name.
/// @throws Error io_failure
void write_reports(const Runtime& runtime);

}  // namespace op2::api
