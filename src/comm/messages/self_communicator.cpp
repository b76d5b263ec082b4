// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <utility>

#include <comm/messages/communicator.hpp>
#include <comm/messages/reduction_blocks.hpp>
#include <core/error.hpp>

namespace op2::comm {

namespace {

/// The channel of a single rank.
class EmptyChannel final : public Channel {
 public:
  std::span<std::byte> outgoing(std::size_t) override { no_message(); }
  std::span<const std::byte> incoming(std::size_t) const override { no_message(); }
  void start() override {}
  bool test() override { return true; }
  void wait() override {}

 private:
  [[noreturn]] static void no_message() {
    core::fail(ErrorCode::internal, "a channel of one rank has a message; please report it");
  }
};

class SelfCommunicator final : public Communicator {
 public:
  SelfCommunicator() : Communicator(0, 1) {}

  std::vector<Message> exchange(std::vector<Message> outgoing) override {
    for (const Message& message : outgoing)
      core::ensure(message.rank == 0, "a message to an invalid rank");
    return outgoing;
  }

  Bytes gather_all(std::span<const std::byte> mine) override {
    return Bytes(mine.begin(), mine.end());
  }

  Bytes broadcast(Bytes bytes, int root) override {
    core::ensure(root == 0, "a broadcast from an invalid rank");
    return bytes;
  }

  std::unique_ptr<Channel> open_channel(std::vector<Peer> sends, std::vector<Peer> receives,
                                        const core::HostAllocator&) override {
    core::ensure(sends.empty() && receives.empty(), "a channel of one rank has a peer");
    return std::make_unique<EmptyChannel>();
  }

  void report_mismatch(int) override {
    core::fail(ErrorCode::collective_mismatch,
               "a collective mismatch on one rank; please report it");
  }

  double seconds() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  void end_job(int) override {}

 protected:
  void put_signature(CollectiveSignature) override {}
  std::uint64_t fingerprint() const override { return 0; }
  void fold(std::span<ReductionBlock>, const std::string&) override {}
  std::int64_t sum_before(std::int64_t) override { return 0; }
};

}  // namespace

std::unique_ptr<Communicator> make_self_communicator() {
  return std::make_unique<SelfCommunicator>();
}

}  // namespace op2::comm
