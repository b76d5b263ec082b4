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

/// Used by one thread. Urgent actions run before all others that wait. After an action has failed,
/// those of its kind after it are dropped, and so are new ones, until `take_progress` was called;
/// after an urgent one all others, too.
class BackgroundQueue {
 public:
  /// Counts actions, from 1; urgent ones apart from others.
  using Ticket = std::int64_t;
  struct Failure {
    Ticket ticket;
    Error error;
  };
  struct Progress {
    Ticket finished;  ///< this action and all before it, unless one of them failed
    std::optional<Failure> failure, urgent_failure;

    bool failed() const { return failure || urgent_failure; }
    /// Whether an action that is not urgent is finished, and not by an error.
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

  /// Of an action that holds nothing: it never waits for room.
  Ticket push_urgent(std::function<void()> action);

  /// Whether this urgent action and all before it are finished, or dropped.
  bool urgent_is_finished(Ticket ticket) const;
  /// The same of an action that is not urgent.
  bool is_finished(Ticket ticket) const;

  /// Returns when no action is left.
  void wait();

  /// How far it is: what is finished, and the actions that have failed since the last call.
  Progress take_progress();

  /// The most bytes that were held at once.
  std::int64_t most_held() const;

 private:
  struct Action {
    std::int64_t bytes;
    std::function<void()> run;
  };
  /// Actions of one kind, in their order.
  struct Lane {
    std::deque<Action> actions;  ///< the first one may be running
    Ticket pushed = 0, finished = 0;
    std::optional<Failure> failure;
  };
  using Lock = std::unique_lock<std::mutex>;

  bool is_empty() const { return urgent_.actions.empty() && others_.actions.empty(); }
  void work();
  void run_first(Lane& lane, Lock& lock);

  const std::int64_t most_bytes_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Lane urgent_, others_;
  std::int64_t held_ = 0, most_held_ = 0;
  bool ends_ = false;
  std::thread thread_;  ///< last, because it uses all others
};

}  // namespace op2::core
