// SPDX-License-Identifier: BSD-3-Clause
// A machine in numbers: what `machine` measures and `predict` reads.
#pragma once

#include <string>
#include <vector>

namespace op2::model {

/// What the numbers of a machine file may be.
struct Limits {
  double least, most;
};
inline constexpr Limits limits_of_microseconds{0, 1e6}, limits_of_gigabytes{1e-3, 1e6};
inline constexpr int most_ranks_per_node = 1 << 20;

/// Measured messages of one size. Seconds.
struct MessageSize {
  double bytes = 0, latency = 0, overhead = 0;
  bool operator==(const MessageSize&) const = default;
};

/// A message of n bytes leaves `overhead` seconds after its start, when the line is free; occupies
/// it for n * seconds_per_byte; arrives `latency` later; and takes its receiver `overhead` again.
struct Link {
  double latency = 0, overhead = 0, seconds_per_byte = 0;
  /// Ascending. Not empty: processors copy the messages, so that latency and overhead depend on the
  /// size and no line is occupied; message layers change their ways at some size.
  std::vector<MessageSize> sizes = {};

  /// Latency and overhead of a message: linear between sizes, and beyond the largest.
  MessageSize message(double bytes) const;
  /// For which it occupies the line.
  double line_seconds(double bytes) const { return sizes.empty() ? bytes * seconds_per_byte : 0; }
  bool operator==(const Link&) const = default;
};

/// Rounds in which a tree over so many ranks or nodes reaches all of them.
int rounds(int members);

/// A message of `bytes` in each round, from its start to its receiver.
double tree_seconds(int members, const Link& link, double bytes);

/// What each rank of a node can move if all ranks of it go through arrays of so many bytes again
/// and again.
struct CacheRate {
  double bytes = 0, rate = 0;  ///< bytes per second
  bool operator==(const CacheRate&) const = default;
};

struct Machine {
  std::string origin;      ///< "measured on-node with 4 ranks"; where numbers across nodes are from
  Link on_node, across;    ///< across: the line is that of a node, which its ranks share
  int ranks_per_node = 0;  ///< 0: all ranks are on one node
  int messages_per_neighbour = 1;  ///< more: a library that does not group them
  double pack_row = 0, pack_byte = 0, unpack_byte = 0;  ///< seconds
  /// Bytes per second of each of k + 1 ranks of a node that use its memory at once; empty: no rank
  /// slows another.
  std::vector<double> memory;
  double reduction = 0;  ///< seconds of a round of a reduction on a node; 0: that of its message
  std::vector<CacheRate> caches = {};  ///< ascending by size; may be empty
  /// Of the work between two waits: by how much they are longer because of the most disturbed rank,
  /// by the system or by what else runs on the cores.
  double disturbance = 0;
  bool operator==(const Machine&) const = default;

  bool on_one_node(int a, int b) const {
    return ranks_per_node == 0 || a / ranks_per_node == b / ranks_per_node;
  }
  /// Bytes per second of each of so many ranks of a node, of which at least one counts.
  /// Precondition: `memory` is not empty.
  double rate(int ranks) const;
  /// How many times as long what waits for memory takes with `busy` ranks on a node, compared with
  /// `before`.
  double slowdown(int before, int busy) const;
  /// Seconds to move a byte of so many that are used again and again: logarithmic between sizes,
  /// constant beyond them. Precondition: `caches` is not empty.
  double seconds_per_byte(double bytes) const;
  /// Of a reduction over all members of a node.
  double node_reduction(int members, double bytes) const;
};

std::string as_json(const Machine& machine);

/// @throws Failure  it cannot be read, is not such a file, or a value is missing or absurd
Machine read_machine(const std::string& path);

}  // namespace op2::model
