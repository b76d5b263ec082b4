// SPDX-License-Identifier: BSD-3-Clause
// Which loops may be one kernel with loops that gather what they add.
#include <jit/target/cuda/gather.hpp>

#include <gmock/gmock.h>

#include <support/loop_shapes.hpp>

namespace op2::jit {
namespace {

using test::dat;
using test::global;
using testing::ElementsAre;
using testing::IsEmpty;
using Args = std::vector<ArgShape>;

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

}  // namespace
}  // namespace op2::jit
