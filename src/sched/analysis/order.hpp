// SPDX-License-Identifier: BSD-3-Clause
// Which loops must run in order: those whose iterations conflict in rows, so that the result
// depends on which comes first.
#pragma once

#include <span>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/log.hpp>
#include <core/queue.hpp>
#include <sched/analysis/facts.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

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
