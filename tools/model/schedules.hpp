// SPDX-License-Identifier: BSD-3-Clause
// The schedules among which OP2_CHAIN=auto would choose on the ranks of a cut.
#pragma once

#include <vector>

#include "costs.hpp"
#include "cut_file.hpp"
#include "machine_file.hpp"
#include "program.hpp"

namespace op2::model {

/// Of each sequence: off, on, and a few others that the library's own search expects to be the
/// fastest if it repeats, with the sizes of the rank that has most of each.
std::vector<std::vector<Schedule>> schedules_of(const Program& program, const Cut& cut,
                                                const Machine& machine, const Costs& costs);

}  // namespace op2::model
