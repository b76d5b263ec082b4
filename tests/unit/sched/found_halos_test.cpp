// SPDX-License-Identifier: BSD-3-Clause
#include <sched/cost/found_halos.hpp>

#include <gmock/gmock.h>

#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

using testing::ElementsAre;
using enum FoundHalos::Change;

/// Two sequences over the cells of a ring, whose dats are q and res.
struct Found : testing::Test {
  test::Ring ring;
  core::Queue writes_q, reads_q;
  HaloHistory history;
  FoundHalos writer, reader;

  Found() {
    test::queue_loop(writes_q, ring.cells, op_arg_dat(&ring.q, OP_RW));
    test::queue_loop(reads_q, ring.cells, op_arg_dat(&ring.q, OP_READ),
                     op_arg_dat(&ring.res, OP_RW));
  }
  void write(const std::vector<core::Level>& valid) { history.begin(writes_q, valid, writer); }
  void read(const std::vector<core::Level>& valid) { history.begin(reads_q, valid, reader); }
};

TEST_F(Found, WhatASequenceHasLeftItselfIsItsOwn) {
  read({0, 0});
  read({2, 0});  // it has exchanged q
  EXPECT_THAT(reader.changes, ElementsAre(none, none));
  EXPECT_THAT(reader.after({4, 1}), ElementsAre(4, 1));
}

TEST_F(Found, WhatOthersHaveWrittenIsTheirs) {
  read({0, 0});
  write({2, 0});
  read({0, 0});
  EXPECT_THAT(reader.changes, ElementsAre(written, none));
  EXPECT_THAT(reader.after({4, 1}), ElementsAre(0, 1));
  read({2, 0});
  EXPECT_THAT(reader.changes, ElementsAre(none, none));
}

/// Also if it is as far valid as it was.
TEST_F(Found, WhatOthersHaveWrittenAsFarAsItWasIsTheirs) {
  read({2, 0});
  write({2, 0});
  read({2, 0});
  EXPECT_THAT(reader.changes, ElementsAre(written, none));
}

/// A schedule may leave a deeper halo than they need.
TEST_F(Found, WhatOthersHaveExchangedIsValidAtLeastAsFar) {
  write({0, 0});
  read({0, 0});
  write({2, 0});
  EXPECT_THAT(writer.changes, ElementsAre(exchanged, none));  // it does not use res
  EXPECT_THAT(writer.after({0, 1}), ElementsAre(2, 1));
  EXPECT_THAT(writer.after({4, 1}), ElementsAre(4, 1));
  FoundHalos before = writer;
  before.changes[0] = none;
  EXPECT_FALSE(writer.differ_by_others(before));
}

TEST_F(Found, DatsThatAreDeclaredLaterMakeNoDifference) {
  write({0, 0});
  const FoundHalos before = writer;
  write({0, 0, 0});
  EXPECT_FALSE(writer.differ_by_others(before));
}

TEST_F(Found, OnlyWhatOthersLeaveMakesADifference) {
  read({0, 0});
  write({0, 0});
  read({0, 0});
  const FoundHalos before = reader;
  write({0, 3});  // the reader has written res
  read({0, 3});
  EXPECT_FALSE(reader.differ_by_others(before));
  write({0, 0});
  read({2, 0});
  EXPECT_TRUE(reader.differ_by_others(before));
  read({2, 0});  // nobody has written q
  EXPECT_TRUE(reader.differ_by_others(before));
}

}  // namespace
}  // namespace op2::sched
