// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/trials.hpp>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace op2::sched {
namespace {

/// Runs the trials as an engine does, with schedules that take `seconds`. Times are agreed `delay`
/// flushes after they are complete.
struct Executed {
  Trials trials;
  std::vector<double> seconds;
  int delay = 1;
  std::vector<int> executions{};
  double total = 0;
  int waiting = 0;
  std::vector<std::vector<double>> models{};  ///< what the model expects when it is asked again
  std::function<double(std::size_t schedule)> next_plan{};  ///< seconds of a plan before it runs
  double reduction = 0;                                     ///< seconds that an agreement takes
  int agreements = 0;

  void flushes(int count) {
    executions.resize(seconds.size());
    for (int k = 0; k < count; ++k) flush();
  }
  void flush() {
    const Trials::Turn turn = trials.next();
    total += seconds[turn.schedule];
    ++executions[turn.schedule];
    if (next_plan) trials.prepared(next_plan(turn.schedule));
    if (turn.timed) trials.add(seconds[turn.schedule]);
    if (trials.to_agree().empty() || ++waiting <= delay) return;
    waiting = 0;
    const std::vector<double> all(trials.to_agree().begin(), trials.to_agree().end());
    const bool is_asked = trials.is_to_be_revised() && !models.empty();
    trials.agree(all, reduction);
    ++agreements;
    total += reduction;
    if (!is_asked) return;
    trials.revise(models.front());
    models.erase(models.begin());
  }
};

TEST(Trials, TheModelChoosesFirst) {
  Executed run{Trials({2, 1, 3}, 0), {2, 1, 3}};
  EXPECT_EQ(run.trials.choice(), 1u);
  run.flushes(1);
  EXPECT_EQ(run.executions, (std::vector<int>{0, 1, 0}));
}

/// Other sequences leave other halos: all times are of another state.
TEST(Trials, NoTimeCountsAfterAChangeOfConditions) {
  Executed run{Trials({2, 1}, 0), {0.2, 0.1}};
  run.flushes(100);
  ASSERT_TRUE(run.trials.measured(0) && run.trials.measured(1));
  ASSERT_TRUE(run.trials.is_idle());
  run.trials.begin_anew({1, 2, 3});
  EXPECT_EQ(run.trials.choice(), 0u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_FALSE(run.trials.measured(k));
  run.seconds = {0.1, 0.2, 0.05};
  run.flushes(3000);
  EXPECT_EQ(run.trials.choice(), 2u);
}

TEST(Trials, TheChoiceIsMeasured) {
  Executed run{Trials({2, 1}, 0), {0.2, 0.1}};
  EXPECT_FALSE(run.trials.measured(1));
  run.flushes(7);
  EXPECT_DOUBLE_EQ(*run.trials.measured(1), 0.1);
}

TEST(Trials, AWrongChoiceIsCorrectedAfterTwoTrials) {
  Executed run{Trials({1, 1.2}, 0), {1.2, 1}};
  run.flushes(60);
  EXPECT_EQ(run.trials.choice(), 1u);
  EXPECT_GT(run.trials.changed_at(), 8);
  const int others = run.executions[0];
  run.flushes(100);
  EXPECT_LE(run.executions[0], others + 5);
}

TEST(Trials, LessThanTheHysteresisChangesNothing) {
  Executed run{Trials({1, 1.01}, 0), {1.02, 1}};
  run.flushes(2000);
  EXPECT_EQ(run.trials.choice(), 0u);
}

/// As if the machine had been busy with something else while the choice ran.
TEST(Trials, OneTrialThatIsWonByChanceChangesNothing) {
  Executed run{Trials({1, 1.02}, 0), {1, 1.02}};
  for (int flush = 0; flush < 400; ++flush) {
    run.flushes(1);
    run.seconds[1] = run.executions[1] < 9 ? 0.9 : 1.02;  // a probe of 4, and a trial of 5
  }
  EXPECT_GE(run.executions[1], 14);
  EXPECT_EQ(run.trials.changed_at(), 0);
}

/// 400 flushes of a second. The other schedule is faster than expected, but a plan of it takes 100
/// s.
struct DearPlan : Executed {
  /// @param execution  of it, after which the plan is made
  explicit DearPlan(int execution) : Executed{Trials({1, 1.02}, 0), {1, 0.9}} {
    next_plan = [this, execution](std::size_t schedule) {
      return schedule == 1 && executions[1] == execution ? 100.0 : 0;
    };
    flushes(400);
  }
};

TEST(Trials, TheSecondTrialAfterAWonOneNeedsNoBudget) {
  DearPlan run(5);  // in the first trial
  EXPECT_EQ(run.trials.choice(), 1u);
  run.trials.begin_anew({1, 1.02});
  EXPECT_EQ(run.trials.changed_at(), 0);
}

TEST(Trials, WhatWasFasterIsTriedAgainAlthoughItsPlanWasDear) {
  EXPECT_EQ(DearPlan(1).trials.choice(), 1u);  // in the probe
}

TEST(Trials, AProbeThatWasDearDelaysTrials) {
  for (const double plan : {0.0, 100.0}) {
    Executed run{Trials({1, 1.02, 1.2}, 0), {1, 1.02, 1.2}};
    run.next_plan = [&](std::size_t schedule) {
      return schedule == 1 && run.executions[1] == 1 ? plan : 0;
    };
    run.flushes(400);
    EXPECT_EQ(run.executions[2] > 0, plan == 0) << plan;
  }
}

/// The budget of a plan of 8 s comes after 1600 flushes of a second.
TEST(Trials, OneThatShouldTakeAboutAsLongAsTheChoiceIsTriedEarlyIfItsPlansTakeFewFlushes) {
  struct {
    double other, plan;
    bool is_tried;
  } const cases[] = {{1.05, 8, true}, {1.05, 8.1, false}, {1.15, 8, false}};
  for (const auto& [other, plan, is_tried] : cases) {
    Executed run{Trials({1, other}, plan), {1, 0.9}};
    run.flushes(99);
    EXPECT_EQ(run.executions[1], 0);
    run.flushes(31);
    EXPECT_EQ(run.trials.choice(), is_tried ? 1u : 0u) << other << " " << plan;
  }
}

/// Before there is a budget.
TEST(Trials, WhatShouldGainItsCostInAsManyFlushesAsThereHaveBeenIsTried) {
  for (const double expected : {0.9, 0.93}) {
    Executed run{Trials({1, 1.3}, 30), {1, 0.9}};
    run.flushes(299);
    run.trials.expect({1, expected});
    run.flushes(20);
    EXPECT_EQ(run.executions[1] > 0, expected < 0.91) << expected;
  }
}

TEST(Trials, TheyTakeLessThanTheirBudget) {
  Executed run{Trials({1, 1.4, 1.7, 1.9, 2.5}, 0), {1, 1.4, 1.7, 1.9, 2.5}};
  run.flushes(5000);
  EXPECT_LE(run.total, 1.01 * 5000);
  for (const int executions : run.executions) EXPECT_GT(executions, 0);
}

TEST(Trials, WhatIsExpectedToTakeTwiceAsLongIsNotProbed) {
  Executed run{Trials({1, 2.5}, 0), {1, 2.5}};
  run.flushes(100);
  EXPECT_EQ(run.executions[1], 0);
}

/// Then it knows what loops take.
TEST(Trials, WhenTheModelHasBeenAskedAgainOnlyWhatShouldTakeLittleMoreIsProbed) {
  for (const double other : {1.2, 1.5}) {
    Executed run{Trials({other, 1}, 0), {other, 1}};
    run.models = {{other, 1}};
    run.flushes(100);
    EXPECT_EQ(run.executions[0] > 0, other < 1.25) << other;
  }
}

TEST(Trials, APlanThatIsDearIsMadeOnceItsTimeIsSmall) {
  Executed run{Trials({1, 1.5}, 10), {1, 1.5}};
  run.flushes(900);
  EXPECT_EQ(run.executions[1], 0);
  run.flushes(1500);
  EXPECT_GT(run.executions[1], 0);
}

/// As if loops in tiles took longer than the model had expected.
TEST(Trials, TheModelIsAskedAgainWhenItsChoiceIsMeasured) {
  Executed run{Trials({1, 0.8}, 0), {1, 1.5, 1.7}};
  run.models = {{1, 1.5, 1.7}};
  run.flushes(6);
  EXPECT_EQ(run.executions[1], 6);
  EXPECT_EQ(run.trials.choice(), 0u);
  EXPECT_EQ(run.trials.changed_at(), 0);
  run.flushes(100);
  EXPECT_EQ(run.executions, (std::vector<int>{96, 6, 4}));  // with a probe of the new one
  EXPECT_EQ(*run.trials.measured(0), 1);
}

TEST(Trials, TheModelIsAskedOnceForEachChoice) {
  Executed run{Trials({1, 0.8}, 0), {1, 1}};
  run.models = {{0.7, 0.8}, {0.7, 0.8}, {0.7, 0.8}};
  run.flushes(1000);
  EXPECT_EQ(run.models.size(), 1u);
}

TEST(Trials, WhatIsMeasuredCountsMoreThanTheModel) {
  Executed run{Trials({1, 0.8}, 0), {1, 0.9}};
  run.models = {{0.7, 0.8}, {0.7, 0.8}};
  run.flushes(6);
  EXPECT_EQ(run.trials.choice(), 0u);
  run.flushes(6);
  EXPECT_EQ(run.trials.choice(), 1u);
}

/// Here a plan took three hundred times as long as was expected: so the next trial has to wait.
TEST(Trials, WhatPlansHaveReallyTakenCounts) {
  const auto executions_with = [](double plan) {
    Executed run{Trials({1, 1.2, 1.3}, 0.1), {1, 1.2, 1.3}};
    std::vector<bool> made(3, false);
    for (int k = 0; k < 3000; ++k) {
      run.next_plan = [&](std::size_t schedule) {
        const bool is_new = schedule != 0 && !made[schedule];
        made[schedule] = true;
        return is_new ? plan : 0;
      };
      run.flushes(1);
    }
    return run.executions[1] + run.executions[2];
  };
  EXPECT_LT(2 * executions_with(30), executions_with(0.1));
}

/// The choice may need a plan for the halos that the other schedule has left.
TEST(Trials, PlansForTheWayBackCount) {
  const auto executions_with = [](double plan) {
    Executed run{Trials({1, 1.2, 1.3}, 0), {1, 1.2, 1.3}};
    std::size_t before = 0;
    run.next_plan = [&](std::size_t schedule) {
      return std::exchange(before, schedule) != schedule && schedule == 0 ? plan : 0;
    };
    run.flushes(3000);
    return run.executions[1] + run.executions[2];
  };
  EXPECT_LT(2 * executions_with(10), executions_with(0));
}

/// Of a program that makes none itself, on a network with a high latency.
TEST(Trials, ReductionsThatAreMadeForThemCount) {
  Executed run{Trials({1, 1.4}, 0), {1, 1.4}};
  run.reduction = 4;
  run.flushes(30);  // the first measurement, and a probe
  const double before = run.total;
  run.flushes(5000);
  EXPECT_GT(run.agreements, 2);
  EXPECT_LE(run.total - before, 1.01 * 5000);
}

/// Off has run before the decision, so that its plan costs nothing more.
TEST(Trials, OffIsProbedThoughPlansAreDear) {
  Executed run{Trials({1.2, 1, 1.1}, 1000), {0.8, 1, 1}};
  run.flushes(60);
  EXPECT_EQ(run.trials.choice(), 0u);
  EXPECT_EQ(run.executions[2], 0);
}

/// Tiles are made in the second execution of a plan, and need not pay.
TEST(Trials, WhatRunsBeforeTilesAreMadeDoesNotCount) {
  Executed run{Trials({1, 1.1}, 0), {1, 1}};
  int in_a_row = 0;
  for (int flush = 0; flush < 100; ++flush) {
    const int before = run.executions.empty() ? 0 : run.executions[0];
    run.seconds[0] = in_a_row < 2 ? 0.9 : 1.5;
    run.flushes(1);
    in_a_row = run.executions[0] > before ? in_a_row + 1 : 0;
  }
  EXPECT_EQ(run.trials.choice(), 1u);
}

TEST(Trials, TrialsThatAreLostBecomeRare) {
  Executed run{Trials({1, 1.001}, 0), {1, 1.001}};
  run.flushes(1000);
  const int first = run.executions[1];
  run.flushes(1000);
  EXPECT_LT(run.executions[1] - first, first / 2);
}

TEST(Trials, AScheduleThatBecomesFasterLaterIsFound) {
  Executed run{Trials({1, 1.2}, 0), {1, 1.2}};
  run.flushes(300);
  run.seconds = {1.2, 1};
  run.flushes(1500);
  EXPECT_EQ(run.trials.choice(), 1u);
}

/// Each rank may find another time; only the agreed ones decide.
TEST(Trials, NothingIsDecidedBeforeTheRanksAgree) {
  Executed run{Trials({1, 1.2}, 0), {1.2, 1}, 1'000'000};
  run.flushes(500);
  EXPECT_EQ(run.trials.choice(), 0u);
  EXPECT_EQ(run.executions[1], 0);
  EXPECT_EQ(run.trials.to_agree().size(), 3u + 1);  // and what plans took
}

TEST(Trials, OneScheduleNeedsNoTrial) {
  Executed run{Trials({1}, 0), {1}};
  run.flushes(100);
  EXPECT_EQ(run.trials.choice(), 0u);
  EXPECT_FALSE(run.trials.measured(0));  // for which the ranks would have to agree
}

}  // namespace
}  // namespace op2::sched
