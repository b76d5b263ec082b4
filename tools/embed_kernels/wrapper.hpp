// SPDX-License-Identifier: BSD-3-Clause
// What the tool writes: the wrapper, a table of loops, and warnings.
#pragma once

#include <string>
#include <vector>

#include "kernels.hpp"

namespace op2::embed {

/// A unit that is compiled instead of the program's unit. It includes that unit and defines a table
/// of its kernels.
/// @param source  absolute path of the program's unit
/// @param table_header  path of op2_embedded.h
std::string wrapper_unit(const std::string& source, const std::string& table_header,
                         const std::vector<EmbeddedKernel>& kernels);

/// One line per loop: name, kernel, location of the kernel, and the size of its source in bytes or
/// the reason why there is none.
std::string loop_table(const Unit& unit, const Loops& loops,
                       const std::vector<EmbeddedKernel>& kernels);

/// A warning for each kernel without source, once.
std::vector<jit::Diagnostic> missing_sources(const Unit& unit, const Loops& loops,
                                             const std::vector<EmbeddedKernel>& kernels);

}  // namespace op2::embed
