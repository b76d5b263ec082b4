// SPDX-License-Identifier: BSD-3-Clause
#include <sched/describe.hpp>

#include <gmock/gmock.h>

#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

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
