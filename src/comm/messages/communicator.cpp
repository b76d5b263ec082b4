// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/communicator.hpp>

#include <utility>

#include <fmt/format.h>

#include <comm/messages/message_layer.hpp>
#include <core/clock.hpp>
#include <core/error.hpp>

namespace op2::comm {

namespace {

/// FNV-1a, seeded with the fingerprint of the signature; ranks compare the results.
std::uint64_t fingerprint_of(std::uint64_t begin, std::string_view text) {
  std::uint64_t hash = begin ^ 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::string description_of(const WordReduction& words, std::string_view what) {
  if (words.sums.empty() && words.minima.empty() && words.maxima.empty()) return std::string(what);
  std::string text;
  text.reserve(what.size() + 64);
  text += what;
  const auto add = [&](const char* before, std::size_t count, const char* name) {
    text += before + std::to_string(count) + name;
  };
  add(": ", words.sums.size(), " sums");
  add(", ", words.minima.size(), " minima");
  add(", ", words.maxima.size(), " maxima");
  return text;
}

}  // namespace

std::string Communicator::log_prefix() const {
  return size_ == 1 ? "" : fmt::format("[rank {}/{}] ", rank_, size_);
}

void Communicator::set_signature(CollectiveSignature signature) {
  declared_in_signature_ = declared_;
  signature.fingerprint ^= declared_fingerprint_;
  if (declared_ != nullptr)
    signature.describe = [call = std::move(signature.describe), declared = declared_] {
      return (call ? call() : std::string()) + *declared;
    };
  watch().set_signature(std::move(signature));
}

void Communicator::declare(std::string_view what) {
  if (size_ == 1) return;
  constexpr std::size_t most = 100'000;  // bytes: temporary dats may be declared for ever
  const std::string line =
      fmt::format("\n{}{} (number {})", declared_prefix, what, ++declarations_);
  declared_fingerprint_ = fingerprint_of(declared_fingerprint_, line);
  const bool is_short = declared_ != nullptr && declared_->size() < most;
  declared_ = std::make_shared<const std::string>(is_short ? *declared_ + line : line);
}

void Communicator::reduce(WordReduction& words, std::string_view description) {
  if (size_ == 1) return;
  const std::string operation = description_of(words, description);
  auto blocks = packed(words, fingerprint_of(watch().fingerprint(), operation));
  fold(blocks, operation);
  unpack(blocks, words);
  if (declared_ == declared_in_signature_) declared_ = nullptr;  // all ranks have the same
}

std::int64_t Communicator::sum(std::int64_t mine, std::string_view description) {
  WordReduction words{{mine}, {}, {}};
  reduce(words, description);
  return words.sums.front();
}

std::int64_t Communicator::minimum(std::int64_t mine, std::string_view description) {
  WordReduction words{{}, {mine}, {}};
  reduce(words, description);
  return words.minima.front();
}

std::int64_t Communicator::maximum(std::int64_t mine, std::string_view description) {
  WordReduction words{{}, {}, {mine}};
  reduce(words, description);
  return words.maxima.front();
}

PartialSum Communicator::partial_sum(std::int64_t mine) {
  if (size_ == 1) return {0, mine};
  const std::int64_t total = sum(mine, "summing over the ranks");
  return {sum_before(mine), total};
}

void Communicator::barrier() {
  WordReduction nothing;
  reduce(nothing, "waiting for all ranks");
}

void Communicator::align_channels() {
  channels_ = static_cast<std::uint64_t>(
      maximum(static_cast<std::int64_t>(channels_), "counting channels"));
}

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

class SelfCommunicator final : public Communicator, private WaitWatch {
 public:
  SelfCommunicator() : Communicator(0, 1) {}

  WaitWatch& watch() override { return *this; }

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

  double seconds() const override { return core::seconds_since({}); }

  void end_job(int) override {}

 private:
  void set_signature(CollectiveSignature) override {}
  std::uint64_t fingerprint() const override { return 0; }
  void report_mismatch(int) override {
    core::fail(ErrorCode::collective_mismatch,
               "a collective mismatch on one rank; please report it");
  }
  void fold(std::span<ReductionBlock>, const std::string&) override {}
  std::int64_t sum_before(std::int64_t) override { return 0; }
};

}  // namespace

std::unique_ptr<Communicator> make_self_communicator() {
  return std::make_unique<SelfCommunicator>();
}

}  // namespace op2::comm
