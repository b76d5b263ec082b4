// SPDX-License-Identifier: BSD-3-Clause
// The headers that kernels may include when they are compiled for a GPU.
#pragma once

#include <string>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// The same names as for a CPU, over what NVRTC knows without headers, and the library of generated
/// code. Those that only define macros may be included again after the macros were undefined.
const std::vector<IncludedFile>& device_headers();

/// The functions of <cmath> with this name, defined once more, for a namespace; empty if there are
/// none.
std::string overloads_of(const std::string& name);

/// For the key of code: "headers" and a hash of all of them.
std::string features_of_headers();

/// One of them, which undefines the macros of all others.
inline constexpr const char* undefining_header = "op2_undefine";

}  // namespace op2::jit
