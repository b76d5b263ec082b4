// SPDX-License-Identifier: BSD-3-Clause
// Which loops may become one kernel with loops that add to their rows (LoopNest::gathered): a
// thread gathers what other loops add to its row, then executes the element of that row. The sums
// stay in registers.
//
// While some threads gather, others have executed their elements. So rows that the kernels behind
// write, and that gathered loops read, are written to a second buffer.
#pragma once

#include <cstdint>
#include <set>
#include <span>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// The numbers of the dats that gathered loops add to.
/// @param gathered  of the nest of these arguments, in all functions
std::set<int> gathered_dats(std::span<const ArgShape> args, std::span<const std::int32_t> gathered);

/// The numbers of the dats whose rows go to a second buffer: the other kernels write them, and a
/// gathered loop reads them.
std::set<int> moved_dats(std::span<const ArgShape> args, std::span<const std::int32_t> gathered);

/// Whether a GPU can execute these arguments as such a nest. Gathered loops add to rows through
/// maps and read, nothing else. The other kernels write rows of their element alone; no payloads;
/// they access what was gathered, and what is moved, by arguments of their element's row, and a
/// moved dat by one argument of at most `largest_loaded_row` values.
/// Precondition: all increments of gathered loops are to rows of the nest's set, all dats that the
/// other kernels write are of that set, and their elements may run in any order.
bool can_gather(std::span<const ArgShape> args, std::span<const std::int32_t> gathered);

}  // namespace op2::jit
