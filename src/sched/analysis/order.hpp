// SPDX-License-Identifier: BSD-3-Clause
// Conflicts between iterations of a loop, which decide how threads may share it, and the pass that
// finds which loops must run in order: those whose result depends on which iteration comes first.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/log.hpp>
#include <core/queue.hpp>
#include <sched/analysis/facts.hpp>
#include <sched/plan.hpp>
#include <sched/rows.hpp>

namespace op2::sched {

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
/// @param colouring  of the iterations, which do not meet in dats_in_colours then; null: none
ConflictPattern conflict_pattern(std::span<const core::LoopArg> args,
                                 const core::Colouring* colouring = nullptr);

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

struct OrderRules {
  bool by_rows;       ///< ExecutorTraits::orders_by_rows
  bool reproducible;  ///< all numbers of ranks must have the same order
};

/// The order of each record's loop, as the rows of all ranks show it. Collective; the rows of the
/// analysis exist. Cost: a pass over the maps through which dats are written, and a reduction; none
/// if all that any loop does to shared rows is to add to them, and none sets a payload.
///
/// On one rank loops over renumbered elements that read what others modify run by_rows, unless the
/// executor keeps the declared order (OP2_TARGET=reference), needs another one
/// (OP2_REPRODUCIBLE=on), or runs the other loops on a device.
/// @param queue  with the access that plans count with; on several ranks in colours
/// @throws Error order_dependent (results are to be reproducible, several ranks have no common
///         order, and the loop sets an op_arg_info in order)
std::vector<Order> find_order(const core::Queue& queue, const Analysis& analysis,
                              comm::Communicator& communicator, const OrderRules& rules);

/// Lets payloads be set in any order if their loop runs in any order.
void mark_payloads(std::span<core::LoopArg> args, Order order);

/// Warns once of each compiled loop whose result depends on the order of its elements, so that it
/// runs on one thread, or differs with the number of threads.
void report_order(const core::Queue& queue, const Facts& facts, const Step& step, core::Log& log);

}  // namespace op2::sched
