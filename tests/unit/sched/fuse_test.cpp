// SPDX-License-Identifier: BSD-3-Clause
// Which loops may become one step, and what their arguments are.
#include <sched/analysis/fuse.hpp>

#include <string>

#include <gmock/gmock.h>

#include <jit/target/cuda/cuda_rules.hpp>
#include <sched/executor/gpu/row_buffers.hpp>
#include <sched/loop_requests.hpp>
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
    std::vector<std::vector<std::size_t>> records;
    for (const LoopGroup& group :
         fusion_groups(queue, {{0, queue.size()}, {}, 0}, levels, order, rules))
      records.push_back(group.loops);
    return records;
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

/// Edges add what they read of q to res, then cells use res and change q.
struct HalfStep : Loops {
  HalfStep() { decide_by(core::Increments::pull); }
  void decide_by(core::Increments asked) {
    rules.target = std::make_shared<jit::CudaRules>(asked, false);
    rules.gathers = true;
  }
  void add_fluxes() {
    add(ring.edges, through(ring.q, 0, OP_READ), through(ring.q, 1, OP_READ),
        through(ring.res, 0, OP_INC), through(ring.res, 1, OP_INC));
  }
  void add_at_border() {
    add(ring.edges, through(ring.q, 0, OP_READ), through(ring.res, 0, OP_INC));
  }
  void add_update(op_access of_q = OP_RW) {
    add(ring.cells, direct(ring.res, OP_RW), direct(ring.q, of_q));
  }
  std::vector<LoopGroup> whole_groups() const {
    return fusion_groups(queue, {{0, queue.size()}, {}, 0}, levels, order, rules);
  }
};

TEST(Gather, LoopsThatUseSumsGatherThem) {
  HalfStep loops;
  loops.add_fluxes();
  loops.add_fluxes();
  loops.add_update();
  loops.add(loops.ring.cells, loops.direct(loops.ring.q, OP_READ));
  loops.add_fluxes();
  EXPECT_THAT(loops.groups(), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4)));
  EXPECT_EQ(loops.whole_groups()[0].gathered, 2U);
}

TEST(Gather, ByItselfALoopThatAddsToOneRowIsGatheredBesideOneThatAddsToTwo) {
  HalfStep alone, beside;
  for (HalfStep* loops : {&alone, &beside}) loops->decide_by(core::Increments::automatic);
  alone.add_at_border();
  alone.add_update();
  EXPECT_FALSE(alone.fuses());
  beside.add_at_border();
  beside.add_fluxes();
  beside.add_at_border();
  beside.add_update();
  EXPECT_THAT(beside.groups(), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(Gather, IsForDevicesAlone) {
  HalfStep loops;
  loops.add_fluxes();
  loops.add_update();
  EXPECT_TRUE(loops.fuses());
  loops.rules.gathers = false;
  EXPECT_FALSE(loops.fuses());
}

TEST(Gather, ReadsOfASumThroughAMapNeedItWhole) {
  HalfStep loops;
  loops.add_fluxes();
  loops.add(loops.ring.cells, op_arg_dat(&loops.ring.res, 0, &loops.ring.partner, OP_READ),
            loops.direct(loops.ring.q, OP_RW), loops.direct(loops.ring.res, OP_READ));
  EXPECT_FALSE(loops.fuses());
}

TEST(Gather, LoopsThatAddToWhatOthersReadStayApart) {
  HalfStep loops;
  loops.add_fluxes();
  loops.add(loops.ring.edges, loops.through(loops.ring.res, 0, OP_READ),
            loops.through(loops.ring.q, 1, OP_INC));
  loops.add_update();
  EXPECT_THAT(loops.groups(), ElementsAre(ElementsAre(0), ElementsAre(1, 2)));
}

TEST(Gather, LoopsThatUseNoSumStayApart) {
  HalfStep loops;
  loops.add_fluxes();
  loops.add(loops.ring.cells, loops.direct(loops.ring.q, OP_RW));
  EXPECT_FALSE(loops.fuses());
}

/// A half step on several ranks: fluxes on W_adds, the update on W_rows.
struct HalfStepOnRanks : HalfStep {
  HalfStepOnRanks(core::Level adds, core::Level rows) {
    ring.cells.is_single_rank = ring.edges.is_single_rank = false;
    add_fluxes();
    add_update();
    levels = {{-3, adds}, {-6, rows}};
  }
};

TEST(Gather, OnRanksElementsMustCompleteTheRows) {
  EXPECT_TRUE(HalfStepOnRanks(1, 0).fuses());
  EXPECT_TRUE(HalfStepOnRanks(3, 2).fuses());
  EXPECT_FALSE(HalfStepOnRanks(3, 0).fuses());  // others need more complete rows
  EXPECT_FALSE(HalfStepOnRanks(0, 0).fuses());
  EXPECT_FALSE(HalfStepOnRanks(3, 1).fuses());
}

/// The state of a ring is in flight: rows that are owned may be read.
TEST(Gather, OnRanksRowsWaitIfTheirElementsReadWhatIsInFlight) {
  HalfStepOnRanks loops(1, 0);
  const Analysis analysis{{{{0, 2}, {{&loops.ring.q, 0, 2}}, 1}}, loops.levels, {}, core::no_level};
  const Steps steps = make_steps(loops.queue, analysis, loops.order, loops.rules);
  ASSERT_EQ(steps.all.size(), 1U);
  EXPECT_EQ(steps.all[0].levels, (LoopLevels{-2, 0}));
  EXPECT_EQ(steps.all[0].gather->extent, 1);
}

TEST(Gather, WaitsForAssignmentsInBetween) {
  HalfStep loops;
  const double zero = 0;
  core::Global& total = loops.ring.mesh.add_global(1, Type::f64, &zero, "total");
  loops.add_fluxes();
  loops.queue.push_assignment(total, &zero);
  loops.levels.emplace_back();
  loops.order.push_back(Order::any);
  loops.add(loops.ring.cells, loops.direct(loops.ring.res, OP_RW), op_arg_gbl(&total, OP_INC));
  const Analysis analysis{{{{0, 3}, {}, 0}}, loops.levels, {}, core::no_level};
  const Steps steps = make_steps(loops.queue, analysis, loops.order, loops.rules);
  ASSERT_EQ(steps.all.size(), 2U);
  EXPECT_EQ(steps.all[0].kind, Step::Kind::assignment);
  EXPECT_EQ(steps.all[1].set, &loops.ring.cells);
  EXPECT_THAT(steps.all[1].gathered(), ElementsAre(4));
  ASSERT_EQ(steps.all[1].reductions.size(), 1U);
  EXPECT_EQ(steps.all[1].reductions[0].arg, 5U);
  EXPECT_EQ(steps.all[1].reductions[0].assignment, 1);
}

TEST(Gather, IsLeftOutIfTheHostRunsALoopOfThePlan) {
  HalfStep loops;
  loops.add_fluxes();
  loops.add_update();
  loops.add(loops.ring.edges, loops.through(loops.ring.q, 0, OP_RW));
  loops.order[2] = Order::by_global_index;
  const Analysis analysis{{{{0, 3}, {}, 0}}, loops.levels, {}, core::no_level};
  EXPECT_EQ(make_steps(loops.queue, analysis, loops.order, loops.rules).all.size(), 3U);
  loops.order[2] = Order::any;
  EXPECT_EQ(make_steps(loops.queue, analysis, loops.order, loops.rules).all.size(), 2U);
}

/// Half steps that leave res at zero, or not; what each keeps in memory: 'l' loads, 's' stores.
std::string memory_of_sums(std::size_t half_steps, bool zero, bool used_between = false,
                           core::Level last_rows = 0) {
  HalfStep loops;
  loops.ring.cells.is_single_rank = loops.ring.edges.is_single_rank = false;
  loops.rules.leaves_zero = [zero](const ArgSource& source) { return zero && source.arg == 0; };
  for (std::size_t k = 0; k < half_steps; ++k) {
    const core::Level rows = k + 1 < half_steps ? 0 : last_rows;
    loops.add_fluxes();
    loops.add_update();
    loops.levels.end()[-2].extent = core::need_exec(rows);
    loops.levels.end()[-1].extent = rows;
    loops.add(loops.ring.edges, loops.direct(loops.w, OP_RW));  // keeps the others apart
    if (used_between) loops.add(loops.ring.cells, loops.direct(loops.ring.res, OP_READ));
  }
  const Analysis analysis{{{{0, loops.queue.size()}, {}, 0}}, loops.levels, {}, core::no_level};
  std::string text;
  for (const Step& step : make_steps(loops.queue, analysis, loops.order, loops.rules).all)
    if (step.gathers())
      text += std::string(step.gather->zero_initialised.empty() ? "l" : "") +
              (step.gather->not_stored.empty() ? "s " : " ");
  return text;
}

TEST(ZeroRows, AreNeitherStoredNorLoadedBetweenStepsThatGather) {
  EXPECT_EQ(memory_of_sums(3, true), "l  s ");
  EXPECT_EQ(memory_of_sums(1, true), "ls ");
}

TEST(ZeroRows, AreStoredIfSomethingElseMayBeThereOrUsesThem) {
  EXPECT_EQ(memory_of_sums(3, false), "ls ls ls ");
  EXPECT_EQ(memory_of_sums(2, true, true), "ls ls ");
}

TEST(ZeroRows, AreSentToStepsThatRunOnMoreRows) {
  EXPECT_EQ(memory_of_sums(3, true, false, 2), "l s ls ");
}

/// Steps that read and write q: 'm' moves its rows, 'r' replaces them, 'a' accesses them.
RowBuffers places_of(const std::string& kinds) {
  HalfStep loops;
  for (const char kind : kinds) {
    if (kind == 'm') {
      loops.add_fluxes();
      loops.add_update();
    } else {
      loops.add(loops.ring.cells, loops.direct(loops.ring.q, kind == 'r' ? OP_WRITE : OP_READ));
    }
    loops.add(loops.ring.edges, loops.direct(loops.w, OP_RW));  // keeps the others apart
  }
  const Analysis analysis{{{{0, loops.queue.size()}, {}, 0}}, loops.levels, {}, core::no_level};
  return choose_row_buffers(make_steps(loops.queue, analysis, loops.order, loops.rules));
}

/// '2' if a step finds q in the second buffer; at the end '<' if it must be copied back.
std::string second_of(const std::string& kinds) {
  const RowBuffers places = places_of(kinds);
  std::string text;
  for (std::size_t s = 0; s < places.second.size(); s += 2)
    text += places.second[s].empty() ? '1' : '2';
  return text + (places.back.empty() ? "" : "<");
}

TEST(RowBuffers, RowsThatMoveTwiceAreBack) {
  EXPECT_EQ(second_of("mm"), "12");
  EXPECT_EQ(second_of("ama"), "112<");
  EXPECT_EQ(second_of("amama"), "11221");
}

TEST(RowBuffers, ReplacedRowsAreWrittenWhereTheirMovesBringThemHome) {
  EXPECT_EQ(second_of("rm"), "22");
  EXPECT_EQ(second_of("rmm"), "112");
  EXPECT_EQ(second_of("mr"), "11");
  EXPECT_EQ(second_of("mrm"), "122");
  EXPECT_EQ(second_of("mam"), "122");
}

TEST(RowBuffers, AnExchangeFindsRowsWhereTheStepBeforeHasLeftThem) {
  HalfStep loops;
  for (int k = 0; k < 2; ++k) {
    loops.add_fluxes();
    loops.add_update();
  }
  const Analysis analysis{{{{0, 2}, {}, 0}, {{2, 4}, {}, 0}}, loops.levels, {}, core::no_level};
  const RowBuffers places =
      choose_row_buffers(make_steps(loops.queue, analysis, loops.order, loops.rules));
  EXPECT_THAT(places.sent, ElementsAre(ElementsAre(), ElementsAre(&loops.ring.q)));
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
  EXPECT_EQ(merged_step(loops.queue, std::vector<std::size_t>{0, 1}).args.at(0).access, OP_RW);
}

TEST(MergeArgs, PassesWhatBothAccessOnce) {
  Loops loops;
  loops.add(loops.ring.edges, loops.direct(loops.w, OP_WRITE),
            loops.through(loops.ring.q, 0, OP_READ));
  loops.add(loops.ring.edges, op_opt_arg_dat(0, &loops.w, -1, OP_ID, 1, "double", OP_READ),
            loops.through(loops.ring.q, 0, OP_READ), loops.through(loops.ring.q, 1, OP_READ),
            loops.direct(loops.w, OP_READ));
  const Step merged = merged_step(loops.queue, std::vector<std::size_t>{0, 1});
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
