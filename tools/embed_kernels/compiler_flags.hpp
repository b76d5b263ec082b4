// SPDX-License-Identifier: BSD-3-Clause
// Which of the program's compiler flags affect parsing.
#pragma once

#include <string>
#include <vector>

namespace op2::embed {

/// The flags that Clang's parser needs. Other flags of GCC or another compiler (optimisation,
/// warnings, output) are dropped. OpenMP directives are ignored, but _OPENMP is defined.
std::vector<std::string> parser_flags(const std::vector<std::string>& flags);

/// The first flag that changes the meaning of kernels and is not applied at run time, e.g.
/// "-fwrapv"; empty: none.
std::string unsupported_flag(const std::vector<std::string>& given);

}  // namespace op2::embed
