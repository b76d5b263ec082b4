// SPDX-License-Identifier: BSD-3-Clause
// The headers that kernels may include. Independent of Clang, so that their fingerprint is
// available without loading it.
#pragma once

#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// Small stand-ins for the headers of the C and C++ libraries (<cmath>, <math.h>, <stdint.h>, ...):
/// kernels see no file of the machine, and parsing them takes no measurable time.
std::vector<IncludedFile> shim_headers();

}  // namespace op2::jit
