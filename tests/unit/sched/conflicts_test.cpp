// SPDX-License-Identifier: BSD-3-Clause
// Where iterations of a loop meet, and the shapes of its arguments.
#include <sched/analysis/order.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched/analysis/fuse.hpp>
#include <sched/executor/cpu/parts.hpp>
#include <sched/loop_requests.hpp>
#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

using test::queue_loop;

struct Conflicts : testing::Test {
  test::Ring ring{1000};
  core::Queue queue;
  op_arg q(int column, op_access access) { return op_arg_dat(&ring.q, column, &ring.ends, access); }
  op_arg res(int column, op_access access) {
    return op_arg_dat(&ring.res, column, &ring.ends, access);
  }
  /// Threads that have work in the plan of a loop for three threads; 1 if order matters.
  int busy_threads(const op_set_core* set, std::span<const core::LoopArg> args) {
    const ConflictPattern pattern = conflict_pattern(args);
    if (meets_out_of_order(pattern, set->size)) return 1;
    std::vector<RowAccess> accesses;
    for (const SharedDat& dat : pattern)
      accesses.insert(accesses.end(), dat.accesses.begin(), dat.accesses.end());
    const ThreadPlan plan = plan_threads({0, set->size}, 3, accesses);
    std::vector<bool> busy(3, false);
    for (const auto& stage : plan.stages)
      for (std::size_t t = 0; t < stage.size(); ++t) busy[t] = busy[t] || !stage[t].empty();
    return static_cast<int>(std::count(busy.begin(), busy.end(), true));
  }
};

TEST_F(Conflicts, ExtremesOfOneKindMayMeetInAnyOrder) {
  const auto all = [&](op_access first, op_access second) {
    return may_meet_out_of_order(
        conflict_pattern(queue_loop(queue, ring.edges, res(0, first), res(1, second))));
  };
  EXPECT_FALSE(all(OP_MIN, OP_MIN) || all(OP_MAX, OP_MAX) || all(OP_INC, OP_INC));
  EXPECT_TRUE(all(OP_MIN, OP_MAX) && all(OP_MIN, OP_INC) && all(OP_MIN, OP_READ));
}

TEST_F(Conflicts, EqualDatsAndEqualColumnsGetEqualNumbers) {
  const auto shapes = arg_shapes(
      queue_loop(queue, ring.edges, q(0, OP_READ), q(1, OP_READ), res(1, OP_INC), res(0, OP_INC)));
  EXPECT_EQ(shapes[0].dat, shapes[1].dat);
  EXPECT_NE(shapes[0].dat, shapes[2].dat);
  EXPECT_EQ(shapes[0].column, shapes[3].column);
  EXPECT_EQ(shapes[1].column, shapes[2].column);
  EXPECT_NE(shapes[0].column, shapes[1].column);
  EXPECT_EQ(shapes[0].map, shapes[1].map);
  EXPECT_EQ(shapes[0].arity, 2);
}

TEST_F(Conflicts, NumbersDoNotDependOnWhichDatsAreMeant) {
  const auto first = arg_shapes(queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_READ)));
  core::Dat& other = ring.mesh.add_dat(&ring.cells, 1, Type::f64, nullptr, "other", false);
  EXPECT_EQ(first, arg_shapes(queue_loop(queue, ring.cells, op_arg_dat(&other, OP_READ))));
}

TEST_F(Conflicts, AnArgumentThatIsOffHasNoDat) {
  const auto shapes = arg_shapes(
      queue_loop(queue, ring.cells, op_opt_arg_dat(0, nullptr, -1, OP_ID, 3, "float", OP_INC)));
  EXPECT_FALSE(shapes[0].active);
  EXPECT_EQ(shapes[0].dat, -1);
  EXPECT_EQ(shapes[0].type, Type::f32);
}

TEST_F(Conflicts, ArgumentsWithAFlagAreCountedAsInTheCall) {
  const auto args = queue_loop(queue, ring.edges, q(-2, OP_READ),
                               op_opt_arg_dat(1, &ring.q, 0, &ring.ends, 1, "double", OP_READ));
  EXPECT_EQ(optional_args(args), std::vector<std::int32_t>{1});
}

TEST_F(Conflicts, IncrementsThroughMapsAreShared) {
  EXPECT_EQ(
      busy_threads(&ring.edges, queue_loop(queue, ring.edges, res(0, OP_INC), res(1, OP_INC))), 3);
}

TEST_F(Conflicts, ReadsThroughMapsNeedNoOrder) {
  const auto args = queue_loop(queue, ring.edges, q(0, OP_READ), q(1, OP_READ));
  EXPECT_TRUE(conflict_pattern(args).empty());
  EXPECT_EQ(busy_threads(&ring.edges, args), 3);
}

TEST_F(Conflicts, OverwritesThatMeetStayInOrder) {
  EXPECT_EQ(
      busy_threads(&ring.edges, queue_loop(queue, ring.edges, q(0, OP_WRITE), q(1, OP_WRITE))), 1);
}

TEST_F(Conflicts, OverwritesThroughAnInjectiveColumnAreShared) {
  EXPECT_EQ(busy_threads(&ring.edges, queue_loop(queue, ring.edges, q(0, OP_RW))), 3);
}

TEST_F(Conflicts, ReadingRowsThatOtherElementsIncrementStaysInOrder) {
  EXPECT_EQ(busy_threads(&ring.edges, queue_loop(queue, ring.edges, q(0, OP_READ), q(1, OP_INC))),
            1);
}

TEST_F(Conflicts, RowsThatOthersModifyAreNamedWithTheirArguments) {
  const auto name = [&](const auto&... args) {
    return name_in_colours(queue_loop(queue, ring.edges, args...), false);
  };
  EXPECT_EQ(name(q(0, OP_READ), res(0, OP_INC), res(1, OP_READ), q(1, OP_READ)),
            "dat 'res' (arg 1 OP_INC, arg 2 OP_READ)");
  EXPECT_EQ(name(q(-2, OP_READ), res(0, OP_RW)), "dat 'res' (arg 1 OP_RW)");
  EXPECT_EQ(name(q(0, OP_READ), res(0, OP_INC)), "");
}

TEST_F(Conflicts, RowsThatAreOnlyWrittenAreInColoursOnRequest) {
  const auto args = queue_loop(queue, ring.edges, q(0, OP_WRITE), q(1, OP_WRITE), res(0, OP_INC));
  EXPECT_TRUE(dats_in_colours(args, false).empty());
  EXPECT_EQ(dats_in_colours(args, true), std::vector<const core::Dat*>{&ring.q});
  core::Colouring colouring{&ring.edges, 2, false, {}};
  EXPECT_EQ(conflict_pattern(args, &colouring).size(), 2U);
  colouring.writes = true;
  EXPECT_EQ(conflict_pattern(args, &colouring).size(), 1U);
  EXPECT_EQ(name_in_colours(args, true), "dat 'q' (arg 0 OP_WRITE, arg 1 OP_WRITE)");
}

TEST_F(Conflicts, ReadingThroughAMapWhatIsWrittenDirectlyStaysInOrder) {
  const auto shifted = test::Ring::ring(1000);
  core::Map& next = ring.mesh.add_map(&ring.cells, &ring.cells, 2, shifted.data(), "next");
  const auto args = queue_loop(queue, ring.cells, op_arg_dat(&ring.q, 1, &next, OP_READ),
                               op_arg_dat(&ring.q, OP_RW));
  EXPECT_EQ(busy_threads(&ring.cells, args), 1);
}

TEST_F(Conflicts, TwoOverwrittenDatsDoNotDisturbEachOther) {
  core::Dat& other = ring.mesh.add_dat(&ring.cells, 1, Type::f64, nullptr, "other", false);
  const auto args =
      queue_loop(queue, ring.edges, q(0, OP_RW), op_arg_dat(&other, 1, &ring.ends, OP_RW));
  EXPECT_EQ(busy_threads(&ring.edges, args), 3);
}

TEST_F(Conflicts, UsefulBytesCountEachDatOnceAndTwiceIfReadAndWritten) {
  queue_loop(queue, ring.edges, q(0, OP_READ), q(1, OP_READ), res(0, OP_INC), res(1, OP_INC));
  const double expected = 1000 * 8.0 + 2 * 1000 * 32.0 + 1000 * 2 * 4.0;
  EXPECT_EQ(step_of(queue, 0).useful_bytes(), expected);
}

}  // namespace
}  // namespace op2::sched
