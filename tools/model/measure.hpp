// SPDX-License-Identifier: BSD-3-Clause
// Times of messages, packing and memory, on the ranks of a communicator.
#pragma once

#include <string>
#include <vector>

#include <comm/messages/communicator.hpp>

#include "machine_file.hpp"

namespace op2::model {

/// Latency, overhead and bandwidth between ranks in pairs, all pairs at once, for sizes of 64 bytes
/// to 1 MB: of the slowest.
/// Collective; a rank without a partner only waits. Needs two ranks.
Link measure_messages(comm::Communicator& ranks);

struct Packing {
  double row, byte, received_byte;  ///< seconds
};
/// As halo exchanges pack and unpack, of the slowest rank. Collective.
Packing measure_packing(comm::Communicator& ranks);

/// Seconds of a round of a reduction over all ranks, which have rounds(ranks) of them. Collective.
double measure_reduction(comm::Communicator& ranks);

/// By which share of the work ranks wait longer that add a number over all after 10 us to 3 ms of
/// work in a small array, again and again: than the work, in the mean of the ranks, and the sum
/// take by themselves. A mean over five seconds, because a core can be slow for one; on an
/// overloaded machine after ten of them no further turn begins. Collective.
double measure_disturbance(comm::Communicator& ranks);

/// A line about a measurement that something disturbed more than it can be where nothing else runs
/// on the cores (docs/model.md); empty: it was not.
std::string warning_of(const Machine& measured);

/// Bytes per second of each of k + 1 ranks that add arrays at once, which have together four times
/// the bytes of the largest cache, and at least 144 MB each. Measured with 1, 2, 4 ... ranks and
/// with all, linear between. Collective.
std::vector<double> measure_memory(comm::Communicator& ranks);

/// Bytes per second of each of all ranks that add arrays at once, by the bytes of the arrays of a
/// rank: from 128 KB to 128 MB, or more if the largest cache is larger. Collective.
std::vector<CacheRate> measure_caches(comm::Communicator& ranks);

}  // namespace op2::model
