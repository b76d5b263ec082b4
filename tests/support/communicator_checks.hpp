// SPDX-License-Identifier: BSD-3-Clause
// What every communicator must do, whatever it is made of. Each check is collective.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <comm/messages/communicator.hpp>
#include <comm/messages/reduce_values.hpp>

namespace op2::test {

using comm::Bytes;
using comm::Communicator;
using comm::Message;
using comm::Peer;

inline Bytes bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return Bytes(begin, begin + text.size());
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// Bytes that depend on sender, receiver and position.
inline Bytes pattern(int from, int to, std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] =
        static_cast<std::byte>(i * 7 + static_cast<std::size_t>(from * 31 + to * 17) + i / 251);
  return bytes;
}

inline void exchange_delivers_to_every_rank_in_order(Communicator& communicator) {
  std::vector<Message> outgoing;
  for (int to = communicator.size() - 1; to >= 0; --to)
    outgoing.push_back({to, pattern(communicator.rank(), to, 10 + static_cast<std::size_t>(to))});
  const auto incoming = communicator.exchange(outgoing);
  ASSERT_EQ(incoming.size(), static_cast<std::size_t>(communicator.size()));
  for (int from = 0; from < communicator.size(); ++from) {
    const Message& message = incoming[static_cast<std::size_t>(from)];
    EXPECT_EQ(message.rank, from);
    EXPECT_EQ(message.bytes, pattern(from, communicator.rank(),
                                     10 + static_cast<std::size_t>(communicator.rank())));
  }
}

inline void exchange_of_nothing_yields_nothing(Communicator& communicator) {
  EXPECT_TRUE(communicator.exchange({}).empty());
}

inline void exchange_keeps_the_order_of_several_messages_and_empty_ones(
    Communicator& communicator) {
  const int to = (communicator.rank() + 1) % communicator.size();
  const auto incoming =
      communicator.exchange({{to, bytes_of("first")}, {to, {}}, {to, bytes_of("third")}});
  ASSERT_EQ(incoming.size(), 3U);
  EXPECT_EQ(text_of(incoming[0].bytes), "first");
  EXPECT_EQ(text_of(incoming[1].bytes), "");
  EXPECT_EQ(text_of(incoming[2].bytes), "third");
  for (const Message& message : incoming)
    EXPECT_EQ(message.rank, (communicator.rank() + communicator.size() - 1) % communicator.size());
}

inline void exchange_carries_large_messages(Communicator& communicator) {
  constexpr std::size_t size = 3'000'001;
  std::vector<Message> outgoing;
  if (!communicator.is_root() || communicator.size() == 1)
    outgoing.push_back({0, pattern(communicator.rank(), 0, size)});
  const auto incoming = communicator.exchange(outgoing);
  ASSERT_EQ(incoming.size(), !communicator.is_root() ? 0U
                             : communicator.size() == 1
                                 ? 1U
                                 : static_cast<std::size_t>(communicator.size() - 1));
  for (const Message& message : incoming)
    EXPECT_TRUE(message.bytes == pattern(message.rank, 0, size)) << "from " << message.rank;
}

/// Ranks enter the next exchange while others still read the one before.
inline void consecutive_exchanges_do_not_mix(Communicator& communicator) {
  for (int turn = 0; turn < 200; ++turn) {
    const int to = (communicator.rank() + turn) % communicator.size();
    const auto incoming = communicator.exchange({{to, bytes_of(std::to_string(turn))}});
    ASSERT_EQ(incoming.size(), 1U);
    ASSERT_EQ(text_of(incoming[0].bytes), std::to_string(turn));
  }
}

inline void gather_all_is_in_the_order_of_ranks(Communicator& communicator) {
  for (const std::size_t size : {0U, 1U, 8U, 24U, 25U, 56U, 57U, 1000U, 100'000U}) {
    Bytes expected;
    for (int from = 0; from < communicator.size(); ++from) {
      const Bytes one = pattern(from, 0, size);
      expected.insert(expected.end(), one.begin(), one.end());
    }
    EXPECT_TRUE(communicator.gather_all(pattern(communicator.rank(), 0, size)) == expected) << size;
  }
}

inline void reduce_yields_sums_minima_and_maxima(Communicator& communicator) {
  const std::int64_t rank = communicator.rank(), ranks = communicator.size();
  comm::WordReduction words{{rank, 1, -rank}, {rank, -rank}, {rank}};
  communicator.reduce(words, "a test");
  const std::int64_t sum = ranks * (ranks - 1) / 2;
  EXPECT_EQ(words.sums, (std::vector<std::int64_t>{sum, ranks, -sum}));
  EXPECT_EQ(words.minima, (std::vector<std::int64_t>{0, 1 - ranks}));
  EXPECT_EQ(words.maxima, std::vector<std::int64_t>{ranks - 1});
}

inline void reduce_takes_any_length(Communicator& communicator) {
  const std::int64_t rank = communicator.rank(), ranks = communicator.size();
  for (const std::size_t count : {0U, 1U, 60U, 61U, 62U, 122U, 123U, 10'000U}) {
    comm::WordReduction words{std::vector<std::int64_t>(count, 3 * rank),
                              std::vector<std::int64_t>(count, rank),
                              std::vector<std::int64_t>(count / 2, rank)};
    communicator.reduce(words, "a test");
    EXPECT_EQ(words.sums, std::vector<std::int64_t>(count, 3 * ranks * (ranks - 1) / 2));
    EXPECT_EQ(words.minima, std::vector<std::int64_t>(count, 0));
    EXPECT_EQ(words.maxima, std::vector<std::int64_t>(count / 2, ranks - 1));
  }
}

inline void reduce_keeps_extreme_words(Communicator& communicator) {
  using Limits = std::numeric_limits<std::int64_t>;
  const bool last = communicator.rank() + 1 == communicator.size();
  comm::WordReduction words{{last ? Limits::max() : 0, last ? Limits::min() : 0},
                            {Limits::min(), Limits::max()},
                            {Limits::min(), Limits::max()}};
  communicator.reduce(words, "a test");
  const std::vector<std::int64_t> extremes{Limits::min(), Limits::max()};
  EXPECT_EQ(words.sums, (std::vector<std::int64_t>{Limits::max(), Limits::min()}));
  EXPECT_EQ(words.minima, extremes);
  EXPECT_EQ(words.maxima, extremes);
}

inline void partial_sums_are_of_the_ranks_before(Communicator& communicator) {
  const std::int64_t rank = communicator.rank(), ranks = communicator.size();
  const comm::PartialSum sum = communicator.partial_sum(rank + 5);
  EXPECT_EQ(sum.before, rank * (rank - 1) / 2 + 5 * rank);
  EXPECT_EQ(sum.total, ranks * (ranks - 1) / 2 + 5 * ranks);
}

/// Whatever the order of the ranks: a sum in which almost everything cancels.
inline void floating_sums_are_exact(Communicator& communicator) {
  const int rank = communicator.rank(), ranks = communicator.size();
  double sum = rank == 0 ? 1e300 : rank + 1 == ranks ? -1e300 : 1e-300;
  if (ranks == 1) sum = 0;
  float least = -static_cast<float>(rank);
  bool any = rank == ranks / 2;
  const comm::FoldedValues values[] = {{Type::f64, comm::Fold::sum, 1, &sum},
                                       {Type::f32, comm::Fold::least, 1, &least},
                                       {Type::b8, comm::Fold::sum, 1, &any}};
  comm::reduce_values(communicator, values);
  double rest = 0;
  for (int k = 0; k < ranks - 2; ++k) rest += 1e-300;
  EXPECT_DOUBLE_EQ(sum, rest);
  EXPECT_EQ(least, 1.F - static_cast<float>(ranks));
  EXPECT_TRUE(any);
}

inline void every_root_can_broadcast(Communicator& communicator) {
  for (int root = 0; root < communicator.size(); ++root)
    for (const std::size_t size : {0U, 5U, 2'000'003U}) {
      const Bytes mine = communicator.rank() == root ? pattern(root, 0, size) : bytes_of("ignored");
      EXPECT_TRUE(communicator.broadcast(mine, root) == pattern(root, 0, size)) << root;
    }
}

/// Left and right neighbour in a ring; with two ranks both are the same one. Empty for one rank.
inline std::vector<Peer> ring_neighbours(const Communicator& communicator, std::size_t bytes) {
  const int ranks = communicator.size(), rank = communicator.rank();
  if (ranks == 1) return {};
  return {{(rank + 1) % ranks, bytes}, {(rank + ranks - 1) % ranks, bytes}};
}

inline void fill(std::span<std::byte> buffer, const Bytes& bytes) {
  ASSERT_EQ(buffer.size(), bytes.size());
  std::copy(bytes.begin(), bytes.end(), buffer.begin());
}

inline void channels_transfer_again_and_again(Communicator& communicator) {
  constexpr std::size_t size = 70'001;
  const auto peers = ring_neighbours(communicator, size);
  // What the right neighbour sends to the left is what the left receives from the right: with two
  // ranks the first message of a pair goes to the right, so the first received is from the left.
  const std::vector<Peer> sources(peers.rbegin(), peers.rend());
  const auto channel = communicator.open_channel(peers, sources);
  for (int turn = 0; turn < 20; ++turn) {
    for (std::size_t k = 0; k < peers.size(); ++k)
      fill(channel->outgoing(k), pattern(communicator.rank() + turn, peers[k].rank, size));
    channel->start();
    if (turn % 2 == 0)
      while (!channel->test()) {
      }
    channel->wait();
    EXPECT_TRUE(channel->test());
    for (std::size_t k = 0; k < sources.size(); ++k)
      ASSERT_EQ(text_of(channel->incoming(k)),
                text_of(pattern(sources[k].rank + turn, communicator.rank(), size)));
  }
}

inline void channels_carry_several_messages_per_pair_and_empty_ones(Communicator& communicator) {
  std::vector<Peer> peers;
  for (int rank = 0; rank < communicator.size(); ++rank)
    if (rank != communicator.rank())
      for (const std::size_t size : {4U, 0U, 9000U}) peers.push_back({rank, size});
  const auto channel = communicator.open_channel(peers, peers);
  for (std::size_t k = 0; k < peers.size(); ++k)
    fill(channel->outgoing(k), pattern(communicator.rank(), peers[k].rank, peers[k].bytes));
  channel->start();
  channel->wait();
  for (std::size_t k = 0; k < peers.size(); ++k)
    EXPECT_EQ(text_of(channel->incoming(k)),
              text_of(pattern(peers[k].rank, communicator.rank(), peers[k].bytes)));
}

inline void two_channels_can_be_under_way(Communicator& communicator) {
  const auto peers = ring_neighbours(communicator, 8);
  const std::vector<Peer> sources(peers.rbegin(), peers.rend());
  const auto first = communicator.open_channel(peers, sources);
  const auto second = communicator.open_channel(peers, sources);
  for (std::size_t k = 0; k < peers.size(); ++k) {
    fill(first->outgoing(k), bytes_of("of first"));
    fill(second->outgoing(k), bytes_of("ofsecond"));
  }
  first->start();
  second->start();
  communicator.barrier();
  second->wait();
  first->wait();
  for (std::size_t k = 0; k < peers.size(); ++k) {
    EXPECT_EQ(text_of(first->incoming(k)), "of first");
    EXPECT_EQ(text_of(second->incoming(k)), "ofsecond");
  }
}

inline void channel_buffers_are_aligned(Communicator& communicator) {
  const auto peers = ring_neighbours(communicator, 3);
  const auto channel = communicator.open_channel(peers, peers);
  for (std::size_t k = 0; k < peers.size(); ++k) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(channel->outgoing(k).data()) % 64, 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(channel->incoming(k).data()) % 64, 0U);
  }
  EXPECT_TRUE(channel->test()) << "nothing was started";
}

struct CommunicatorCheck {
  const char* name;
  void (*run)(Communicator&);
};

/// Names a function as a check.
#define OP2_CHECK(function)        \
  op2::test::CommunicatorCheck {   \
    #function, op2::test::function \
  }

inline const CommunicatorCheck communicator_checks[] = {
    OP2_CHECK(exchange_delivers_to_every_rank_in_order),
    OP2_CHECK(exchange_of_nothing_yields_nothing),
    OP2_CHECK(exchange_keeps_the_order_of_several_messages_and_empty_ones),
    OP2_CHECK(exchange_carries_large_messages),
    OP2_CHECK(consecutive_exchanges_do_not_mix),
    OP2_CHECK(gather_all_is_in_the_order_of_ranks),
    OP2_CHECK(reduce_yields_sums_minima_and_maxima),
    OP2_CHECK(reduce_takes_any_length),
    OP2_CHECK(reduce_keeps_extreme_words),
    OP2_CHECK(partial_sums_are_of_the_ranks_before),
    OP2_CHECK(floating_sums_are_exact),
    OP2_CHECK(every_root_can_broadcast),
    OP2_CHECK(channels_transfer_again_and_again),
    OP2_CHECK(channels_carry_several_messages_per_pair_and_empty_ones),
    OP2_CHECK(two_channels_can_be_under_way),
    OP2_CHECK(channel_buffers_are_aligned),
};

}  // namespace op2::test
