// SPDX-License-Identifier: BSD-3-Clause
// Results that a thread of each rank writes in the background (OP2_ASYNC_IO). It calls no MPI:
// ranks agree at the next call that writes results, and at op_exit.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <comm/files/series.hpp>
#include <comm/messages/communicator.hpp>
#include <core/background_queue.hpp>

namespace op2::api {

class Runtime;

/// The calls are the same on all ranks, in the same order.
class BackgroundResults {
 public:
  /// @param most_bytes  of this rank that wait to be written
  explicit BackgroundResults(std::int64_t most_bytes) : queue_(most_bytes) {}

  /// What one call leaves to be done, by no collective function.
  struct Work {
    std::int64_t bytes;           ///< held by `write`
    std::function<void()> write;  ///< the files of this rank
    std::function<void()>
        publish;         ///< on the root, or null: the files that name those of all ranks
    std::string series;  ///< its path; empty: of no series
    std::vector<comm::TimeOfSeries> times;  ///< on the root: of the series, with this call's
  };

  /// Local. Waits while there is no room.
  void begin(Work work);

  /// Publishes what all ranks have written meanwhile. If a rank could not write, all throw; what
  /// came before that is published, and what comes after it is dropped. Collective. Cost: two
  /// reductions.
  void look(comm::Communicator& ranks) { look(ranks, false); }

  /// The same; returns when all is written and published. Collective.
  void finish(comm::Communicator& ranks) { look(ranks, true); }

  /// Local. Returns when this rank has written its files, for ranks that cannot agree any more:
  /// nothing is published.
  void drain() { queue_.wait(); }

  /// Local. Calls that are not finished, as far as this rank knows.
  std::size_t unfinished() const { return calls_.size() + publications_.size(); }

  /// Local, on the root. The times of a series as they will be; nothing: as its file says.
  std::optional<std::vector<comm::TimeOfSeries>> times_of(const std::string& series) const;

 private:
  using Ticket = core::BackgroundQueue::Ticket;
  struct Call {
    Work work;
    Ticket ticket;  ///< of writing, then of publishing
  };

  /// What all ranks have written, and whether one of them could not.
  struct Written {
    std::int64_t calls;
    bool failed;
  };

  void look(comm::Communicator& ranks, bool to_the_end);
  Written written_by_all(comm::Communicator& ranks,
                         const core::BackgroundQueue::Progress& progress) const;
  std::int64_t written_calls(const core::BackgroundQueue::Progress& progress) const;
  void publish(std::int64_t calls, bool is_root);

  core::BackgroundQueue queue_;
  std::deque<Call> calls_;         ///< that are not published
  std::deque<Call> publications_;  ///< on the root: that are being published
};

/// Starts the thread for OP2_ASYNC_IO, if it is set. Collective.
/// @throws Error out_of_memory, on all ranks, if the system refuses a thread on one
void begin_background(Runtime& runtime);

/// Throws if results that earlier calls left to the background could not be written. To be called
/// first. Collective.
void look_at_background(Runtime& runtime);

/// The same; returns when all of them are written. Collective.
/// @param call  that waits for them, as the collective signature
void finish_background(Runtime& runtime, const char* call);

/// The same at the end of a session, also after an error. If the ranks cannot agree any more, each
/// writes its files, but nothing names them: a warning and an error.
void end_background(Runtime& runtime);

/// Warns if the background is not finished. Local.
void report_unfinished_results(Runtime& runtime);

}  // namespace op2::api
