// SPDX-License-Identifier: BSD-3-Clause
// Waits that notice when they can never end.
//
// Ranks wait for each other: an edge a -> b says that a cannot go on before b has done something
// more. A cycle of edges is a deadlock, and slow ranks, which wait for nobody, are on none. A rank
// that has waited for some time asks those it waits for, and those they wait for, what they wait
// for. Ranks that wait answer. It is a proof if a cycle through the own rank has stood still
// between two rounds of answers and the ranks on it are in different calls; in the same call they
// may just be sending much. Whoever has a proof tells all ranks, whose next wait throws it too.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <comm/messages/collective_mismatch.hpp>
#include <comm/messages/communicator.hpp>
#include <comm/messages/mpi_calls.hpp>

namespace op2::comm {

/// What a rank waits for.
struct MpiWait {
  std::string operation;  ///< a phrase, for the message of a mismatch
  std::uint64_t number;   ///< of the collective call, or of the channel; 0: none
  /// The ranks whose part is missing; empty: all that are not in this call yet.
  std::function<std::vector<int>()> missing;
};

class MpiWatch {
 public:
  /// Collective.
  MpiWatch(MPI_Comm comm, double seconds_before_asking);
  ~MpiWatch();

  void set_signature(CollectiveSignature signature) { signature_ = std::move(signature); }
  std::uint64_t fingerprint() const { return signature_.fingerprint; }
  bool has_failed() const { return failure_.has_value(); }

  /// Returns once `done()`, which moves messages on.
  /// @throws Error collective_mismatch, from then on always; what `done` throws
  void wait(const MpiWait& what, const std::function<bool()>& done);

  /// Finds out where `peer` is, for some seconds, and throws.
  [[noreturn]] void report_mismatch(int peer, const std::string& operation);

 private:
  using Clock = std::chrono::steady_clock;
  enum Kind : int { question, answer, verdict };  // these are tags

  /// Where a rank waits.
  struct WaitState {
    std::uint64_t fingerprint = 0;
    std::uint64_t wait = 0;  ///< how many waits the rank has begun
    std::uint64_t echo = 0;  ///< the asker's wait to which this answers
    std::uint64_t code = 0;  ///< of the error that a verdict brings; its text is in `steps`
    std::string steps;       ///< its description; the last line is the call it waits in
    bool for_all = false;
    std::vector<int> missing;
    int seen = 1;  ///< answers in succession that describe the same wait
  };
  struct Note {
    MPI_Request request = MPI_REQUEST_NULL;
    Bytes bytes;
    int peer = 0;
    Kind kind = question;
  };

  WaitState my_state() const;
  void send(int to, Kind kind, Bytes bytes);
  void read_notes();
  void accept(const Note& note);
  void ask();
  std::vector<int> whom_to_ask(const WaitState& mine) const;
  void throw_if_proven();
  static bool same_call(const WaitState& a, const WaitState& b);
  static bool waits_for(const WaitState& from, int from_rank, const WaitState& to, int to_rank);
  static bool reaches(const std::map<int, WaitState>& states, int from, int to);
  [[noreturn]] void fail(const Error& error);
  static Bytes packed(const WaitState& state);
  static WaitState unpacked(const Bytes& bytes);

  MpiDuplicate comm_;
  int rank_ = 0, size_ = 1;
  Clock::duration before_asking_;
  CollectiveSignature signature_;
  const MpiWait* waiting_ = nullptr;  ///< null while the rank computes
  std::uint64_t waits_ = 0;
  std::size_t rotation_ = 0;
  std::map<int, WaitState> states_;  ///< answers to this wait's questions
  std::list<Note> outbox_, inbox_;
  std::optional<Error> failure_;
};

}  // namespace op2::comm
