// SPDX-License-Identifier: BSD-3-Clause
// What a debug build finds wrong in the values of passes, and how lines about waits name loops.
#include <sched/passes.hpp>

#include <gmock/gmock.h>

#include <sched/analysis/fuse.hpp>
#include <sched/code.hpp>
#include <support/expect_error.hpp>
#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

using test::error_text;
using testing::AllOf;
using testing::HasSubstr;

/// Two loops over cells in one chain, and a plan for them.
struct Verify : testing::Test {
  test::Ring ring;
  core::Queue queue;
  Plan plan;

  Verify() {
    for (int k = 0; k < 2; ++k) test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
    plan.analysis.chains = {{{0, 2}, {}, 0}};
    plan.analysis.loops.assign(2, {core::no_level, 0});
    plan.steps =
        make_steps(queue, plan.analysis, {Order::any, Order::any},
                   {false, [](const auto&) { return true; }, [](const auto&) { return false; }});
    plan.code.resize(2);
    plan.rows.resize(2);
  }
  std::string of_cut(const std::vector<RecordRange>& cut) {
    return error_text(ErrorCode::internal, [&] { verify(queue, cut); });
  }
  std::string of_analysis() {
    return error_text(ErrorCode::internal, [&] { verify(queue, plan.analysis); });
  }
  std::string of_steps() {
    return error_text(ErrorCode::internal, [&] { verify(queue, plan.steps, plan.analysis); });
  }
};

TEST_F(Verify, AcceptsWhatThePassesMake) {
  verify(queue, std::vector<RecordRange>{{0, 1}, {1, 2}});
  verify(queue, plan.analysis);
  verify(queue, plan.steps, plan.analysis);
}

TEST_F(Verify, FindsRecordsThatNoChainHas) {
  EXPECT_THAT(of_cut({{0, 1}}), AllOf(HasSubstr("pass 'cut'"), HasSubstr("end at 1 of 2")));
  EXPECT_THAT(of_cut({{1, 2}}), HasSubstr("begins at 1 instead of 0"));
  EXPECT_THAT(of_cut({{0, 0}, {0, 2}}), HasSubstr("is empty"));
}

TEST_F(Verify, FindsAnInteriorThatCannotBe) {
  plan.analysis.loops[1].interior = -2;
  EXPECT_THAT(of_analysis(), HasSubstr("loops[1]: interior -2 without an exchange"));
  plan.analysis.loops[1].interior = 1;
  EXPECT_THAT(of_analysis(), HasSubstr("loops[1]: interior 1 beyond extent 0"));
}

TEST_F(Verify, FindsLayersThatAreNoHalo) {
  plan.analysis.chains[0].exchanged.push_back({&ring.q, 2, 2});
  EXPECT_THAT(of_analysis(), HasSubstr("levels 2 to 2 of dat 'q'"));
}

TEST_F(Verify, FindsRecordsThatNoStepRuns) {
  plan.steps.all.pop_back();
  plan.steps.begin.back() = 1;
  EXPECT_THAT(of_steps(), AllOf(HasSubstr("pass 'fuse'"), HasSubstr("record 1 is in 0 steps")));
}

TEST_F(Verify, FindsAnArgumentWithoutAPlace) {
  plan.steps.all[0].kernels[0].args[0].position = 7;
  EXPECT_THAT(of_steps(), HasSubstr("argument at 7 of 1"));
}

TEST_F(Verify, FindsStepsThatNothingCanRun) {
  EXPECT_THAT(error_text(ErrorCode::internal, [&] { verify(queue, Code{plan.code}, plan.steps); }),
              HasSubstr("kernel 'kernel' has neither code nor a host function"));
}

/// An assignment, then two loops.
struct Described : testing::Test {
  test::Ring ring;
  core::Queue queue;
  double zero = 0;
  std::vector<Step> steps{3};

  Described() {
    queue.push_assignment(ring.mesh.add_global(1, Type::f64, &zero, "total"), &zero);
    for (int k = 0; k < 2; ++k) test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
    for (std::size_t k = 0; k < steps.size(); ++k) steps[k].record = k;
    steps.front().kind = Step::Kind::assignment;
  }
};

TEST_F(Described, CallsOfAChainAreNamedWithoutItsAssignments) {
  EXPECT_THAT(describe_calls(queue, steps),
              testing::MatchesRegex("loop '.+' \\(.+:[0-9]+\\) and 1 other"));
}

TEST_F(Described, ALoopInSeveralColoursIsOneCall) {
  steps[2].record = 1;
  steps[2].colour = 1;
  EXPECT_THAT(describe_calls(queue, steps), testing::EndsWith(")"));
}

TEST_F(Described, AChainOfFurtherColoursNamesTheirLoop) {
  steps[1].colour = steps[2].colour = 3;
  EXPECT_THAT(describe_calls(queue, std::span(steps).last(1)), testing::StartsWith("loop '"));
  EXPECT_THAT(describe_calls(queue, steps), testing::EndsWith(")"));
}

TEST_F(Described, AssignmentsAloneAreNoLoop) {
  EXPECT_EQ(describe_calls(queue, std::span(steps).first(1)), "no loop");
}

}  // namespace
}  // namespace op2::sched
