// SPDX-License-Identifier: BSD-3-Clause
// Conflicts between iterations of a loop, which decide how threads may share it and whether its
// result depends on their order.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <core/loop_record.hpp>
#include <sched/rows.hpp>

namespace op2::sched {

struct Step;

/// A dat that a loop modifies and accesses through maps, so that several iterations may access a
/// row.
struct SharedDat {
  std::vector<RowAccess> accesses;  ///< sorted, without repetition; of all its arguments
  bool any_order;  ///< all of them through maps, and OP_INC, or OP_MIN, or OP_MAX: any order is
                   ///< right
  auto operator<=>(const SharedDat&) const = default;
};

/// The shared dats of a loop: sorted, without repetition; empty: iterations are independent.
using ConflictPattern = std::vector<SharedDat>;
ConflictPattern conflict_pattern(std::span<const core::LoopArg> args);

/// The same for iterations of one colour, which do not meet in dats_in_colours.
/// @param writes  as there
ConflictPattern conflict_pattern_of_colour(std::span<const core::LoopArg> args, bool writes);

/// Dats of which iterations read rows that others modify, see reads_shared_rows; in the order of
/// the arguments.
/// @param writes  those too of which iterations write rows that others write, and read none
std::vector<const core::Dat*> dats_in_colours(std::span<const core::LoopArg> args, bool writes);

/// Whether iterations read rows that others modify through a map, other than by one of OP_INC,
/// OP_MIN and OP_MAX alone.
/// An argument that is declared OP_WRITE counts as one that reads nothing.
bool reads_shared_rows(std::span<const core::LoopArg> args);

/// The first of dats_in_colours, in the numbers and modes of the call: "dat 'q' (arg 0 OP_READ,
/// arg 2 OP_INC)". Empty: there is none.
std::string name_in_colours(std::span<const core::LoopArg> args, bool writes);

/// Whether a global gets the value of one element, see LoopArg::is_payload.
bool has_payload(std::span<const core::LoopArg> args);

/// Whether two iterations access the same row.
/// Cost O(iterations * accesses + rows).
bool has_repeated_targets(std::int64_t iterations, std::span<const RowAccess> accesses);

/// Whether iterations may access a row such that the result depends on which comes first.
bool may_meet_out_of_order(const ConflictPattern& pattern);

/// Whether two of the iterations [0, end) access a row such that the result depends on which comes
/// first. Cost O(end * accesses) if dats are written through maps, otherwise nothing.
bool meets_out_of_order(const ConflictPattern& pattern, std::int64_t end);

/// Useful memory traffic of one execution of a step, in bytes: each dat once, twice if it is read
/// and written, only rows that can be accessed, and each map row once.
double useful_bytes(const Step& step);

}  // namespace op2::sched
