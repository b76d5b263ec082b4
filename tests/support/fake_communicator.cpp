// SPDX-License-Identifier: BSD-3-Clause
#include <support/fake_communicator.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <comm/messages/message_layer.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>
#include <support/fake_job.hpp>

namespace op2::comm {

namespace {

using Clock = std::chrono::steady_clock;

/// For each peer: how many of those before it name the same rank.
std::vector<std::size_t> indices_within_pairs(const std::vector<Peer>& peers) {
  std::vector<std::size_t> indices;
  for (std::size_t k = 0; k < peers.size(); ++k)
    indices.push_back(static_cast<std::size_t>(
        std::count_if(peers.begin(), peers.begin() + static_cast<std::ptrdiff_t>(k),
                      [&](const Peer& peer) { return peer.rank == peers[k].rank; })));
  return indices;
}

class FakeChannel final : public Channel {
 public:
  FakeChannel(FakeJob& job, int rank, std::size_t number, std::vector<Peer> sends,
              std::vector<Peer> receives, const core::HostAllocator& allocate)
      : job_(job),
        rank_(rank),
        number_(number),
        sends_(std::move(sends)),
        receives_(std::move(receives)),
        send_index_(indices_within_pairs(sends_)),
        receive_index_(indices_within_pairs(receives_)),
        outgoing_(sends_, allocate),
        incoming_(receives_, allocate) {}

  std::span<std::byte> outgoing(std::size_t k) override { return outgoing_[k]; }
  std::span<const std::byte> incoming(std::size_t k) const override { return incoming_[k]; }

  void start() override {
    const auto lock = job_.lock();
    job_.throw_if_failed();
    core::ensure(!started_, "a channel is started twice");
    started_ = true;
    tests_ = 0;
    deadline_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(job_.options.seconds_before_mismatch));
    sent_.clear();
    for (std::size_t k = 0; k < sends_.size(); ++k) {
      sent_.emplace_back(outgoing_[k].begin(), outgoing_[k].end());
      job_.mailbox(rank_, sends_[k].rank, number_, send_index_[k]).push_back(sent_.back());
    }
    job_.posted();
  }

  bool test() override {
    auto lock = job_.lock();
    job_.throw_if_failed();
    if (!started_) return true;
    if (++tests_ < tests_before_delivery && job_.options.late_delivery) return false;
    if (Clock::now() >= deadline_)
      job_.wait(lock, rank_, operation, [this] { return all_are_here(); });
    if (!all_are_here()) return false;
    deliver(lock);
    return true;
  }

  void wait() override {
    auto lock = job_.lock();
    job_.throw_if_failed();
    if (!started_) return;
    job_.wait(lock, rank_, operation, [this] { return all_are_here(); });
    deliver(lock);
  }

 private:
  /// With late delivery a program that calls nothing but `test` goes on after so many calls.
  static constexpr int tests_before_delivery = 1000;
  static constexpr const char* operation = "waiting for messages of a channel";

  FakeJob::Mailbox& mailbox(std::size_t k) {
    return job_.mailbox(receives_[k].rank, rank_, number_, receive_index_[k]);
  }

  bool all_are_here() {
    for (std::size_t k = 0; k < receives_.size(); ++k)
      if (mailbox(k).empty()) return false;
    return true;
  }

  void deliver(FakeJob::Lock& lock) {
    for (std::size_t k = 0; k < sends_.size(); ++k)
      core::ensure(std::equal(sent_[k].begin(), sent_[k].end(), outgoing_[k].begin()),
                   "an outgoing buffer was written before its transfer had ended");
    for (std::size_t k = 0; k < receives_.size(); ++k) {
      const Bytes bytes = std::move(mailbox(k).front());
      mailbox(k).pop_front();
      if (bytes.size() != receives_[k].bytes)
        job_.report_mismatch(lock, rank_, receives_[k].rank, operation);
      std::copy(bytes.begin(), bytes.end(), incoming_[k].begin());
    }
    started_ = false;
  }

  FakeJob& job_;
  int rank_;
  std::size_t number_;
  std::vector<Peer> sends_, receives_;
  std::vector<std::size_t> send_index_, receive_index_;
  AlignedBuffers outgoing_, incoming_;
  std::vector<Bytes> sent_;
  bool started_ = false;
  int tests_ = 0;               ///< since the start
  Clock::time_point deadline_;  ///< of a program that waits by calling nothing but `test`
};

class FakeCommunicator final : public Communicator, private WaitWatch {
 public:
  FakeCommunicator(FakeJob& job, int rank, int size) : Communicator(rank, size), job_(job) {}

  std::vector<Message> exchange(std::vector<Message> outgoing) override {
    for (const Message& message : outgoing)
      core::ensure(message.rank >= 0 && message.rank < size(), "a message to a rank out of range");
    std::vector<Message> incoming;
    const auto take = [&](FakeJob::Round& round) {
      for (int from = 0; from < size(); ++from)
        for (Message& message : round[static_cast<std::size_t>(from)]->messages)
          if (message.rank == rank()) incoming.push_back({from, std::move(message.bytes)});
    };
    collective("in an exchange", std::move(outgoing), {}, {}, take);
    return incoming;
  }

  Bytes gather_all(std::span<const std::byte> mine) override {
    Bytes all;
    const auto take = [&](FakeJob::Round& round) {
      for (const auto& one : round) all.insert(all.end(), one->bytes.begin(), one->bytes.end());
    };
    collective("gathering from all ranks", {}, Bytes(mine.begin(), mine.end()), {}, take);
    return all;
  }

  Bytes broadcast(Bytes bytes, int root) override {
    core::ensure(root >= 0 && root < size(), "a broadcast from a rank out of range");
    Bytes result;
    const auto take = [&](FakeJob::Round& round) {
      result = round[static_cast<std::size_t>(root)]->bytes;
    };
    collective("in a broadcast", {}, rank() == root ? std::move(bytes) : Bytes(), root, take);
    return result;
  }

  std::unique_ptr<Channel> open_channel(std::vector<Peer> sends, std::vector<Peer> receives,
                                        const core::HostAllocator& allocate) override {
    for (const auto* peers : {&sends, &receives})
      for (const Peer& peer : *peers)
        core::ensure(peer.rank >= 0 && peer.rank < size() && peer.rank != rank(),
                     "a channel to a rank out of range or to the own one");
    const auto lock = job_.lock();
    job_.throw_if_failed();
    return std::make_unique<FakeChannel>(job_, rank(), channels_++, std::move(sends),
                                         std::move(receives), allocate);
  }

  WaitWatch& watch() override { return *this; }

  double seconds() const override {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  }

  void end_job(int exit_code) override {
    const auto lock = job_.lock();
    job_.note_failure(
        Error(ErrorCode::communication_failure,
              fmt::format("rank {} has ended the job with exit code {}", rank(), exit_code)));
  }

 protected:
  /// Up a binomial tree to rank 0, and down again.
  void fold(std::span<ReductionBlock> blocks, const std::string& operation) override {
    auto lock = job_.lock();
    job_.throw_if_failed();
    const TreePosition tree(rank(), 0, size());
    for (const int child : tree.children) {
      const auto theirs = receive_blocks(lock, child, operation);
      if (theirs.front().greatest != blocks.front().greatest || !theirs.front().agrees())
        job_.report_mismatch(lock, rank(), child, operation.c_str());
      for (std::size_t k = 0; k < blocks.size(); ++k) blocks[k].fold(theirs[k]);
    }
    if (tree.parent) {
      send_blocks(*tree.parent, blocks);
      std::ranges::copy(receive_blocks(lock, *tree.parent, operation), blocks.begin());
    }
    for (const int child : tree.children) send_blocks(child, blocks);
  }

  std::int64_t sum_before(std::int64_t mine) override {
    const auto all = gather_records(*this, mine);
    return std::accumulate(all.begin(), all.begin() + rank(), std::int64_t{0});
  }

 private:
  void set_signature(CollectiveSignature signature) override {
    const auto lock = job_.lock();
    job_.throw_if_failed();
    job_.set_signature(rank(), std::move(signature));
  }
  std::uint64_t fingerprint() const override {
    const auto lock = job_.lock();
    return job_.fingerprint(rank());
  }
  void report_mismatch(int peer) override {
    auto lock = job_.lock();
    job_.report_mismatch(lock, rank(), peer, "reading a message that it did not expect");
  }

  void send_blocks(int to, std::span<const ReductionBlock> blocks) {
    if (job_.options.reduced_bytes != nullptr)
      (*job_.options.reduced_bytes)[static_cast<std::size_t>(rank())] +=
          static_cast<std::int64_t>(blocks.size_bytes());
    job_.mailbox(rank(), to, reductions, 0).push_back(to_bytes(blocks));
    job_.posted();
  }

  std::vector<ReductionBlock> receive_blocks(FakeJob::Lock& lock, int from,
                                             const std::string& operation) {
    auto& mailbox = job_.mailbox(from, rank(), reductions, 0);
    job_.wait(lock, rank(), operation.c_str(), [&] { return !mailbox.empty(); });
    const auto blocks = from_bytes<ReductionBlock>(mailbox.front());
    mailbox.pop_front();
    return blocks;
  }

  /// The number of the channel in which reductions travel.
  static constexpr std::size_t reductions = std::numeric_limits<std::size_t>::max();

  /// Contributes, waits for the others (or for `root` alone), compares the fingerprints and takes.
  void collective(const char* operation, std::vector<Message> messages, Bytes bytes,
                  std::optional<int> root, const std::function<void(FakeJob::Round&)>& take) {
    auto lock = job_.lock();
    job_.throw_if_failed();
    if (job_.options.other_collectives != nullptr)
      ++(*job_.options.other_collectives)[static_cast<std::size_t>(rank())];
    const std::size_t number = collectives_++;
    auto& round = job_.round(number);
    round[static_cast<std::size_t>(rank())] = {job_.fingerprint(rank()), operation,
                                               std::move(messages), std::move(bytes)};
    job_.posted();
    job_.wait(lock, rank(), operation, [&] {
      compare(lock, round, !root);
      if (root) return round[static_cast<std::size_t>(*root)].has_value();
      return std::all_of(round.begin(), round.end(), [](const auto& one) { return !!one; });
    });
    take(round);
    job_.leave_round(number);
  }

  /// @param sizes  whether all ranks contribute the same number of bytes
  void compare(FakeJob::Lock& lock, const FakeJob::Round& round, bool sizes) {
    const Contribution& mine = *round[static_cast<std::size_t>(rank())];
    for (int other = 0; other < size(); ++other) {
      const auto& theirs = round[static_cast<std::size_t>(other)];
      if (theirs &&
          (theirs->fingerprint != mine.fingerprint || theirs->operation != mine.operation ||
           (sizes && theirs->bytes.size() != mine.bytes.size())))
        job_.report_mismatch(lock, rank(), other, mine.operation.c_str());
    }
  }

  FakeJob& job_;
  std::uint64_t collectives_ = 0;
};

/// The message of whatever is being thrown.
std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "something that is not a std::exception";
  }
}

}  // namespace

void run_fake_ranks(int ranks, const std::function<void(Communicator&)>& program,
                    const FakeOptions& options) {
  for (std::vector<std::int64_t>* counts : {options.reduced_bytes, options.other_collectives})
    if (counts != nullptr) counts->assign(static_cast<std::size_t>(ranks), 0);
  FakeJob job(ranks, options);
  std::exception_ptr first_error;
  const auto run = [&](int rank) {
    FakeCommunicator communicator(job, rank, ranks);
    std::exception_ptr error;
    try {
      program(communicator);
    } catch (...) {
      error = std::current_exception();
    }
    const auto lock = job.lock();
    if (error && !first_error) {
      first_error = error;
      job.note_failure(Error(ErrorCode::communication_failure,
                             fmt::format("rank {} has failed: {}", rank, message_of(error))));
    }
    job.end_rank(rank);
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
  for (std::thread& thread : threads) thread.join();
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace op2::comm
