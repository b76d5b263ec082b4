// SPDX-License-Identifier: BSD-3-Clause
// Which loops may become one step, and what their arguments are.
#include <sched/fuse.hpp>

#include <gmock/gmock.h>

#include <sched/merge_args.hpp>
#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

using testing::ElementsAre;

/// Loops over the cells or the edges of a ring.
struct Loops {
  test::Ring ring{8};
  core::Dat& w = ring.mesh.add_dat(&ring.edges, 1, Type::f64, nullptr, "w", false);
  core::Queue queue;
  std::vector<LoopLevels> levels;
  std::vector<Order> order;
  FusionRules rules{true, [](const core::LoopRecord&) { return true; },
                    [](const std::vector<std::size_t>&) { return false; }};

  template <class... Args>
  void add(core::Set& set, Args... args) {
    test::queue_loop(queue, set, args...);
    levels.push_back({core::no_level, 0});
    order.push_back(Order::any);
  }
  op_arg direct(core::Dat& dat, op_access access) { return op_arg_dat(&dat, access); }
  op_arg through(core::Dat& dat, int column, op_access access) {
    return op_arg_dat(&dat, column, &ring.ends, access);
  }
  void add_two() {
    for (int k = 0; k < 2; ++k) add(ring.cells, direct(ring.q, OP_RW));
  }
  auto groups() const {
    return fusion_groups(queue, {{0, queue.size()}, {}, 0}, levels, order, rules);
  }
  bool fuses() const { return groups().size() < queue.size(); }
};

TEST(Fuse, TakesNeighboursThatShareDirectData) {
  Loops loops;
  for (int k = 0; k < 3; ++k) loops.add(loops.ring.cells, loops.direct(loops.ring.q, OP_RW));
  EXPECT_THAT(loops.groups(), ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(Fuse, LeavesLoopsAloneThatShareNothing) {
  Loops loops;
  loops.add(loops.ring.cells, loops.direct(loops.ring.q, OP_RW));
  loops.add(loops.ring.cells, loops.direct(loops.ring.res, OP_RW));
  EXPECT_THAT(loops.groups(), ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(Fuse, LeavesALoopAloneThatReadsThroughAMapWhatTheOtherModifies) {
  for (const bool modifies_first : {true, false}) {
    Loops loops;
    const auto writer = [&] {
      loops.add(loops.ring.edges, loops.direct(loops.w, OP_READ),
                loops.through(loops.ring.q, 0, OP_INC));
    };
    if (modifies_first) writer();
    loops.add(loops.ring.edges, loops.direct(loops.w, OP_RW),
              loops.through(loops.ring.q, 1, OP_READ));
    if (!modifies_first) writer();
    EXPECT_FALSE(loops.fuses());
  }
}

TEST(Fuse, TakesWhatOnlyReadsThroughMaps) {
  Loops loops;
  for (const op_access access : {OP_WRITE, OP_RW})
    loops.add(loops.ring.edges, loops.direct(loops.w, access),
              loops.through(loops.ring.q, 0, OP_READ));
  EXPECT_THAT(loops.groups(), ElementsAre(ElementsAre(0, 1)));
}

TEST(Fuse, WantsEqualLevels) {
  Loops loops;
  loops.add_two();
  loops.levels[0].extent = 2;
  EXPECT_FALSE(loops.fuses());
  loops.levels[0].extent = 0;
  EXPECT_TRUE(loops.fuses());
  loops.levels[1].interior = -2;  // the other does nothing while messages are in flight
  EXPECT_FALSE(loops.fuses());
}

TEST(Fuse, StopsAtLoopsThatDoNotRun) {
  Loops loops;
  for (int k = 0; k < 3; ++k) loops.add(loops.ring.cells, loops.direct(loops.ring.q, OP_RW));
  loops.levels[1].extent = core::no_level;
  EXPECT_THAT(loops.groups(), ElementsAre(ElementsAre(0), ElementsAre(2)));
}

TEST(Fuse, LeavesLoopsAloneThatRunInOrderOrOnTheHostOrApart) {
  Loops loops;
  loops.add_two();
  EXPECT_TRUE(loops.fuses());
  loops.order[1] = Order::by_global_index;
  EXPECT_FALSE(loops.fuses());
  loops.order[1] = Order::any;
  loops.rules.stays_apart = [](const auto& records) { return records.size() == 2; };
  EXPECT_FALSE(loops.fuses());
  loops.rules.stays_apart = [](const auto&) { return false; };
  loops.rules.is_compiled = [](const auto&) { return false; };
  EXPECT_FALSE(loops.fuses());
}

TEST(Fuse, LeavesLoopsAloneThatAGlobalLinks) {
  const double zero = 0;
  for (const op_access access : {OP_READ, OP_INC}) {
    Loops loops;
    core::Global& total = loops.ring.mesh.add_global(1, Type::f64, &zero, "total");
    loops.add(loops.ring.cells, loops.direct(loops.ring.q, OP_READ), op_arg_gbl(&total, OP_INC));
    loops.add(loops.ring.cells, loops.direct(loops.ring.q, OP_RW), op_arg_gbl(&total, access));
    EXPECT_FALSE(loops.fuses());
  }
}

TEST(Fuse, MakesStepsOfEveryRecord) {
  Loops loops;
  const double zero = 0;
  core::Global& total = loops.ring.mesh.add_global(1, Type::f64, &zero, "total");
  loops.queue.push_assignment(total, &zero);
  loops.levels.emplace_back();
  loops.order.push_back(Order::any);
  loops.add_two();
  const Analysis analysis{{{{0, 3}, {}, 0}}, loops.levels, {}, core::no_level};
  const Steps steps = make_steps(loops.queue, analysis, loops.order, loops.rules);
  ASSERT_EQ(steps.all.size(), 2U);
  EXPECT_EQ(steps.all[0].kind, Step::Kind::assignment);
  EXPECT_EQ(steps.all[1].kernels.size(), 2U);
  EXPECT_THAT(steps.begin, ElementsAre(0, 2));
}

TEST(MergeArgs, LetsNothingOfOneLoopBeWrittenBeforeItIsRead) {
  Loops loops;
  loops.add(loops.ring.edges, loops.direct(loops.w, OP_WRITE), loops.direct(loops.w, OP_READ));
  loops.add(loops.ring.edges, loops.direct(loops.w, OP_READ));
  EXPECT_EQ(merge_args(loops.queue, std::vector<std::size_t>{0, 1}).args.at(0).access, OP_RW);
}

TEST(MergeArgs, PassesWhatBothAccessOnce) {
  Loops loops;
  loops.add(loops.ring.edges, loops.direct(loops.w, OP_WRITE),
            loops.through(loops.ring.q, 0, OP_READ));
  loops.add(loops.ring.edges, op_opt_arg_dat(0, &loops.w, -1, OP_ID, 1, "double", OP_READ),
            loops.through(loops.ring.q, 0, OP_READ), loops.through(loops.ring.q, 1, OP_READ),
            loops.direct(loops.w, OP_READ));
  const MergedArgs merged = merge_args(loops.queue, std::vector<std::size_t>{0, 1});
  ASSERT_EQ(merged.args.size(), 4U);
  EXPECT_EQ(merged.args[0].access, OP_WRITE);
  EXPECT_FALSE(merged.args[2].active);
  EXPECT_EQ(merged.sources[3].record, 1U);
  EXPECT_EQ(merged.sources[3].arg, 2U);
  std::vector<int> positions;
  for (const jit::CallArg& arg : merged.kernels[1].args) positions.push_back(arg.position);
  EXPECT_THAT(positions, ElementsAre(2, 1, 3, 0));
  EXPECT_EQ(merged.kernels[1].args[3].access, OP_READ);
}

}  // namespace
}  // namespace op2::sched
