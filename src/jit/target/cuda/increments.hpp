// SPDX-License-Identifier: BSD-3-Clause
// Whether the increments of a nest are gathered by the rows that get them. Then a thread has a row,
// executes the elements that add to it in ascending order, and keeps what they add to this row
// only: no atomics, and sums as a sequential loop makes them. An element is executed once for each
// row that it adds to.
#pragma once

#include <span>
#include <vector>

#include <core/options.hpp>
#include <jit/loop_nest.hpp>
#include <jit/target/target_rules.hpp>

namespace op2::jit {

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
