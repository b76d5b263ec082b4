// SPDX-License-Identifier: BSD-3-Clause
// Costs of network and computation in the model, from the environment.
#pragma once

#include <string>
#include <vector>

namespace netmodel {

/// A message of n bytes is sent `overhead` after its start, when the link is free; occupies the
/// link for n * seconds_per_byte; arrives `latency` later; and costs the receiver `overhead`.
struct Network {
  double latency = 0;           ///< seconds; NETMODEL_LATENCY_US
  double seconds_per_byte = 0;  ///< NETMODEL_BANDWIDTH_GBS (10^9 bytes per second; 0: no limit)
  double overhead = 0;          ///< seconds; NETMODEL_OVERHEAD_US
};

/// Seconds of an iteration of a loop.
struct LoopCost {
  std::string loop;
  double seconds, tiled;  ///< by itself or fused; tile by tile
};

/// Costs of computation, from the file NETMODEL_COSTS: lines "<name> <seconds> [<seconds in
/// tiles>]". The name is that of a loop (seconds per iteration), or one of the two below.
struct WorkCosts {
  std::vector<LoopCost> loops;
  double packed_row = 0;     ///< "packed_row": per row of a dat packed into a message
  double received_byte = 0;  ///< "received_byte": per byte unpacked from a message
};

/// @throws std::runtime_error  names the variable or the line
Network network_from_environment();
WorkCosts work_costs_from_environment();

}  // namespace netmodel
