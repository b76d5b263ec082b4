// SPDX-License-Identifier: BSD-3-Clause
// When a plan may be used again.
#include <sched/plan.hpp>

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

/// A plan that exchanges nothing of a dat because its halo is deep enough is the same with a deeper
/// one, if the sequence leaves that as it is.
TEST_F(PlanReuse, ADeeperHaloOfADatThatIsOnlyReadFits) {
  fill(queue, OP_RW);
  PlanKey key = key_of(queue);
  key.valid = {2, 2};
  note_deeper(key, [](const core::Dat&) { return false; });
  const auto q = static_cast<std::size_t>(ring.q.index);
  const auto res = static_cast<std::size_t>(ring.res.index);
  valid[q] = valid[res] = 2;
  EXPECT_TRUE(fits(key, queue, valid));
  valid[q] = 12;
  EXPECT_TRUE(fits(key, queue, valid));
  valid[q] = 1;
  EXPECT_FALSE(fits(key, queue, valid));
  valid[q] = 2;
  valid[res] = 12;
  EXPECT_FALSE(fits(key, queue, valid));
}

TEST_F(PlanReuse, ADeeperHaloOfADatThatIsExchangedDoesNotFit) {
  fill(queue, OP_RW);
  PlanKey key = key_of(queue);
  note_deeper(key, [&](const core::Dat& dat) { return &dat == &ring.q; });
  valid[static_cast<std::size_t>(ring.q.index)] = 2;
  EXPECT_FALSE(fits(key, queue, valid));
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
