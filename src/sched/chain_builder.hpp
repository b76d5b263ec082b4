// SPDX-License-Identifier: BSD-3-Clause
// From the queue to chains: where the queue must be cut, and what the analysis needs to know of the
// loops between two cuts.
#pragma once

#include <cstddef>
#include <vector>

#include <core/chain.hpp>
#include <core/queue.hpp>

namespace op2::sched {

/// Records [begin, end) of the queue.
struct RecordRange {
  std::size_t begin, end;
};

/// Cuts the queue before every loop that reads a lazy global which an earlier loop of the same
/// chain reduces: it needs the value that all ranks agree on.
std::vector<RecordRange> cut_chains(const core::Queue& queue);

/// The loops of a chain by the numbers of their dats and maps. Assignments to globals take no part.
struct ChainDescription {
  std::vector<core::ChainLoop> loops;
  std::vector<core::Dat*> dats;  ///< by the numbers used in `loops`
};
ChainDescription describe_chain(const core::Queue& queue, RecordRange chain);

}  // namespace op2::sched
