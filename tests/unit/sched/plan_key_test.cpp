// SPDX-License-Identifier: BSD-3-Clause
// When a plan may be used again.
#include <sched/plan_key.hpp>

#include <functional>

#include <gtest/gtest.h>

#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

struct PlanReuse : testing::Test {
  test::Ring ring;
  core::Queue queue;
  std::vector<core::Level> valid{0, 0, 0};
  void fill(core::Queue& to, op_access access) {
    test::queue_loop(to, ring.cells, op_arg_dat(&ring.q, OP_READ), op_arg_dat(&ring.res, access));
  }
  PlanKey key_of(const core::Queue& from) {
    PlanKey key;
    key.records.assign(from.records().begin(), from.records().end());
    key.args.assign(from.args().begin(), from.args().end());
    key.dats = {&ring.q, &ring.res};
    key.valid = {0, 0};
    return key;
  }
};

TEST_F(PlanReuse, TheSameSequenceFits) {
  fill(queue, OP_RW);
  const PlanKey key = key_of(queue);
  const std::size_t hash = hash_of(queue);
  queue.clear();
  fill(queue, OP_RW);
  EXPECT_TRUE(fits(key, queue, valid));
  EXPECT_EQ(hash, hash_of(queue));
}

TEST_F(PlanReuse, AnotherAccessDoesNotFit) {
  fill(queue, OP_RW);
  const PlanKey key = key_of(queue);
  queue.clear();
  fill(queue, OP_WRITE);
  EXPECT_FALSE(fits(key, queue, valid));
}

TEST_F(PlanReuse, AnotherLengthDoesNotFit) {
  fill(queue, OP_RW);
  const PlanKey key = key_of(queue);
  fill(queue, OP_RW);
  EXPECT_FALSE(fits(key, queue, valid));
}

TEST_F(PlanReuse, AnotherValidityDoesNotFit) {
  fill(queue, OP_RW);
  valid[static_cast<std::size_t>(ring.res.index)] = 2;
  EXPECT_FALSE(fits(key_of(queue), queue, valid));
}

TEST_F(PlanReuse, AnotherValueOfAGlobalFits) {
  const double one = 1, two = 2;
  test::queue_loop(queue, ring.cells, op_arg_gbl(&one, 1, "double", OP_READ));
  const PlanKey key = key_of(queue);
  queue.clear();
  test::queue_loop(queue, ring.cells, op_arg_gbl(&two, 1, "double", OP_READ));
  EXPECT_TRUE(fits(key, queue, valid));
}

}  // namespace
}  // namespace op2::sched
