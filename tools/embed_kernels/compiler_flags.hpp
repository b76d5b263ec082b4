// SPDX-License-Identifier: BSD-3-Clause
// Which of the program's compiler flags decide how its sources are read.
#pragma once

#include <string>
#include <vector>

namespace op2::embed {

/// Those flags that Clang's parser needs. Whatever else GCC or another compiler knows
/// (optimisation, warnings, output) is left out, and OpenMP is read as comments, with its macro
/// defined.
std::vector<std::string> parser_flags(const std::vector<std::string>& flags);

/// The first flag that gives a text another meaning than its source has, e.g. "-fwrapv"; empty:
/// there is none.
std::string flag_beyond_texts(const std::vector<std::string>& given);

}  // namespace op2::embed
