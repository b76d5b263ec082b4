// SPDX-License-Identifier: BSD-3-Clause
// The first pass: where the queue must be cut into chains.
#pragma once

#include <cstddef>
#include <vector>

#include <core/chain.hpp>
#include <core/queue.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// What bounds a chain besides its meaning.
struct ChainLimits {
  core::Level rows = core::every_level;  ///< level that a chain may need, unless one loop does
  bool keep_all = false;                 ///< no loop counts as dead
};

/// Cuts the queue where it must: before a loop that reads a lazy global which an earlier loop of
/// the same chain reduces, or that reduces it in another way, because it needs the value that all
/// ranks agree on; and where `limits` says so. An assignment belongs to the chain of the loop that
/// follows it. Local, and equal on every rank.
std::vector<RecordRange> cut_chains(const core::Queue& queue, const ChainLimits& limits = {});

/// The loops of a chain by the numbers of their dats and maps. Assignments to globals take no part.
/// A loop that modifies no dat counts as a reduction: it may print, so its owned elements run.
struct ChainDescription {
  std::vector<core::ChainLoop> loops;
  std::vector<core::Dat*> dats;  ///< by the numbers used in `loops`
};
ChainDescription describe_chain(const core::Queue& queue, RecordRange chain, bool keep_all = false);

}  // namespace op2::sched
