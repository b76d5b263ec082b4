// SPDX-License-Identifier: BSD-3-Clause
// Results that a thread of each rank writes in the background (OP2_ASYNC_IO). It calls no MPI:
// ranks agree at the next call that writes results, and at op_exit.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <op2/error.hpp>

#include <comm/files/paraview.hpp>
#include <comm/messages/communicator.hpp>

namespace op2::api {

class Runtime;

/// The calls are the same on all ranks, in the same order. The thread publishes what it may, then
/// writes, in the order of the calls. After a call that could not be written, later ones are
/// dropped, and so are new ones, until `look` or `finish` has thrown; after one that could not be
/// published also those that were written, since a series would name their times.
class BackgroundResults {
 public:
  /// @param most_bytes  of this rank that wait to be written; more than 0
  /// @throws Error out_of_memory (the system refuses a thread)
  explicit BackgroundResults(std::int64_t most_bytes);
  /// Finishes what the thread does; drops the rest.
  ~BackgroundResults();
  BackgroundResults(const BackgroundResults&) = delete;
  BackgroundResults& operator=(const BackgroundResults&) = delete;

  /// What one call leaves to be done, by no collective function.
  struct Work {
    std::int64_t bytes;             ///< held by `write`
    std::function<void()> write;    ///< the files of this rank; destroyed as soon as it has run
    std::function<void()> publish;  ///< on the root, or null: the files that name those of all
                                    ///< ranks
    std::string series;             ///< its path; empty: of no series
    std::vector<comm::SeriesTime> times;  ///< on the root: of the series, with this call's
  };

  /// Local. Waits while there is no room. What is larger than all room is written before this
  /// returns.
  void begin(Work work);

  /// Publishes what all ranks have written meanwhile. If a rank could not write, all throw; what
  /// came before that is published, and what comes after it is dropped. Collective. Cost: two
  /// reductions.
  void look(comm::Communicator& ranks) { look(ranks, false); }

  /// The same; returns when all is written and published. Collective.
  void finish(comm::Communicator& ranks) { look(ranks, true); }

  /// Local. Returns when the thread has nothing to do, for ranks that cannot agree any more: what
  /// is written is not published.
  void drain();

  /// Local. Calls that are not finished, as far as this rank knows.
  std::size_t unfinished() const { return calls_.size(); }

  /// Local, on the root. The times of a series as they will be; nothing: as its file says.
  std::optional<std::vector<comm::SeriesTime>> times_of(const std::string& series) const;

 private:
  enum class State { to_write, written, to_publish, published, dropped };
  struct Call {
    Work work;
    std::int64_t held;
    State state;
  };
  /// What all ranks have written, and whether one of them could not.
  struct Written {
    std::int64_t calls;
    bool failed;
  };
  using Lock = std::unique_lock<std::mutex>;

  void look(comm::Communicator& ranks, bool to_the_end);
  Written written_by_all(comm::Communicator& ranks, bool failed) const;
  void publish(std::int64_t calls, bool is_root);
  std::optional<Error> take_failure();
  Call* next();
  void work();
  void run(Call& call, Lock& lock);
  void drop(bool all);

  const std::int64_t most_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  /// Those that are written follow those that may be published. Only the program's thread adds and
  /// removes calls.
  std::list<Call> calls_;
  std::int64_t held_ = 0;
  std::optional<Error> write_failure_, publish_failure_;
  bool ends_ = false;
  std::thread thread_;  ///< last, because it uses all others
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
