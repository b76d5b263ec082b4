// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/choice.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace op2::sched {
namespace {

/// Runs a choice as the policy does, among schedules that take `seconds`.
struct Executed {
  Choice choice;
  std::vector<double> seconds;
  std::vector<std::vector<double>>
      models{};  ///< what the model expects, measurement by measurement
  std::vector<int> executions{};
  double total = 0;
  int agreements = 0;
  std::vector<double> last{};  ///< what the model has said last; empty: as in the beginning

  void flushes(int count) {
    executions.resize(seconds.size());
    for (int k = 0; k < count; ++k) flush();
  }
  void flush() {
    const Choice::Turn turn = choice.next();
    total += seconds[turn.schedule];
    ++executions[turn.schedule];
    if (turn.timed) choice.add(seconds[turn.schedule]);
    if (choice.to_agree().empty()) return;
    const std::vector<double> all(choice.to_agree().begin(), choice.to_agree().end());
    choice.agree(all);
    ++agreements;
    if (models.empty()) return;
    choice.expect(models.front());
    models.erase(models.begin());
  }
};

TEST(Choice, IsTheModelsAtFirst) {
  Executed run{Choice({2, 1, 3}, {}), {2, 1, 3}};
  EXPECT_EQ(run.choice.choice(), 1u);
  run.flushes(1);
  EXPECT_EQ(run.executions, (std::vector<int>{0, 1, 0}));
}

TEST(Choice, IsMeasuredInItsFifthExecution) {
  Executed run{Choice({2, 1}, {}), {0.2, 0.1}};
  run.flushes(4);
  EXPECT_FALSE(run.choice.measured(1));
  EXPECT_TRUE(run.choice.is_first_measurement());
  run.flushes(1);
  EXPECT_DOUBLE_EQ(*run.choice.measured(1), 0.1);
}

/// As if loops in tiles took longer than the model had expected.
TEST(Choice, IsAnotherOneIfTheModelSaysSoWhenItIsMeasured) {
  Executed run{Choice({1, 0.8}, {}), {1, 1.5, 1.7}};
  run.models = {{1, 1.5, 1.7}};
  run.flushes(6);
  EXPECT_EQ(run.choice.choice(), 0u);
  EXPECT_EQ(run.choice.changed_at(), 0);
}

TEST(Choice, CountsWhatWasMeasuredMoreThanTheModel) {
  Executed run{Choice({1, 0.8}, {}), {1, 0.9}};
  run.models = {{0.7, 0.8}, {0.7, 0.8}};
  run.flushes(6);
  EXPECT_EQ(run.choice.choice(), 0u);
  run.flushes(6);
  EXPECT_EQ(run.choice.choice(), 1u);
}

/// Off has run before the decision, so that its plan costs nothing more.
TEST(Choice, IsRevertedIfOffIsFasterThanTheModelSays) {
  Executed run{Choice({1.02, 1, 1.1}, {1000, 0}), {0.8, 1, 1}};
  run.flushes(200);
  EXPECT_EQ(run.choice.choice(), 0u);
  EXPECT_GT(run.choice.changed_at(), 8);
  EXPECT_EQ(run.executions[2], 0);
}

TEST(Choice, StaysIfAnotherOneGainsLessThanTheHysteresis) {
  Executed run{Choice({1, 1.01}, {}), {1.02, 1.01}};
  run.flushes(2000);
  EXPECT_EQ(run.choice.choice(), 0u);
  EXPECT_GT(run.executions[1], 0);
}

/// The comparison times both, one after the other, though the choice was measured before.
TEST(Choice, IsComparedAsItIsNow) {
  Executed run{Choice({1, 1}, {}), {1, 1}};
  run.flushes(5);
  run.seconds = {2, 1};
  run.flushes(100);
  EXPECT_EQ(run.choice.choice(), 1u);
}

TEST(Choice, IsComparedWithOneThatBecomesFasterLater) {
  Executed run{Choice({1, 1.2}, {}), {1, 1.2}};
  run.flushes(300);
  run.seconds = {1.2, 1};
  run.flushes(1500);
  EXPECT_EQ(run.choice.choice(), 1u);
}

/// The budget of plans of 8 s comes after 800 flushes of a second.
TEST(Choice, IsComparedEarlyWithWhatShouldTakeAboutAsLongIfItsPlansTakeFewFlushes) {
  struct {
    double other, plans;
    bool is_compared;
  } const cases[] = {{1.05, 8, true}, {1.05, 8.1, false}, {1.15, 8, false}};
  for (const auto& [other, plans, is_compared] : cases) {
    Executed run{Choice({1, other}, {plans, 0}), {1, 0.9}};
    run.flushes(99);
    EXPECT_EQ(run.executions[1], 0);
    run.flushes(31);
    EXPECT_EQ(run.choice.choice(), is_compared ? 1u : 0u) << other << " " << plans;
  }
}

TEST(Choice, SpendsLittleOnComparisons) {
  Executed run{Choice({1, 1.4, 1.7, 1.9, 2.5}, {}), {1, 1.4, 1.7, 1.9, 2.5}};
  run.flushes(5000);
  EXPECT_LE(run.total, 1.01 * 5000);
  for (const int executions : run.executions) EXPECT_GT(executions, 0);
}

/// On a network with a high latency.
TEST(Choice, CountsTheAgreementsThatComparisonsNeed) {
  const auto agreements_with = [](double seconds) {
    Executed run{Choice({1, 1}, {0, seconds}), {1, 1}};
    run.flushes(1000);
    return run.agreements;
  };
  EXPECT_LT(agreements_with(8), agreements_with(0));
}

TEST(Choice, IsComparedEverMoreRarely) {
  Executed run{Choice({1, 1.001}, {}), {1, 1.001}};
  run.flushes(1000);
  const int first = run.executions[1];
  run.flushes(1000);
  EXPECT_LT(run.executions[1] - first, first / 2);
}

TEST(Choice, OfOneScheduleNeedsNoMeasurement) {
  Executed run{Choice({1}, {}), {1}};
  run.flushes(100);
  EXPECT_FALSE(run.choice.measured(0));  // for which the ranks would have to agree
}

}  // namespace
}  // namespace op2::sched
