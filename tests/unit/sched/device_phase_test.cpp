// SPDX-License-Identifier: BSD-3-Clause
// Which steps may run side by side on a device.
#include <sched/executor/gpu/executor.hpp>

#include <gtest/gtest.h>

#include <sched/analysis/fuse.hpp>
#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

struct TwoSteps {
  test::Ring ring{8};
  core::Queue queue;

  op_arg direct(core::Dat& dat, op_access access) { return op_arg_dat(&dat, access); }
  op_arg through(core::Dat& dat, op_access access) {
    return op_arg_dat(&dat, 0, &ring.ends, access);
  }
  bool second_waits(core::Set& first_set, op_arg first, core::Set& second_set, op_arg second,
                    bool atomic = true) {
    test::queue_loop(queue, first_set, first);
    test::queue_loop(queue, second_set, second);
    return must_follow(step_of(queue, 1), step_of(queue, 0), atomic);
  }
};

TEST(DevicePhase, ALoopThatReadsWaitsForTheOneThatWrites) {
  TwoSteps two;
  EXPECT_TRUE(two.second_waits(two.ring.cells, two.direct(two.ring.q, OP_WRITE), two.ring.edges,
                               two.through(two.ring.q, OP_READ)));
}

TEST(DevicePhase, ALoopThatWritesWaitsForTheOneThatReads) {
  TwoSteps two;
  EXPECT_TRUE(two.second_waits(two.ring.edges, two.through(two.ring.q, OP_READ), two.ring.cells,
                               two.direct(two.ring.q, OP_RW)));
}

TEST(DevicePhase, TwoLoopsThatReadDoNotWait) {
  TwoSteps two;
  EXPECT_FALSE(two.second_waits(two.ring.edges, two.through(two.ring.q, OP_READ), two.ring.cells,
                                two.direct(two.ring.q, OP_READ)));
}

TEST(DevicePhase, TwoLoopsThatIncrementThroughMapsDoNotWait) {
  TwoSteps two;
  EXPECT_FALSE(two.second_waits(two.ring.edges, two.through(two.ring.q, OP_INC), two.ring.edges,
                                two.through(two.ring.q, OP_INC)));
}

TEST(DevicePhase, IncrementsThatRowsGatherWait) {
  TwoSteps two;
  EXPECT_TRUE(two.second_waits(two.ring.edges, two.through(two.ring.q, OP_INC), two.ring.edges,
                               two.through(two.ring.q, OP_INC), false));
}

/// A direct increment is not atomic.
TEST(DevicePhase, DirectAndIndirectIncrementsWait) {
  TwoSteps two;
  EXPECT_TRUE(two.second_waits(two.ring.edges, two.through(two.ring.q, OP_INC), two.ring.cells,
                               two.direct(two.ring.q, OP_INC)));
}

TEST(DevicePhase, LoopsOnDifferentDatsDoNotWait) {
  TwoSteps two;
  EXPECT_FALSE(two.second_waits(two.ring.cells, two.direct(two.ring.q, OP_RW), two.ring.cells,
                                two.direct(two.ring.res, OP_RW)));
}

}  // namespace
}  // namespace op2::sched
