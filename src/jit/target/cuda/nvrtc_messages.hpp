// SPDX-License-Identifier: BSD-3-Clause
// The messages of NVRTC as diagnostics.
#pragma once

#include <string>
#include <vector>

#include <jit/backend.hpp>

namespace op2::jit {

/// Errors and warnings with their notes, in the order of the log. Files and lines are those of the
/// kernels' sources and of the files that they include; what is not theirs is in `generated_file`.
std::vector<Diagnostic> nvrtc_messages(const std::string& log);

/// The lines that ptxas writes about registers and memory, without times.
std::string ptxas_lines(const std::string& log);

}  // namespace op2::jit
