// SPDX-License-Identifier: BSD-3-Clause
// What would NVRTC say where the compiler of the host says this?
#pragma once

#include <string>

namespace op2::test::gpu::cuda {

struct Program;

/// `file:line:column: error: text` becomes `file(line): error: text`, followed by the line of the
/// program and a caret if it is in its source; the number of errors ends it. Other lines stay.
/// Empty: empty.
std::string nvrtc_log(const std::string& gcc_log, const Program& program);

}  // namespace op2::test::gpu::cuda
