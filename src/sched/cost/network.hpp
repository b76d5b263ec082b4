// SPDX-License-Identifier: BSD-3-Clause
// What messages between ranks take: a network in numbers, and a clock for every rank, which
// iterations and messages advance. Pure. All times are in seconds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace op2::sched {

/// The position of a number between ascending points: a point, and the part of the way from there
/// to the next one, 0 to 1. Beyond the ends: the end.
struct Interpolation {
  std::size_t point = 0;
  double part = 0;

  double between(double at_point, double at_next) const {
    return (1 - part) * at_point + part * at_next;
  }
};

/// @param points  ascending by `key`; not empty
/// @param key     of a point, or a member of it
/// @param scale   in which distances are proportional, e.g. the logarithm: a growing function
template <class Point, class Key, class Scale = std::identity>
Interpolation interpolation(const std::vector<Point>& points, double x, Key key, Scale scale = {}) {
  const auto next = std::ranges::upper_bound(points, x, {}, key);
  if (next == points.begin()) return {};
  const auto point = static_cast<std::size_t>(next - points.begin()) - 1;
  if (next == points.end()) return {point, 0};
  const double low = std::invoke(key, points[point]), high = std::invoke(key, *next);
  return {point, (scale(x) - scale(low)) / (scale(high) - scale(low))};
}

/// Measured messages of one size.
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

/// The library measures one link for all ranks; predictions for other machines know two.
struct Network {
  Link on_node = {}, across = {};  ///< across: the line is that of a node, which its ranks share
  int ranks_per_node = 0;          ///< 0: all ranks use the link `on_node`
  int messages_per_neighbour = 1;  ///< more: a library that does not group them
  double pack_row = 0, pack_byte = 0, unpack_byte = 0;
  double reduction = 0;  ///< of a round of a reduction on a node; 0: that of its message
  /// Of the work between two waits: by how much they are longer because of the most disturbed rank,
  /// by the system or by what else runs on the cores.
  double disturbance = 0;
  bool operator==(const Network&) const = default;

  /// Negative figures stand for "not known".
  bool is_known() const { return on_node.latency >= 0; }
  bool on_one_node(int a, int b) const {
    return ranks_per_node == 0 || a / ranks_per_node == b / ranks_per_node;
  }
  /// Of a reduction of so many bytes over all members of a node.
  double node_reduction(int members, double bytes) const;
};

/// Bytes of a reduction over the ranks (comm/messages/message_layer.hpp).
inline constexpr double reduction_bytes = 512;

/// What one rank sends to another before a chain, grouped in one message.
struct Message {
  int from = 0, to = 0;
  double bytes = 0;  ///< header and segments, with padding
  double rows = 0;   ///< of dats
  bool operator==(const Message&) const = default;
};

/// Seconds that ranks spend on something beside iterations, summed over the ranks.
struct Overheads {
  double host = 0;      ///< the program between its loops, and the queue
  double messages = 0;  ///< packing, unpacking, sending, receiving
  double waits = 0;     ///< for messages of an exchange
  double reductions = 0;
};

/// Seconds of the iterations of a chain.
struct PhaseTimes {
  std::vector<double> interior, boundary;  ///< per rank
};

class Clocks {
 public:
  Clocks(int ranks, Network network)
      : network_(std::move(network)),
        now_(static_cast<std::size_t>(ranks), 0.0),
        unwaited_(static_cast<std::size_t>(ranks), 0.0),
        line_(static_cast<std::size_t>(ranks), 0.0),
        adapter_(static_cast<std::size_t>(network_.ranks_per_node > 0 ? ranks : 0), 0.0) {}

  // Overheads count `weight` times.
  /// A chain: pack and send, interior phase, wait and unpack, boundary phase. Without messages both
  /// phases follow each other. A message of a rank to itself stands for those to neighbours that do
  /// as much as it does.
  void run(std::span<const Message> messages, const PhaseTimes& phases, double weight = 1);
  /// A sum over all ranks: node by node, then over the nodes.
  void reduce(double bytes, double weight = 1);
  /// Every rank works on something beside iterations.
  void work(double seconds, double weight = 1);
  /// All clocks advance.
  void skip(double seconds);

  double slowest() const;
  const Overheads& overheads() const { return overheads_; }

 private:
  const Link& link(const Message& message) const {
    return network_.on_one_node(message.from, message.to) ? network_.on_node : network_.across;
  }
  double overhead(const Message& message) const {
    return network_.messages_per_neighbour * link(message).message(message.bytes).overhead;
  }
  void send(std::span<const Message> messages, double weight, std::vector<double>& arrivals);
  /// A rank waits for others. @return seconds by which it waits longer, as they are disturbed
  double delay(std::size_t rank);

  const Network network_;
  std::vector<double> now_;
  std::vector<double> unwaited_;  ///< of each rank: seconds of work since it waited for others
  std::vector<double> line_;      ///< of each rank: free from then on, for messages on its node
  std::vector<double> adapter_;   ///< of each node, for messages to others
  Overheads overheads_;
};

}  // namespace op2::sched
