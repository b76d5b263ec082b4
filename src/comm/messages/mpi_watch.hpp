// SPDX-License-Identifier: BSD-3-Clause
// Waits that detect deadlocks of ranks in different calls.
//
// An edge a -> b means that rank a waits for rank b. A cycle of edges is a deadlock; slow ranks,
// which wait for no other, are on none. A rank that has waited for some time asks the ranks that it
// waits for, and those that these wait for, what they wait for; only waiting ranks answer. A
// mismatch is proven if a cycle through this rank has not changed between two rounds of answers and
// the ranks on it are in different calls (in the same call, large messages may just be slow). A
// rank that has proof sends it to all ranks, whose next wait throws it too.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <comm/messages/message_layer.hpp>
#include <comm/messages/mpi_calls.hpp>
#include <comm/messages/mpi_communicator.hpp>
#include <core/clock.hpp>

namespace op2::comm {

/// What a rank waits for.
struct MpiWait {
  std::string_view operation;  ///< for the message of a mismatch, e.g. "in a broadcast"
  std::uint64_t number;        ///< of the collective call, or of the channel; 0: none
  /// The ranks that it waits for; empty: all that are not in this call yet.
  std::function<std::vector<int>()> missing;
};

class MpiWatch final : public WaitWatch {
 public:
  /// Collective.
  MpiWatch(MPI_Comm comm, const MpiOptions& options);
  ~MpiWatch() override;

  /// @throws Error communication_failure if the program has ended MPI
  void set_signature(CollectiveSignature signature) override;
  std::uint64_t fingerprint() const override { return signature_.fingerprint; }
  void report_mismatch(int peer) override {
    report_mismatch(peer, "reading a message that it did not expect");
  }
  void set_purpose(std::function<WaitPurpose()> purpose) override { purpose_ = std::move(purpose); }
  void on_long_wait(std::function<void(const std::string&)> report) override {
    report_ = std::move(report);
  }
  std::optional<std::string> waiting_rank(bool all_end) override;

  bool has_failed() const { return failure_.has_value(); }

  /// Returns once `done()`, which makes progress, is true.
  /// @throws Error collective_mismatch, from then on always; what `done` throws
  void wait(const MpiWait& what, const std::function<bool()>& done);

  /// Asks `peer` what it is executing, waits some seconds for the answer, and throws.
  [[noreturn]] void report_mismatch(int peer, std::string_view operation);

 private:
  using Clock = core::Clock;
  enum Kind : int { question, answer, verdict };  // these are tags

  /// The wait of a rank.
  struct WaitState {
    std::uint64_t fingerprint = 0;
    std::uint64_t wait = 0;  ///< how many waits the rank has begun
    std::uint64_t echo = 0;  ///< the asking rank's wait that this answers
    std::uint64_t code = 0;  ///< of a verdict's error, whose message is in `steps`
    std::string steps;       ///< its description; the last line is the call that it waits in
    bool for_all = false;
    std::vector<int> missing;
    int seen = 1;  ///< successive answers that describe the same wait
  };
  struct ControlMessage {
    MPI_Request request = MPI_REQUEST_NULL;
    Bytes bytes;
    int peer = 0;
    Kind kind = question;
  };

  WaitState my_state() const;
  void send(int to, Kind kind, Bytes bytes);
  /// While this rank waits.
  void poll_control_messages();
  void accept(const ControlMessage& note);
  void ask();
  void begin_wait();
  void report_long_wait() const;
  std::vector<int> silent_ranks() const;
  WaitPurpose purpose() const;
  std::vector<int> whom_to_ask(const WaitState& mine) const;
  void throw_if_proven();
  static bool same_call(const WaitState& a, const WaitState& b);
  static bool waits_for(const WaitState& from, int from_rank, const WaitState& to, int to_rank);
  static bool reaches(const std::map<int, WaitState>& states, int from, int to);
  [[noreturn]] void fail(const Error& error);
  static Bytes packed(const WaitState& state);
  static WaitState unpacked(const Bytes& bytes);

  MpiComm comm_;
  int rank_ = 0, size_ = 1;
  Clock::duration ask_after_, report_after_;
  std::function<void(const std::string&)> report_;
  std::function<WaitPurpose()> purpose_;
  CollectiveSignature signature_;
  const MpiWait* waiting_ = nullptr;  ///< null while the rank does not wait
  std::uint64_t waits_ = 0;
  std::size_t rotation_ = 0;
  std::set<int> asked_;              ///< during this wait
  std::map<int, WaitState> states_;  ///< answers to this wait's questions
  std::list<ControlMessage> outbox_, inbox_;
  std::optional<Error> failure_;
};

}  // namespace op2::comm
