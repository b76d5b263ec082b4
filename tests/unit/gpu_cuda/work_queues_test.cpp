// SPDX-License-Identifier: BSD-3-Clause
// When the work of streams is done, in each order.
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <support/gpu/work_queues.hpp>

namespace op2::test::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Three streams, and the names of the work that is done.
struct Streams {
  explicit Streams(const std::string& order) : queues(parse_schedule(order)) {
    for (int k = 0; k < 3; ++k) queues.add_stream();
  }
  void add(std::size_t stream, const std::string& name) {
    queues.add(stream, [this, name] { done.push_back(name); });
  }
  void wait(std::size_t stream) { queues.finish(queues.position(stream)); }

  WorkQueues queues;
  std::vector<std::string> done;
};

TEST(Streams, EagerWorkIsDoneAtTheCall) {
  Streams s("eager");
  s.add(0, "first");
  EXPECT_THAT(s.done, ElementsAre("first"));
}

TEST(Streams, LazyWorkIsDoneOnlyWhenAWaitForcesIt) {
  Streams s("lazy");
  s.add(0, "first");
  s.add(1, "second");
  EXPECT_THAT(s.done, IsEmpty());
  s.wait(1);
  EXPECT_THAT(s.done, ElementsAre("second"));
}

TEST(Streams, OthersAreFinishedBeforeTheStreamThatIsWaitedFor) {
  Streams s("others");
  for (const std::size_t stream : {2, 1, 0}) s.add(stream, std::to_string(stream));
  s.wait(0);
  EXPECT_THAT(s.done, ElementsAre("1", "2", "0"));
}

TEST(Streams, ReversedFinishesTheNewestOfTheOthersFirst) {
  Streams s("reversed");
  for (const std::size_t stream : {0, 1, 2}) s.add(stream, std::to_string(stream));
  s.wait(0);
  EXPECT_THAT(s.done, ElementsAre("2", "1", "0"));
}

TEST(Streams, RandomOrdersDifferBySeedAndRepeatByIt) {
  const auto order_of = [](const std::string& schedule) {
    Streams s(schedule);
    for (std::size_t k = 0; k < 30; ++k) s.add(k % 3, std::to_string(k));
    s.queues.finish_all();
    return s.done;
  };
  EXPECT_EQ(order_of("random:3"), order_of("random:3"));
  EXPECT_NE(order_of("random:3"), order_of("random:4"));
}

class EveryOrder : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Orders, EveryOrder,
                         ::testing::Values("eager", "lazy", "others", "reversed", "random:1",
                                           "random:2", "random:3"));

TEST_P(EveryOrder, WorkOfOneStreamStaysInOrder) {
  Streams s(GetParam());
  for (const char* name : {"first", "second", "third"}) s.add(0, name);
  s.wait(0);
  EXPECT_THAT(s.done, ElementsAre("first", "second", "third"));
}

TEST_P(EveryOrder, DependentWorkComesAfterWhatItDependsOn) {
  Streams s(GetParam());
  s.add(0, "before");
  s.queues.add_dependency(1, s.queues.position(0));
  s.add(1, "after");
  s.wait(1);
  EXPECT_THAT(s.done, ElementsAre("before", "after"));
}

TEST_P(EveryOrder, APositionIsReachedByAskingAgain) {
  Streams s(GetParam());
  for (const char* name : {"first", "second", "third"}) s.add(0, name);
  const Position last = s.queues.position(0);
  int asked = 0;
  while (!s.queues.poll(last)) ASSERT_LT(++asked, 10);
  EXPECT_EQ(s.done.size(), 3);
}

TEST(Streams, AWaitForAPositionLeavesWhatFollows) {
  Streams s("lazy");
  s.add(0, "first");
  const Position first = s.queues.position(0);
  s.add(0, "second");
  s.queues.finish(first);
  EXPECT_THAT(s.done, ElementsAre("first"));
}

TEST(Streams, WhatAKernelThrowsReachesTheWaitAndNothingElseRuns) {
  Streams s("lazy");
  s.queues.add(0, [] { throw std::runtime_error("kernel"); });
  s.add(0, "behind it");
  EXPECT_THROW(s.wait(0), std::runtime_error);
  s.queues.finish_all();
  EXPECT_THAT(s.done, IsEmpty());
}

}  // namespace
}  // namespace op2::test::gpu
