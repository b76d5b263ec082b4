// SPDX-License-Identifier: BSD-3-Clause
// What the network and the work of the model cost, from the environment.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace netmodel {

/// A message of n bytes leaves `overhead` after its start, when those before it have left; takes
/// n * seconds_per_byte to leave; arrives `latency` later; and costs the receiver `overhead`.
struct Network {
  double latency = 0;           ///< seconds; NETMODEL_LATENCY_US
  double seconds_per_byte = 0;  ///< NETMODEL_BANDWIDTH_GBS (10^9 bytes per second; 0: no limit)
  double overhead = 0;          ///< seconds; NETMODEL_OVERHEAD_US
};

/// Seconds of work, from the file that NETMODEL_COSTS names: lines "<name> <seconds>". The name is
/// that of a loop (seconds per iteration), or one of the two that stand behind it here.
struct WorkCosts {
  std::vector<std::pair<std::string, double>> loops;
  double packed_row = 0;     ///< "packed_row": per row of a dat that is put into a message
  double received_byte = 0;  ///< "received_byte": for taking values out of messages
};

/// All functions throw std::runtime_error that names the variable or the line.
Network network_from_environment();
WorkCosts work_costs_from_environment();

}  // namespace netmodel
