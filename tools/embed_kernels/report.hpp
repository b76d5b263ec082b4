// SPDX-License-Identifier: BSD-3-Clause
// What the tool prints of a unit.
#pragma once

#include <string>
#include <vector>

#include "kernels.hpp"

namespace op2::embed {

/// One line a loop: its name, kernel, place of the kernel, bytes of text or why there is none.
std::string loop_table(const Unit& unit, const Loops& loops,
                       const std::vector<EmbeddedKernel>& kernels);

/// Of kernels without a text, each once.
std::vector<Message> missing_texts(const Unit& unit, const Loops& loops,
                                   const std::vector<EmbeddedKernel>& kernels);

}  // namespace op2::embed
