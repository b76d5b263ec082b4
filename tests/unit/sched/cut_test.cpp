// SPDX-License-Identifier: BSD-3-Clause
#include <sched/cut.hpp>

#include <gtest/gtest.h>

#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

struct Cut : testing::Test {
  test::Ring ring;
  core::Queue queue;
  double zero = 0;
  core::Global& total = ring.mesh.add_global(1, Type::f64, &zero, "total");
  void reduce() {
    test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_READ), op_arg_gbl(&total, OP_INC));
  }
  void use() {
    test::queue_loop(queue, ring.cells, op_arg_gbl(&total, OP_READ), op_arg_dat(&ring.q, OP_RW));
  }
};

TEST_F(Cut, AQueueIsOneChain) {
  use();
  reduce();
  EXPECT_EQ(cut_chains(queue).size(), 1u);
}

TEST_F(Cut, ReadingAReducedGlobalCutsTheChain) {
  reduce();
  use();
  use();
  const auto chains = cut_chains(queue);
  ASSERT_EQ(chains.size(), 2u);
  EXPECT_EQ(chains[1].begin, 1u);
  EXPECT_EQ(chains[1].end, 3u);
}

TEST_F(Cut, AssignmentsTakeNoPartInTheAnalysis) {
  queue.push_assignment(total, &zero);
  reduce();
  const auto description = describe_chain(queue, {0, 2});
  ASSERT_EQ(description.loops.size(), 1u);
  EXPECT_TRUE(description.loops[0].reduction);
}

TEST_F(Cut, DatsAreNumberedWithinTheChain) {
  test::queue_loop(queue, ring.edges, op_arg_dat(&ring.res, 0, &ring.ends, OP_INC));
  test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_READ), op_arg_dat(&ring.res, OP_RW));
  const auto description = describe_chain(queue, {0, 2});
  EXPECT_EQ(description.dats, (std::vector<core::Dat*>{&ring.res, &ring.q}));
  EXPECT_EQ(description.loops[0].args[0].map, ring.ends.index);
  EXPECT_EQ(description.loops[1].args[1].dat, 0);
  EXPECT_EQ(description.loops[1].args[1].map, -1);
}

TEST_F(Cut, ArgumentsThatAreOffTakeNoPart) {
  test::queue_loop(queue, ring.cells, op_opt_arg_dat(0, &ring.q, -1, OP_ID, 1, "double", OP_RW));
  EXPECT_TRUE(describe_chain(queue, {0, 1}).loops[0].args.empty());
}

}  // namespace
}  // namespace op2::sched
