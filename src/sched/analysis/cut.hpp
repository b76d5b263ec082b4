// SPDX-License-Identifier: BSD-3-Clause
// The first pass: where the queue must be cut into chains.
#pragma once

#include <cstddef>
#include <vector>

#include <core/chain.hpp>
#include <core/queue.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Limits of a chain beside those that correctness sets.
struct ChainLimits {
  core::Level rows = core::every_level;  ///< highest level of rows that several loops may need
  bool keep_all = false;                 ///< no loop counts as dead
};

/// Cuts the queue where necessary: before a loop that reads a lazy global which an earlier loop of
/// the same chain reduces, or that reduces it by another operation, because it needs the value
/// combined over the ranks; and where `limits` says so. An assignment belongs to the chain of the
/// loop that follows it. Local, equal on every rank.
std::vector<RecordRange> cut_chains(const core::Queue& queue, const ChainLimits& limits = {});

/// The loops of a chain, with dats and maps as numbers; without assignments to globals. A loop that
/// modifies no dat counts as a reduction: it may print, so its owned elements run.
struct ChainDescription {
  std::vector<core::ChainLoop> loops;
  std::vector<core::Dat*> dats;  ///< by the numbers used in `loops`
};
ChainDescription describe_chain(const core::Queue& queue, RecordRange chain, bool keep_all = false);

}  // namespace op2::sched
