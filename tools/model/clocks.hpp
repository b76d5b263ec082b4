// SPDX-License-Identifier: BSD-3-Clause
// A clock for every rank, which iterations and messages advance.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "exchange_counts.hpp"
#include "machine_file.hpp"

namespace op2::model {

/// Seconds that ranks spend on something beside iterations, summed over the ranks.
struct Overheads {
  double host = 0;      ///< the program between its loops, and the queue
  double messages = 0;  ///< packing, unpacking, sending, receiving
  double waits = 0;     ///< for messages of an exchange
  double reductions = 0;
};

/// Seconds of one rank in a phase of a chain.
struct PhaseTimes {
  std::vector<double> interior, boundary;  ///< per rank
};

class Clocks {
 public:
  Clocks(int ranks, Machine machine)
      : machine_(std::move(machine)),
        now_(static_cast<std::size_t>(ranks), 0.0),
        unwaited_(static_cast<std::size_t>(ranks), 0.0),
        line_(static_cast<std::size_t>(ranks), 0.0),
        adapter_(static_cast<std::size_t>(machine_.ranks_per_node > 0 ? ranks : 0), 0.0) {}

  // Overheads count `weight` times.
  /// A chain: pack and send, interior phase, wait and unpack, boundary phase. Without messages both
  /// phases follow each other.
  void run(std::span<const PairMessage> messages, const PhaseTimes& phases, double weight = 1);
  /// A sum over all ranks: node by node, then over the nodes.
  void reduce(std::int64_t bytes, double weight = 1);
  /// Every rank works on something beside iterations.
  void work(double seconds, double weight = 1);
  /// All clocks advance.
  void skip(double seconds);

  double slowest() const;
  const Overheads& overheads() const { return overheads_; }

 private:
  const Link& link(const PairMessage& message) const {
    return machine_.on_one_node(message.from, message.to) ? machine_.on_node : machine_.across;
  }
  double overhead(const PairMessage& message) const {
    return link(message).message(static_cast<double>(message.bytes)).overhead;
  }
  void send(std::span<const PairMessage> messages, double weight, std::vector<double>& arrivals);
  /// A rank waits for others. @return seconds by which it waits longer, as they are disturbed
  double delay(std::size_t rank);

  const Machine machine_;
  std::vector<double> now_;
  std::vector<double> unwaited_;  ///< of each rank: seconds of work since it waited for others
  std::vector<double> line_;      ///< of each rank: free from then on, for messages on its node
  std::vector<double> adapter_;   ///< of each node, for messages to others
  Overheads overheads_;
};

}  // namespace op2::model
