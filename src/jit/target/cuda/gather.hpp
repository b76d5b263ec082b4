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
#include <vector>

#include <core/options.hpp>
#include <jit/loop_nest.hpp>
#include <jit/target/target.hpp>

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

// Whether the increments of a nest are gathered by the rows that get them. Then a thread has a row,
// executes the elements that add to it in ascending order, and keeps what they add to this row
// only: no atomics, and sums as a sequential loop makes them. An element is executed once for each
// row that it adds to.

/// Whether rows can gather: all increments through maps are to rows of one set, as far as the nest
/// shows it, and to dats without another access; other dats are written directly, and not read.
bool can_pull(std::span<const ArgShape> args);

/// Equal on all ranks: it depends on the nest alone. `asked` automatic: rows gather if they can, if
/// elements add to two to four rows, and if that takes less traffic between a multiprocessor and
/// the cache than atomics do. By itself a loop that adds to one row stays with atomics: nothing
/// bounds how many elements share it.
bool pulls(std::span<const ArgShape> args, core::Increments asked);

/// Equal on all ranks, as `pulls`. Automatic: loops that add to one row gather with others, because
/// that makes one kernel of them; who plans looks at how many elements share a row.
Gathering gathering_of(std::span<const ArgShape> args, core::Increments asked);

/// The arguments that add through maps, one for each distinct column of a map. Rows of the first
/// one decide which of an element's executions counts. Precondition: `can_pull`.
std::vector<ArgShape> pulled_columns(std::span<const ArgShape> args);

}  // namespace op2::jit
