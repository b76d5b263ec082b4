// SPDX-License-Identifier: BSD-3-Clause
// The message layer of one rank and the fake one.
#include <comm/messages/communicator.hpp>

#include <atomic>
#include <bit>
#include <stdexcept>

#include <gmock/gmock.h>

#include <comm/messages/message_layer.hpp>
#include <comm/messages/reduce_values.hpp>
#include <support/communicator_checks.hpp>
#include <support/expect_error.hpp>
#include <support/fake_communicator.hpp>

namespace op2::test {
namespace {

using comm::CollectiveSignature;
using comm::FakeOptions;
using comm::run_fake_ranks;
using testing::HasSubstr;

class EveryCheck : public testing::TestWithParam<CommunicatorCheck> {};

TEST_P(EveryCheck, HoldsForOneRankAlone) {
  GetParam().run(*comm::make_self_communicator());
}

TEST_P(EveryCheck, HoldsForFakeRanks) {
  for (const int ranks : {1, 2, 3, 7}) run_fake_ranks(ranks, GetParam().run);
}

TEST_P(EveryCheck, HoldsForFakeRanksThatDeliverAtOnce) {
  run_fake_ranks(3, GetParam().run, {.late_delivery = false});
}

INSTANTIATE_TEST_SUITE_P(Communicator, EveryCheck, testing::ValuesIn(communicator_checks),
                         [](const auto& check) { return std::string(check.param.name); });

CollectiveSignature loop(std::uint64_t fingerprint, std::string steps) {
  return {fingerprint, [steps] { return steps; }};
}

/// A channel with every other rank, one message of `bytes` each.
std::unique_ptr<comm::Channel> channel_to_all(Communicator& ranks, std::size_t bytes) {
  std::vector<Peer> peers;
  for (int rank = 0; rank < ranks.size(); ++rank)
    if (rank != ranks.rank()) peers.push_back({rank, bytes});
  return ranks.open_channel(peers, peers);
}

TEST(FakeCommunicator, DeliversNothingBeforeTheWait) {
  run_fake_ranks(2, [](Communicator& ranks) {
    const auto channel = channel_to_all(ranks, 1);
    channel->outgoing(0)[0] = std::byte{7};
    channel->start();
    ranks.barrier();
    EXPECT_FALSE(channel->test());
    EXPECT_EQ(channel->incoming(0)[0], std::byte{0});
    channel->wait();
    EXPECT_EQ(channel->incoming(0)[0], std::byte{7});
  });
}

TEST(FakeCommunicator, NoticesThatABufferIsWrittenWhileItIsSent) {
  const auto text = error_text(ErrorCode::internal, [] {
    run_fake_ranks(2, [](Communicator& ranks) {
      const auto channel = channel_to_all(ranks, 1);
      channel->start();
      channel->outgoing(0)[0] = std::byte{1};
      channel->wait();
    });
  });
  EXPECT_THAT(text, HasSubstr("outgoing buffer was written"));
}

TEST(FakeCommunicator, CollectivesWithDifferentFingerprintsNameBothLoops) {
  const auto text = error_text(ErrorCode::collective_mismatch, [] {
    run_fake_ranks(3, [](Communicator& ranks) {
      const bool odd = ranks.rank() == 1;
      ranks.set_signature(loop(odd ? 2 : 1, odd ? "same\nloop 'update' (a.cpp:7)"
                                                : "same\nloop 'res_calc' (a.cpp:5) on 'edges'"));
      ranks.barrier();
    });
  });
  EXPECT_THAT(text, HasSubstr("rank 1 is at: loop 'update' (a.cpp:7)"));
  EXPECT_THAT(text, HasSubstr("is at: loop 'res_calc' (a.cpp:5) on 'edges'"));
}

TEST(FakeCommunicator, DeclarationsThatDifferAreNamedInTheNextCollective) {
  const auto text = error_text(ErrorCode::collective_mismatch, [] {
    run_fake_ranks(3, [](Communicator& ranks) {
      ranks.declare("dat 'a' on set 's', 1 x double");
      ranks.declare(ranks.rank() == 1 ? "dat 't' on set 's', 1 x float"
                                      : "dat 't' on set 's', 1 x double");
      ranks.set_signature(loop(1, "op_partition"));
      ranks.barrier();
    });
  });
  EXPECT_THAT(text, HasSubstr("ranks declare different data: "));
  EXPECT_THAT(text, HasSubstr("rank 1 declares dat 't' on set 's', 1 x float (number 2)"));
  EXPECT_THAT(text, HasSubstr("declares dat 't' on set 's', 1 x double (number 2)"));
  EXPECT_THAT(text, HasSubstr("; declare the same dats, with equal sets, types and dims"));
}

TEST(FakeCommunicator, ARankThatDeclaresMoreIsNamed) {
  const auto text = error_text(ErrorCode::collective_mismatch, [] {
    run_fake_ranks(2, [](Communicator& ranks) {
      if (!ranks.is_root()) ranks.declare("dat 't' on set 's', 1 x float");
      ranks.set_signature(loop(1, "op_partition"));
      ranks.barrier();
    });
  });
  EXPECT_THAT(text, HasSubstr("rank 0 declares nothing more; rank 1 declares dat 't' on set 's', "
                              "1 x float (number 1); "));
}

TEST(FakeCommunicator, DeclarationsAreComparedOnce) {
  run_fake_ranks(2, [](Communicator& ranks) {
    EXPECT_FALSE(ranks.has_declared());
    ranks.declare("dat 'a' on set 's', 1 x double");
    EXPECT_TRUE(ranks.has_declared());
    ranks.set_signature(loop(1, "op_partition"));
    ranks.barrier();
    EXPECT_FALSE(ranks.has_declared());
  });
}

/// Declared after the signature was set, it is not compared yet.
TEST(FakeCommunicator, DeclarationsBelongToTheNextSignature) {
  run_fake_ranks(2, [](Communicator& ranks) {
    ranks.set_signature(loop(1, "op_partition"));
    ranks.declare("dat 'a' on set 's', 1 x double");
    ranks.barrier();
    EXPECT_TRUE(ranks.has_declared());
  });
}

TEST(FakeCommunicator, DifferentCollectivesAreAMismatch) {
  const auto text = error_text(ErrorCode::collective_mismatch, [] {
    run_fake_ranks(2, [](Communicator& ranks) {
      ranks.is_root() ? ranks.barrier() : void(ranks.exchange({}));
    });
  });
  EXPECT_THAT(text, HasSubstr("rank 0 is at: waiting for all ranks"));
  EXPECT_THAT(text, HasSubstr("rank 1 is at: in an exchange"));
}

TEST(FakeCommunicator, ANumberOfBytesThatDiffersIsAMismatch) {
  error_text(ErrorCode::collective_mismatch, [] {
    run_fake_ranks(2,
                   [](Communicator& ranks) { ranks.gather_all(Bytes(ranks.is_root() ? 3 : 4)); });
  });
}

/// The message of two ranks that reduce different things.
std::string mismatch_of(const comm::WordReduction& first, const std::string& one,
                        const comm::WordReduction& second, const std::string& other) {
  return error_text(ErrorCode::collective_mismatch, [&] {
    run_fake_ranks(2, [&](Communicator& ranks) {
      auto words = ranks.is_root() ? first : second;
      ranks.reduce(words, ranks.is_root() ? one : other);
    });
  });
}

TEST(FakeCommunicator, ReductionsOfDifferentLengthsAreAMismatch) {
  const auto text = mismatch_of({{1}, {}, {}}, "rows", {{1, 2}, {}, {}}, "rows");
  EXPECT_THAT(text, HasSubstr("rank 0 is at: rows: 1 sums, 0 minima, 0 maxima"));
  EXPECT_THAT(text, HasSubstr("rank 1 is at: rows: 2 sums, 0 minima, 0 maxima"));
}

TEST(FakeCommunicator, ReductionsByDifferentOperationsAreAMismatch) {
  const auto text = mismatch_of({{1}, {}, {}}, "rows", {{}, {1}, {}}, "rows");
  EXPECT_THAT(text, HasSubstr("rank 1 is at: rows: 0 sums, 1 minima, 0 maxima"));
}

TEST(FakeCommunicator, ReductionsInAnotherOrderAreAMismatch) {
  const auto text = mismatch_of({{1}, {}, {}}, "rows", {{1}, {}, {}}, "errors");
  EXPECT_THAT(text, HasSubstr("rank 0 is at: rows"));
  EXPECT_THAT(text, HasSubstr("rank 1 is at: errors"));
}

TEST(FakeCommunicator, ReducedValuesOfDifferentTypesAreAMismatch) {
  const auto text = error_text(ErrorCode::collective_mismatch, [] {
    run_fake_ranks(2, [](Communicator& ranks) {
      std::int64_t value = 1;
      const Type type = ranks.is_root() ? Type::i64 : Type::u64;
      const comm::FoldedValues values[] = {{type, comm::Fold::greatest, 1, &value}};
      comm::reduce_values(ranks, values);
    });
  });
  EXPECT_THAT(text, HasSubstr("rank 0 is at: reducing 1 x ll (maximum)"));
  EXPECT_THAT(text, HasSubstr("rank 1 is at: reducing 1 x ull (maximum)"));
}

TEST(FakeCommunicator, AReductionHandsOverBytesInProportionToTheDepthOfTheTree) {
  for (const int ranks : {2, 4, 8, 64}) {
    std::vector<std::int64_t> bytes;
    run_fake_ranks(ranks,
                   [](Communicator& one) {
                     double sum = one.rank();
                     const comm::FoldedValues values[] = {{Type::f64, comm::Fold::sum, 1, &sum}};
                     comm::reduce_values(one, values);
                   },
                   {.reduced_bytes = &bytes});
    const int depth = std::bit_width(static_cast<unsigned>(ranks)) - 1;
    for (const std::int64_t handed : bytes) EXPECT_LE(handed, 512 * depth) << ranks;
    EXPECT_GT(bytes.front(), 0);
  }
}

TEST(FakeCommunicator, AChannelAgainstACollectiveIsAMismatchAtOnce) {
  const auto text = error_text(ErrorCode::collective_mismatch, [] {
    run_fake_ranks(2, [](Communicator& ranks) {
      ranks.set_signature(loop(static_cast<std::uint64_t>(ranks.rank()),
                               ranks.is_root() ? "loop 'a' (x.cpp:1)" : "loop 'b' (x.cpp:2)"));
      if (!ranks.is_root()) return ranks.barrier();
      const auto channel = channel_to_all(ranks, 8);
      channel->start();
      channel->wait();
    });
  });
  EXPECT_THAT(text,
              HasSubstr("rank 0 is at: loop 'a' (x.cpp:1); rank 1 is at: loop 'b' (x.cpp:2)"));
}

TEST(FakeCommunicator, ARankThatEndsEarlyIsNamed) {
  const auto text = error_text(ErrorCode::collective_mismatch, [] {
    run_fake_ranks(3, [](Communicator& ranks) {
      ranks.set_signature(loop(5, "loop 'a' (x.cpp:1)"));
      if (ranks.rank() != 2) ranks.barrier();
    });
  });
  EXPECT_THAT(text, HasSubstr("rank 2 is at: the end of its program"));
}

TEST(FakeCommunicator, AMessageOfAnotherSizeIsAMismatch) {
  error_text(ErrorCode::collective_mismatch, [] {
    run_fake_ranks(2, [](Communicator& ranks) {
      const auto channel = channel_to_all(ranks, ranks.is_root() ? 8 : 16);
      channel->start();
      channel->wait();
      ranks.barrier();
    });
  });
}

TEST(FakeCommunicator, AReportedMismatchNamesBothSides) {
  const auto text = error_text(ErrorCode::kernel_differs, [] {
    run_fake_ranks(2, [](Communicator& ranks) {
      ranks.set_signature(loop(
          1, ranks.is_root() ? "loop 'a' (x.cpp:1) source=12" : "loop 'a' (x.cpp:1) source=34"));
      if (ranks.is_root()) ranks.watch().report_mismatch(1);
      ranks.barrier();
    });
  });
  EXPECT_THAT(text, HasSubstr("source=12"));
  EXPECT_THAT(text, HasSubstr("source=34"));
}

TEST(FakeCommunicator, AnEndlessWaitForARankThatNeverWaitsEnds) {
  std::atomic<bool> ended = false;
  const auto text = error_text(ErrorCode::collective_mismatch, [&] {
    run_fake_ranks(2,
                   [&](Communicator& ranks) {
                     if (!ranks.is_root()) return ended.wait(false);
                     try {
                       ranks.barrier();
                     } catch (...) {
                       ended = true;
                       ended.notify_all();
                       throw;
                     }
                   },
                   {.seconds_before_mismatch = 0.1});
  });
  EXPECT_THAT(text, HasSubstr("rank 1 is at: computation"));
}

TEST(FakeCommunicator, TestingForEverEnds) {
  error_text(ErrorCode::collective_mismatch, [] {
    run_fake_ranks(2,
                   [](Communicator& ranks) {
                     const auto channel = channel_to_all(ranks, 1);
                     if (!ranks.is_root()) return ranks.barrier();
                     channel->start();
                     while (!channel->test()) {
                     }
                   },
                   {.seconds_before_mismatch = 0.1});
  });
}

TEST(FakeCommunicator, TheFirstErrorEndsAllRanks) {
  std::atomic<int> ended = 0;
  const auto program = [&](Communicator& ranks) {
    if (ranks.rank() == 1) throw std::logic_error("first");
    const auto text = error_text(ErrorCode::communication_failure, [&] { ranks.barrier(); });
    EXPECT_THAT(text, HasSubstr("rank 1 has failed: first"));
    ++ended;
  };
  EXPECT_THROW(run_fake_ranks(3, program), std::logic_error);
  EXPECT_EQ(ended, 2);
}

TEST(FakeCommunicator, AnEndedJobEndsTheOtherRanks) {
  const auto text = error_text(ErrorCode::communication_failure, [] {
    run_fake_ranks(
        2, [](Communicator& ranks) { ranks.is_root() ? ranks.end_job(65) : ranks.barrier(); });
  });
  EXPECT_THAT(text, HasSubstr("rank 0 has ended the job with exit code 65"));
}

TEST(CollectiveMismatch, ShowsTheFirstDifferenceOfLongDescriptions) {
  const auto error = comm::collective_mismatch({4, 1, "a\nb\nc"}, {2, 2, "a\nx\nc"});
  EXPECT_THAT(error.what(), HasSubstr("rank 2 is at: x; rank 4 is at: b"));
}

TEST(CollectiveMismatch, NamesTheRankThatHasDoneLess) {
  const auto error = comm::collective_mismatch({0, 1, "a"}, {1, 2, "a\nb"});
  EXPECT_THAT(error.what(), HasSubstr("rank 0 is at: no further call; rank 1 is at: b"));
}

TEST(CollectiveMismatch, OfFingerprintsAloneShowsThem) {
  const auto error = comm::collective_mismatch({0, 1, "a\nb"}, {1, 2, "a\nb"});
  EXPECT_THAT(error.what(), HasSubstr("(fingerprints 0000000000000001 and 0000000000000002)"));
}

TEST(CollectiveMismatch, OfTextsIsOneOfKernelsOnlyIfTheLoopHasOneName) {
  EXPECT_EQ(
      comm::collective_mismatch({0, 1, "loop 'a' source=1"}, {1, 2, "loop 'a' source=2"}).code(),
      ErrorCode::kernel_differs);
  EXPECT_EQ(
      comm::collective_mismatch({0, 1, "loop 'a' source=1"}, {1, 2, "loop 'b' source=2"}).code(),
      ErrorCode::collective_mismatch);
  EXPECT_EQ(comm::collective_mismatch({0, 1, "loop 'a' on 'x' source=1"},
                                      {1, 2, "loop 'a' on 'y' source=1"})
                .code(),
            ErrorCode::collective_mismatch);
}

}  // namespace

}  // namespace op2::test
