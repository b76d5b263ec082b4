// SPDX-License-Identifier: BSD-3-Clause
// The table of loops and the warnings of a unit.
#pragma once

#include <string>
#include <vector>

#include "kernels.hpp"

namespace op2::embed {

/// One line per loop: name, kernel, location of the kernel, and the size of its source in bytes or
/// the reason why there is none.
std::string loop_table(const Unit& unit, const Loops& loops,
                       const std::vector<EmbeddedKernel>& kernels);

/// A warning for each kernel without source, once.
std::vector<Message> missing_sources(const Unit& unit, const Loops& loops,
                                     const std::vector<EmbeddedKernel>& kernels);

}  // namespace op2::embed
