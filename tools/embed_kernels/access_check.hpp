// SPDX-License-Identifier: BSD-3-Clause
// Compares what kernels do with their parameters with what their loops say.
#pragma once

#include <vector>

#include "loops.hpp"
#include "message.hpp"
#include "options.hpp"

namespace op2::embed {

/// Kernels that break an access mode: warnings, or errors if `check` says so. Parameters that do
/// not fit the arguments in number or type: errors. Silent where it is not sure.
std::vector<Message> access_faults(const Unit& unit, const Loops& loops, AccessCheck check);

}  // namespace op2::embed
