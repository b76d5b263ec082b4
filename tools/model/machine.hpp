// SPDX-License-Identifier: BSD-3-Clause
// A machine in numbers: what `machine` measures and `predict` reads.
#pragma once

#include <string>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <sched/cost/network.hpp>

namespace op2::model {

using sched::Link;

/// What the numbers of a machine file may be.
struct Limits {
  double least, most;
};
inline constexpr Limits limits_of_microseconds{0, 1e6}, limits_of_gigabytes{1e-3, 1e6};
inline constexpr int most_ranks_per_node = 1 << 20;

/// What each rank of a node can move if all ranks of it go through arrays of so many bytes again
/// and again.
struct CacheRate {
  double bytes = 0, rate = 0;  ///< bytes per second
  bool operator==(const CacheRate&) const = default;
};

struct Machine {
  std::string origin;  ///< "measured on-node with 4 ranks"; where numbers across nodes are from
  sched::Network network;
  /// Bytes per second of each of k + 1 ranks of a node that use its memory at once; empty: no rank
  /// slows another.
  std::vector<double> memory = {};
  std::vector<CacheRate> caches = {};  ///< ascending by size; may be empty
  bool operator==(const Machine&) const = default;

  /// Bytes per second of each of so many ranks of a node, of which at least one counts.
  /// Precondition: `memory` is not empty.
  double rate(int ranks) const;
  /// How many times as long what waits for memory takes with `busy` ranks on a node, compared with
  /// `before`.
  double slowdown(int before, int busy) const;
  /// Seconds to move a byte of so many that are used again and again: logarithmic between sizes,
  /// constant beyond them. Precondition: `caches` is not empty.
  double seconds_per_byte(double bytes) const;
};

std::string as_json(const Machine& machine);

/// @throws Failure  it cannot be read, is not such a file, or a value is missing or absurd
Machine read_machine(const std::string& path);

/// A line about a measurement that something disturbed more than it can be where nothing else runs
/// on the cores (docs/model.md); empty: it was not.
std::string warning_of(const Machine& measured);

}  // namespace op2::model
