// SPDX-License-Identifier: BSD-3-Clause
// Which loops may be one kernel with loops that gather what they add.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jit/target/cuda/gather.hpp>
#include <support/loop_shapes.hpp>

namespace op2::jit {
namespace {

using Args = std::vector<ArgShape>;
using core::Increments;
using test::dat;
using test::global;
using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::int32_t> one_loop{2};

/// A loop reads dat 0 and adds to dat 1; the others have these arguments.
Args flux_and(std::vector<ArgShape> own) {
  Args args{dat(0, 4, OP_READ, 0), dat(1, 4, OP_INC, 1)};
  args.insert(args.end(), own.begin(), own.end());
  return args;
}

bool gathers(std::vector<ArgShape> own) {
  return can_gather(flux_and(std::move(own)), one_loop);
}

TEST(Gather, RowsOfTheElementMayBeUsedInAnyWay) {
  for (const op_access access : {OP_READ, OP_WRITE, OP_RW, OP_INC}) {
    EXPECT_TRUE(gathers({dat(1, 4, access)}));
    EXPECT_TRUE(gathers({dat(1, 4, access), dat(1, 4, OP_READ)}));
    EXPECT_TRUE(gathers({dat(0, 4, access)}));
    EXPECT_TRUE(gathers({dat(2, 4, access)}));
  }
  EXPECT_TRUE(gathers({dat(1, 4, OP_READ), dat(2, 1, OP_READ, 0), global(1, OP_INC)}));
}

TEST(Gather, OtherRowsOfWhatIsAddedOrMovedAreNotThereYet) {
  EXPECT_FALSE(gathers({dat(1, 4, OP_READ, 0)}));
  EXPECT_FALSE(gathers({dat(0, 4, OP_RW), dat(0, 4, OP_READ, 0)}));
  EXPECT_TRUE(gathers({dat(0, 4, OP_READ), dat(0, 4, OP_READ, 0)}));
}

TEST(Gather, NothingIsWrittenThroughMaps) {
  EXPECT_FALSE(gathers({dat(2, 4, OP_INC, 0)}));
  EXPECT_FALSE(gathers({dat(2, 4, OP_WRITE, 0)}));
}

TEST(Gather, MovedRowsFitIntoRegistersAndHaveOneArgument) {
  EXPECT_THAT(moved_dats(flux_and({dat(0, 4, OP_RW)}), one_loop), ElementsAre(0));
  EXPECT_THAT(moved_dats(flux_and({dat(0, 4, OP_READ), dat(1, 4, OP_RW)}), one_loop), IsEmpty());
  EXPECT_FALSE(gathers({dat(0, 4, OP_RW), dat(0, 4, OP_READ)}));
  const Args longer{dat(0, 40, OP_READ, 0), dat(1, 4, OP_INC, 1), dat(0, 40, OP_RW)};
  EXPECT_FALSE(can_gather(longer, one_loop));
}

TEST(Gather, GatheredLoopsOnlyReadAndAdd) {
  const auto with = [](ArgShape arg) {
    return can_gather(Args{dat(0, 4, OP_READ, 0), dat(1, 4, OP_INC, 1), arg, dat(1, 4, OP_RW)},
                      std::vector<std::int32_t>{3});
  };
  EXPECT_TRUE(with(dat(2, 1, OP_READ)));
  EXPECT_TRUE(with(global(1, OP_READ)));
  EXPECT_FALSE(with(global(1, OP_INC)));
  EXPECT_FALSE(with(dat(2, 1, OP_WRITE)));
  EXPECT_FALSE(with(dat(2, 1, OP_INC)));
  EXPECT_FALSE(with(dat(1, 4, OP_READ, 0)));
}

TEST(Gather, NoGatheredLoopReadsWhatAnotherAdds) {
  const Args args{dat(0, 4, OP_READ, 0), dat(1, 4, OP_INC, 1), dat(1, 4, OP_READ, 0),
                  dat(2, 4, OP_INC, 1), dat(1, 4, OP_RW)};
  EXPECT_FALSE(can_gather(args, std::vector<std::int32_t>{2, 4}));
}

// Which nests let rows gather increments, and which do by themselves.

ArgShape by_map(ArgShape arg, int map) {
  arg.map = map;
  return arg;
}

/// A loop over edges that reads q and adds to both ends.
Args edges_with(ArgShape other) {
  return {dat(0, 4, OP_READ, 0), dat(0, 4, OP_READ, 1), dat(1, 4, OP_INC, 0), dat(1, 4, OP_INC, 1),
          other};
}

TEST(Increments, RowsOfOneDatCanGather) {
  EXPECT_TRUE(can_pull(edges_with(dat(2, 1, OP_READ))));
}

TEST(Increments, WithoutIncrementsThroughMapsNothingIsGathered) {
  EXPECT_FALSE(can_pull(Args{dat(0, 4, OP_READ, 0), dat(1, 4, OP_INC)}));
}

TEST(Increments, ReductionsDoNotPreventIt) {
  EXPECT_TRUE(can_pull(edges_with(global(1, OP_INC))));
}

TEST(Increments, ADirectWriteDoesNotPreventItUnlessTheDatIsReadToo) {
  EXPECT_TRUE(can_pull(edges_with(dat(2, 1, OP_WRITE))));
  EXPECT_FALSE(can_pull(edges_with(dat(0, 4, OP_WRITE))));
}

TEST(Increments, OtherWritesPreventIt) {
  EXPECT_FALSE(can_pull(edges_with(dat(2, 1, OP_RW))));
  EXPECT_FALSE(can_pull(edges_with(dat(2, 1, OP_INC))));
  EXPECT_FALSE(can_pull(edges_with(dat(2, 1, OP_WRITE, 0))));
}

TEST(Increments, AnotherAccessToTheDatPreventsIt) {
  EXPECT_FALSE(can_pull(edges_with(dat(1, 4, OP_READ, 0))));
  EXPECT_FALSE(can_pull(edges_with(dat(1, 4, OP_INC))));
}

TEST(Increments, SetsAreTheSameIfTheirDatsOrMapsShowIt) {
  EXPECT_TRUE(can_pull(edges_with(dat(2, 1, OP_INC, 0))));
  EXPECT_TRUE(can_pull(edges_with(by_map(dat(1, 4, OP_INC, 0), 1))));
  EXPECT_FALSE(can_pull(edges_with(by_map(dat(2, 1, OP_INC, 0), 1))));
}

TEST(Increments, SetsAreTheSameWhicheverArgumentShowsItFirst) {
  EXPECT_TRUE(can_pull(Args{dat(0, 1, OP_INC, 0), by_map(dat(1, 1, OP_INC, 0), 1),
                            by_map(dat(0, 1, OP_INC, 0), 1)}));
}

TEST(Increments, AnArgumentThatIsOffDoesNotMatter) {
  EXPECT_TRUE(can_pull(edges_with(test::off(dat(1, 4, OP_READ, 0)))));
  EXPECT_FALSE(can_pull(Args{test::off(dat(1, 4, OP_INC, 0))}));
}

TEST(Increments, TheOptionDecidesWhereBothArePossible) {
  EXPECT_TRUE(pulls(edges_with(dat(2, 1, OP_READ)), Increments::pull));
  EXPECT_FALSE(pulls(edges_with(dat(2, 1, OP_READ)), Increments::rows));
  EXPECT_FALSE(pulls(edges_with(dat(2, 1, OP_RW)), Increments::pull));
}

/// 2 x (48 + 4) bytes against 48 + 3 x 64, and 2 x (96 + 4) against 96 + 3 x 16.
TEST(Increments, ByItselfALoopGathersIfThatTakesLessTraffic) {
  const ArgShape small = dat(1, 4, OP_INC, 0), other = dat(1, 4, OP_INC, 1);
  EXPECT_TRUE(pulls(Args{dat(0, 4, OP_READ, 0, Type::f32), dat(2, 3, OP_READ), small, other},
                    Increments::automatic));
  EXPECT_FALSE(pulls(Args{dat(0, 4, OP_READ, 0), dat(0, 4, OP_READ, 1), dat(2, 3, OP_READ),
                          dat(1, 1, OP_INC, 0), dat(1, 1, OP_INC, 1)},
                     Increments::automatic));
}

/// 2 x (128 + 4) bytes against 128 + 3 x 64.
TEST(Increments, ByItselfTheFluxOfAirfoilGathers) {
  EXPECT_TRUE(pulls(Args{by_map(dat(0, 2, OP_READ, 0), 1), by_map(dat(0, 2, OP_READ, 1), 1),
                         dat(2, 4, OP_READ, 0), dat(2, 4, OP_READ, 1), dat(3, 1, OP_READ, 0),
                         dat(3, 1, OP_READ, 1), dat(1, 4, OP_INC, 0), dat(1, 4, OP_INC, 1)},
                    Increments::automatic));
}

TEST(Increments, ALoopThatAddsToOneRowGathersWithOthers) {
  const Args one{dat(1, 4, OP_INC, 0)}, both{dat(1, 4, OP_INC, 0), dat(1, 1, OP_READ, 0)};
  EXPECT_EQ(gathering_of(one, Increments::automatic), Gathering::with_others);
  EXPECT_EQ(gathering_of(one, Increments::pull), Gathering::by_itself);
  EXPECT_EQ(gathering_of(one, Increments::rows), Gathering::never);
  EXPECT_EQ(gathering_of(both, Increments::automatic), Gathering::never);  // reads what it adds to
}

TEST(Increments, ByItselfALoopThatAddsToOneRowOrToManyDoesNotGather) {
  const auto adds_to = [](int columns) {
    Args args;
    for (int c = 0; c < columns; ++c) args.push_back(dat(0, 16, OP_INC, c, Type::f64, 8));
    return args;
  };
  EXPECT_FALSE(pulls(adds_to(1), Increments::automatic));
  EXPECT_TRUE(pulls(adds_to(2), Increments::automatic));
  EXPECT_TRUE(pulls(adds_to(4), Increments::automatic));
  EXPECT_FALSE(pulls(adds_to(5), Increments::automatic));
}

TEST(Increments, TheColumnsAreThoseThatAreAddedThrough) {
  const Args columns = pulled_columns(edges_with(by_map(dat(3, 1, OP_READ, 1), 1)));
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[0].column, 0);
  EXPECT_EQ(columns[1].column, 1);
}

}  // namespace
}  // namespace op2::jit
