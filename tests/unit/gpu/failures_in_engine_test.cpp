// SPDX-License-Identifier: BSD-3-Clause
// Each call of the device of rank 0 fails in turn, in a program that runs through the whole engine:
// an error that says what has failed, on every rank, and nothing is left behind.
#include <new>
#include <string>

#include "small_program.hpp"

namespace op2::test::gpu {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Case = std::tuple<core::ChainMode, Failure>;

class FailureOfEveryCall : public ::testing::TestWithParam<Case> {
 protected:
  /// @param k  0: none
  static Trial run(std::int64_t k) {
    const auto [chain, failure] = GetParam();
    return try_small_program("lazy", chain, [&, failure = failure](Device& device) {
      device.failures().fail_at(k, failure);
    });
  }
  void SetUp() override { calls_ = run(0).calls; }

  std::int64_t calls_ = 0;
};
INSTANTIATE_TEST_SUITE_P(
    Cases, FailureOfEveryCall,
    ::testing::Combine(::testing::Values(core::ChainMode::on, core::ChainMode::off),
                       ::testing::Values(Failure::launch_failed, Failure::device_lost,
                                         Failure::out_of_memory)));

/// Calls that only an executor makes which ends may fail unseen: the program has its results.
TEST_P(FailureOfEveryCall, GivesAnErrorThatSaysWhatHasFailedOrTheRightValues) {
  int errors = 0;
  for (std::int64_t k = 1; k <= calls_; ++k) {
    const Trial trial = run(k);
    EXPECT_EQ(trial.wrong, 0) << k;
    if (trial.error.empty()) continue;
    ++errors;
    EXPECT_THAT(trial.error,
                AnyOf(StartsWith("OP2-E508 device fault: device gpu0, "),
                      StartsWith("OP2-E505 out of device memory: "), std::bad_alloc().what()))
        << k;
  }
  EXPECT_GT(errors, 100);
}

TEST_P(FailureOfEveryCall, LeavesNoMemoryAllocatedAndIsNoMistakeOfTheProgram) {
  for (std::int64_t k = 1; k <= calls_; ++k) {
    const Trial trial = run(k);
    EXPECT_EQ(trial.live_bytes, 0U) << k;
    EXPECT_THAT(trial.findings, IsEmpty()) << k;
  }
}

TEST(FailureOnADevice, EndsTheOtherRankWithAMessage) {
  std::string said_on_rank_1;
  const auto program = [&](comm::Communicator& ranks) {
    DeviceOfThread of({.name = "gpu" + std::to_string(ranks.rank())});
    if (ranks.rank() == 0) of.device.failures().fail_at(30, Failure::device_lost);
    try {
      run_small_program(ranks, core::ChainMode::on);
    } catch (const Error& error) {
      if (ranks.rank() == 1) said_on_rank_1 = error.what();
      throw;
    }
  };
  EXPECT_THROW(comm::run_fake_ranks(2, program), Error);
  EXPECT_THAT(said_on_rank_1, HasSubstr("rank 0 has failed: OP2-E508 device fault: device gpu0"));
}

}  // namespace
}  // namespace op2::test::gpu
