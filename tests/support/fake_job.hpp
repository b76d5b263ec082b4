// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a fake job share: messages, collective rounds, who waits, and the first
// failure.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/messages/message_layer.hpp>
#include <support/fake_communicator.hpp>

namespace op2::comm {

/// What one rank brings to a collective call.
struct Contribution {
  std::uint64_t fingerprint;
  std::string operation;
  std::vector<Message> messages;  ///< of an exchange
  Bytes bytes;                    ///< of everything else
};

/// Every member is called with `mutex` held by `lock`, apart from the constructor. One mutex for
/// everything: tests are small.
class FakeJob {
 public:
  using Lock = std::unique_lock<std::mutex>;
  using Mailbox = std::deque<Bytes>;
  using Round = std::vector<std::optional<Contribution>>;  ///< per rank, once it has come

  FakeJob(int ranks, const FakeOptions& job_options)
      : options(job_options), states_(static_cast<std::size_t>(ranks)) {}

  Lock lock() { return Lock(mutex_); }

  void set_signature(int rank, CollectiveSignature signature);
  std::uint64_t fingerprint(int rank) const { return state(rank).signature.fingerprint; }

  /// Returns once `done()`, which is asked again whenever something has been posted.
  /// @param operation  what the rank is doing, for the message of a mismatch
  /// @throws Error  the job's failure; collective_mismatch if all ranks wait, or too long
  void wait(Lock& lock, int rank, const char* operation, const std::function<bool()>& done);

  Mailbox& mailbox(int from, int to, std::size_t channel, std::size_t index) {
    return mailboxes_[{from, to, channel, index}];
  }
  Round& round(std::size_t number);
  void leave_round(std::size_t number);

  /// Tells the waiting ranks that messages or contributions have come.
  void posted();

  /// Makes this the failure of the job, unless it has one, and throws it.
  [[noreturn]] void fail(const Error& error);
  /// Makes this the failure of the job, unless it has one.
  void note_failure(const Error& error);
  void throw_if_failed() const {
    if (failure_) throw Error(*failure_);
  }

  /// Waits a few seconds for the other to wait too, then throws.
  [[noreturn]] void report_mismatch(Lock& lock, int rank, int peer, const char* operation);

  void end_rank(int rank);

  const FakeOptions options;

 private:
  struct RankState {
    CollectiveSignature signature;
    const char* operation = nullptr;  ///< null while the rank computes
    std::uint64_t seen = 0;           ///< value of `events_` when it last could not go on
    bool in_vain = false;             ///< it waits for something that a post may bring
    bool ended = false;
  };
  RankState& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  const RankState& state(int rank) const { return states_[static_cast<std::size_t>(rank)]; }
  bool all_wait_in_vain() const;
  Position position(int rank) const;
  [[noreturn]] void fail_mismatch(int rank);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RankState> states_;
  std::uint64_t events_ = 0;
  std::map<std::tuple<int, int, std::size_t, std::size_t>, Mailbox> mailboxes_;
  struct OpenRound {
    Round contributions;
    int left = 0;
  };
  std::map<std::size_t, OpenRound> rounds_;
  std::optional<Error> failure_;
};

}  // namespace op2::comm
