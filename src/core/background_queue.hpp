// SPDX-License-Identifier: BSD-3-Clause
// Work that a thread does in the background, one action after the other, while what waits for it
// stays small.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include <op2/error.hpp>

namespace op2::core {

/// Used by one thread. After an action has failed, those after it are dropped, and so are new ones,
/// until `take_progress` was called.
class BackgroundQueue {
 public:
  /// Counts actions, from 1.
  using Ticket = std::int64_t;
  struct Failure {
    Ticket ticket;
    Error error;
  };
  struct Progress {
    Ticket finished;  ///< this action and all before it, unless one of them failed
    std::optional<Failure> failure;

    /// Whether an action is finished, and not by an error.
    bool includes(Ticket ticket) const {
      return ticket <= finished && (!failure || ticket < failure->ticket);
    }
  };

  /// @param most_bytes  held by actions that are not finished; more than 0
  /// @throws Error out_of_memory (the system refuses a thread)
  explicit BackgroundQueue(std::int64_t most_bytes);
  /// Finishes the action that runs; drops others.
  ~BackgroundQueue();
  BackgroundQueue(const BackgroundQueue&) = delete;
  BackgroundQueue& operator=(const BackgroundQueue&) = delete;

  /// Waits until there is room. What is larger than all room is done before this returns.
  /// @param bytes   that the action holds until it is finished
  /// @param action  may throw; destroyed as soon as it is finished
  Ticket push(std::int64_t bytes, std::function<void()> action);

  /// Whether this action and all before it are finished, or dropped.
  bool is_finished(Ticket ticket) const;

  /// Returns when no action is left.
  void wait();

  /// How far it is: what is finished, and the action that has failed since the last call.
  Progress take_progress();

  /// The most bytes that were held at once.
  std::int64_t most_held() const;

 private:
  struct Action {
    std::int64_t bytes;
    std::function<void()> run;
  };
  using Lock = std::unique_lock<std::mutex>;

  void work();
  void run_first(Lock& lock);

  const std::int64_t most_bytes_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<Action> actions_;  ///< the first one runs
  std::int64_t held_ = 0, most_held_ = 0;
  Ticket pushed_ = 0, finished_ = 0;
  std::optional<Failure> failure_;
  bool ends_ = false;
  std::thread thread_;  ///< last, because it uses all others
};

}  // namespace op2::core
