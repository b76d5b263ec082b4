// SPDX-License-Identifier: BSD-3-Clause
// Ranks that do different things end with an error that names them; slow ranks are waited for.
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include <gmock/gmock.h>

#include <mpi.h>

#include <comm/files/hdf5_file.hpp>
#include <comm/messages/mpi_communicator.hpp>
#include <comm/messages/reduce_values.hpp>
#include <support/communicator_checks.hpp>
#include <support/expect_error.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

using comm::Channel;
using comm::MpiOptions;
using comm::start_mpi;
using std::chrono_literals::operator""ms;
using testing::AllOf;
using testing::HasSubstr;

/// A session whose ranks reduce as in a job; with TEST_NODE_SIZE=k, by nodes of k ranks each.
std::unique_ptr<comm::MpiSession> session_of_test(const MpiOptions& options) {
  auto session = start_mpi({}, options);
  if (const char* ranks_per_node = std::getenv("TEST_NODE_SIZE"))
    session->communicator->reduce_by(core::ReduceMode::by_node, std::stoi(ranks_per_node));
  return session;
}

class MpiMismatch : public testing::Test {
 protected:
  /// What this rank is about: rank 1 does something else if it is `odd`.
  void differ(const std::string& usual, const std::string& odd) {
    const std::string& mine = ranks.rank() == 1 ? odd : usual;
    ranks.set_signature({std::hash<std::string>()(mine), [mine] { return "setup\n" + mine; }});
  }
  void differ() { differ("loop 'res_calc' (airfoil.cpp:214)", "loop 'update' (airfoil.cpp:230)"); }

  void same() {
    ranks.set_signature({7, [] { return std::string("loop 'save' (airfoil.cpp:200)"); }});
  }

  std::unique_ptr<Channel> channel_to(std::vector<int> peers, std::size_t bytes) {
    return channel(peers, peers, bytes);
  }

  std::unique_ptr<Channel> channel(const std::vector<int>& to, const std::vector<int>& from,
                                   std::size_t bytes) {
    std::vector<Peer> sends, receives;
    for (const int rank : to) sends.push_back({rank, bytes});
    for (const int rank : from) receives.push_back({rank, bytes});
    return ranks.open_channel(sends, receives);
  }

  std::unique_ptr<Channel> channel_to_all(std::size_t bytes) {
    std::vector<int> others;
    for (int rank = 0; rank < ranks.size(); ++rank)
      if (rank != ranks.rank()) others.push_back(rank);
    return channel_to(others, bytes);
  }

  static void transfer(Channel& channel) {
    channel.start();
    channel.wait();
  }

  /// All ranks must fail, and each message names rank 1 and its loop and another one.
  template <class Action>
  void expect_both_loops(Action action) {
    const auto text = error_text(ErrorCode::collective_mismatch, action);
    EXPECT_THAT(text, HasSubstr("rank 1 is at: loop 'update' (airfoil.cpp:230)"));
    EXPECT_THAT(text, HasSubstr("is at: loop 'res_calc' (airfoil.cpp:214)"));
  }

  std::unique_ptr<comm::MpiSession> session = session_of_test({.seconds_before_asking = 0.2});
  comm::Communicator& ranks = *session->communicator;
  const bool is_odd = ranks.rank() == 1;
};

TEST_F(MpiMismatch, InGatheringIsSeenAtOnce) {
  differ();
  expect_both_loops([&] { ranks.barrier(); });
}

TEST_F(MpiMismatch, InTheSizeOfWhatIsGathered) {
  same();
  const auto text = error_text(ErrorCode::collective_mismatch,
                               [&] { ranks.gather_all(Bytes(is_odd ? 8U : 9U)); });
  EXPECT_THAT(text, HasSubstr("is at: gathering 9 bytes from all ranks"));
  EXPECT_THAT(text, HasSubstr("rank 1 is at: gathering 8 bytes from all ranks"));
}

TEST_F(MpiMismatch, InTheLengthOfAReduction) {
  same();
  comm::WordReduction words{std::vector<std::int64_t>(is_odd ? 8U : 900U), {}, {}};
  const auto text =
      error_text(ErrorCode::collective_mismatch, [&] { ranks.reduce(words, "rows"); });
  EXPECT_THAT(text, HasSubstr("is at: rows: 900 sums, 0 minima, 0 maxima"));
  EXPECT_THAT(text, HasSubstr("rank 1 is at: rows: 8 sums, 0 minima, 0 maxima"));
}

TEST_F(MpiMismatch, InTheOperationOfAReduction) {
  same();
  const std::vector<std::int64_t> one(1);
  comm::WordReduction words;
  (is_odd ? words.minima : words.maxima) = one;
  const auto text =
      error_text(ErrorCode::collective_mismatch, [&] { ranks.reduce(words, "rows"); });
  EXPECT_THAT(text, HasSubstr("rank 1 is at: rows: 0 sums, 1 minima, 0 maxima"));
}

TEST_F(MpiMismatch, InTheTypeOfReducedValues) {
  same();
  std::int64_t value = 1;
  const comm::FoldedValues values[] = {
      {is_odd ? Type::u64 : Type::i64, comm::Fold::sum, 1, &value}};
  const auto text =
      error_text(ErrorCode::collective_mismatch, [&] { comm::reduce_values(ranks, values); });
  EXPECT_THAT(text, HasSubstr("is at: reducing 1 x ll (sum)"));
  EXPECT_THAT(text, HasSubstr("rank 1 is at: reducing 1 x ull (sum)"));
}

TEST_F(MpiMismatch, InTheOrderOfReductions) {
  same();
  comm::WordReduction sums{{1}, {}, {}}, minima{{}, {1}, {}};
  const auto text = error_text(ErrorCode::collective_mismatch, [&] {
    ranks.reduce(is_odd ? sums : minima, is_odd ? "sums" : "minima");
    ranks.reduce(is_odd ? minima : sums, is_odd ? "minima" : "sums");
  });
  EXPECT_THAT(text, HasSubstr("rank 1 is at: sums"));
}

TEST_F(MpiMismatch, OfAReductionAndAGathering) {
  differ();
  expect_both_loops([&] { is_odd ? ranks.barrier() : void(ranks.gather_all(Bytes(8))); });
}

TEST_F(MpiMismatch, InAnExchangeYieldsNoData) {
  differ();
  expect_both_loops([&] { ranks.exchange({{(ranks.rank() + 1) % ranks.size(), Bytes(5)}}); });
}

TEST_F(MpiMismatch, OfAnExchangeAndAGathering) {
  differ();
  expect_both_loops([&] {
    if (is_odd)
      ranks.barrier();
    else
      ranks.exchange({{1, Bytes(100'000)}});
  });
}

TEST_F(MpiMismatch, OfABroadcastAndAGathering) {
  differ();
  expect_both_loops([&] {
    if (is_odd)
      ranks.barrier();
    else
      ranks.broadcast(Bytes(100'000), 0), ranks.barrier();
  });
}

TEST_F(MpiMismatch, OfTwoBroadcasts) {
  differ();
  expect_both_loops([&] { ranks.broadcast(Bytes(10), 0), ranks.barrier(); });
}

TEST_F(MpiMismatch, OfAChannelAndAGathering) {
  const auto channel = channel_to_all(1000);
  differ();
  expect_both_loops([&] { is_odd ? ranks.barrier() : transfer(*channel); });
}

TEST_F(MpiMismatch, OfTwoChannels) {
  const auto one = channel_to_all(1000), other = channel_to_all(2000);
  differ();
  expect_both_loops([&] { transfer(is_odd ? *one : *other); });
}

TEST_F(MpiMismatch, OfChannelsThatAreOpenedInDifferentCalls) {
  differ();
  const auto channel = channel_to_all(is_odd ? 1'000'000 : 2'000'000);
  expect_both_loops([&] { transfer(*channel); });
}

TEST_F(MpiMismatch, StaysAnError) {
  differ();
  expect_both_loops([&] { ranks.barrier(); });
  expect_both_loops([&] { ranks.exchange({}); });
}

TEST_F(MpiMismatch, OfLargeMessagesThatWaitForTheirReceivers) {
  const auto one = channel_to_all(3'000'000), other = channel_to_all(2'000'000);
  differ();
  expect_both_loops([&] { transfer(is_odd ? *one : *other); });
}

TEST_F(MpiMismatch, InTheSizesOfMessages) {
#ifdef MPICH_VERSION
  GTEST_SKIP() << "MPICH ends the job with a message of its own, whatever the communicator says";
#endif
  same();
  error_text(ErrorCode::collective_mismatch, [&] {
    transfer(*channel_to_all(is_odd ? 16 : 8));
    ranks.barrier();
  });
}

TEST_F(MpiMismatch, WithTheSameDescriptionShowsTheOperations) {
  same();
  const auto text = error_text(ErrorCode::collective_mismatch,
                               [&] { is_odd ? ranks.barrier() : void(ranks.exchange({})); });
  EXPECT_THAT(text, HasSubstr("is at: in an exchange"));
  EXPECT_THAT(text, HasSubstr("rank 1 is at: waiting for all ranks"));
}

TEST_F(MpiMismatch, ThatTheCallerHasSeenNamesBothSides) {
  differ();
  MPI_Barrier(MPI_COMM_WORLD);  // others may still wait in a collective of the setup
  expect_both_loops([&] {
    if (ranks.rank() == 0) ranks.watch().report_mismatch(1);
    ranks.barrier();
  });
}

TEST_F(MpiMismatch, OfTextsIsOneOfKernels) {
  differ("loop 'flux' (a.cpp:1) source=abc", "loop 'flux' (a.cpp:1) source=def");
  const auto text = error_text(ErrorCode::kernel_differs, [&] { ranks.barrier(); });
  EXPECT_THAT(text, HasSubstr("rank 1 is at: loop 'flux' (a.cpp:1) source=def"));
}

TEST_F(MpiMismatch, WithLongDescriptionsShowsOneLine) {
  std::string steps;
  for (int k = 0; k < 5000; ++k) steps += "loop 'k" + std::to_string(k) + "' (a.cpp:1)\n";
  differ(steps + "loop 'x' (a.cpp:2)", steps + "loop 'y' (a.cpp:3)");
  const auto text = error_text(ErrorCode::collective_mismatch, [&] { ranks.barrier(); });
  EXPECT_THAT(text, HasSubstr("rank 1 is at: loop 'y' (a.cpp:3)"));
}

/// Each rank waits for the one before it, on a channel that this one does not serve.
TEST_F(MpiMismatch, AroundACycleOfAllRanks) {
  const int size = ranks.size(), rank = ranks.rank();
  std::vector<std::unique_ptr<Channel>> channels;
  for (int k = 0; k < size; ++k)
    channels.push_back(channel({(rank + 1) % size}, {(rank + size - 1) % size}, 10));
  differ();
  expect_both_loops([&] { transfer(*channels[static_cast<std::size_t>(rank)]); });
}

TEST_F(MpiMismatch, IsNotSeenInARankThatIsSlow) {
  same();
  if (is_odd) std::this_thread::sleep_for(1500ms);
  ranks.barrier();
  EXPECT_EQ(ranks.gather_all(Bytes(2)).size(), 2U * static_cast<unsigned>(ranks.size()));
}

/// Rank 0 waits in its second step for rank 1, which waits in its first for the slow rank 2.
TEST_F(MpiMismatch, IsNotSeenInRanksThatWaitInDifferentSteps) {
  if (ranks.size() < 3) GTEST_SKIP() << "for three ranks";
  const int rank = ranks.rank();
  const auto first = rank == 1 ? channel_to({0, 2}, 8)
                               : channel_to(rank > 2 ? std::vector<int>() : std::vector{1}, 8);
  ranks.set_signature({1, [] { return std::string("first"); }});
  if (rank == 2) std::this_thread::sleep_for(1500ms);
  first->start();
  first->wait();
  ranks.set_signature({2, [] { return std::string("second"); }});
  first->start();
  first->wait();
  ranks.barrier();
}

/// Rank 1 does not wait until the first rank has told that it waits: nothing depends on times.
class LongWait : public testing::Test {
 protected:
  void make_the_others_wait(const std::function<void()>& action) {
    ranks.watch().on_long_wait([this](const std::string& text) {
      told.push_back(text);
      char done = 0;
      MPI_Send(&done, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    });
    ranks.set_signature({7, [] { return std::string("loop 'save' (airfoil.cpp:200)"); }});
    char done = 0;
    if (ranks.rank() == 1) MPI_Recv(&done, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    action();
    ranks.barrier();
  }

  std::unique_ptr<comm::MpiSession> session =
      session_of_test({.seconds_before_asking = 0.05, .seconds_before_reporting = 0.3});
  comm::Communicator& ranks = *session->communicator;
  std::vector<std::string> told;
};

TEST_F(LongWait, IsToldOnceByTheFirstRankThatWaits) {
  make_the_others_wait([&] { ranks.barrier(); });
  if (ranks.rank() != 0) {
    EXPECT_THAT(told, testing::IsEmpty());
    return;
  }
  EXPECT_THAT(told,
              testing::ElementsAre(HasSubstr(
                  "a long wait: rank 0 waits for rank 1, for loop 'save' (airfoil.cpp:200), "
                  "0.3 s so far; no answer, because it computes, writes a file, or stands still")));
}

#if OP2_TEST_HDF5
TEST_F(LongWait, NamesTheFileThatIsWritten) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "flow.h5").string();
  make_the_others_wait(
      [&] { const comm::Hdf5File file(ranks, path, comm::Hdf5File::Access::create); });
  if (ranks.rank() == 0) {
    EXPECT_THAT(told,
                testing::ElementsAre(AllOf(HasSubstr("for the file '" + path + "', "),
                                           HasSubstr("no answer, because it writes the file"))));
  }
}
#endif

TEST_F(LongWait, NamesItsPurposeAndThatARankCompiles) {
  make_the_others_wait([&] {
    const comm::Waiting waiting(
        ranks, [] { return comm::WaitPurpose{"the code of loop 'flow'", "it compiles"}; });
    ranks.barrier();
  });
  if (ranks.rank() == 0) {
    EXPECT_THAT(told,
                testing::ElementsAre(HasSubstr(
                    "for the code of loop 'flow', 0.3 s so far; no answer, because it compiles")));
  }
}

}  // namespace
}  // namespace op2::test
