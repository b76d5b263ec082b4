// SPDX-License-Identifier: BSD-3-Clause
// When the work of an emulated device's streams is done: never before somebody must be able to see
// it, and in an order that only events and waits decide.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace op2::test::gpu {

/// What a real device may do, brought to its extremes. All obey streams and events.
enum class Order {
  eager,     ///< at the call
  lazy,      ///< what a wait forces, at the wait
  others,    ///< at a wait: first all other streams, the oldest first
  reversed,  ///< at a wait: first all other streams, the newest first
  random,    ///< bursts of any stream at any call
};

struct Schedule {
  Order order = Order::lazy;
  unsigned seed = 1;  ///< of `random`
};

/// "eager", "lazy", "others", "reversed", "random" or "random:7". @throws std::invalid_argument
Schedule parse_schedule(const std::string& text);

/// The work of a stream up to a moment.
struct Position {
  std::size_t stream;
  std::uint64_t items;
};

class WorkQueues {
 public:
  explicit WorkQueues(Schedule schedule) : order_(schedule.order), dice_(schedule.seed) {}

  std::size_t add_stream();
  void add(std::size_t stream, std::function<void()> work);
  /// What is in the stream now.
  Position position(std::size_t stream) const { return {stream, queues_[stream].added}; }
  /// Later work of the stream begins after `before`.
  void add_dependency(std::size_t stream, Position before);

  /// Whether that work is done; if not, a little more of it is when this returns.
  bool poll(Position position);
  /// Returns when that work is done. Throws what it throws; nothing else runs then, of any stream.
  void finish(Position position);
  void finish_all();
  /// Gives up all work.
  void drop();

 private:
  struct Item {
    std::function<void()> work;
    std::vector<Position> after;
  };
  struct Queue {
    std::deque<Item> items;
    std::uint64_t begun = 0, added = 0;
  };
  void put(std::size_t stream, Item item);
  void run_next(Queue& queue);
  void run_until(Position position);
  void run_others(std::size_t stream);
  void run_burst();

  Order order_;
  std::mt19937 dice_;
  std::deque<Queue> queues_;
};

}  // namespace op2::test::gpu
