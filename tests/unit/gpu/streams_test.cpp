// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <string>
#include <vector>

#include <support/gpu/device.hpp>
#include <support/gpu/expect_misuse.hpp>

namespace op2::test::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A device of a given order with three streams, and a list of the kernels that have run.
struct Streams {
  explicit Streams(const std::string& order) : device({.schedule = parse_schedule(order)}) {}
  void launch(Device::StreamNumber stream, const std::string& name) {
    device.launch(stream, name, {}, [this, name] { ran.push_back(name); });
  }
  Device device;
  Device::StreamNumber a = device.create_stream(), b = device.create_stream(),
                       c = device.create_stream();
  std::vector<std::string> ran;
};

TEST(Streams, EagerWorkIsDoneAtTheCall) {
  Streams s("eager");
  s.launch(s.a, "first");
  EXPECT_THAT(s.ran, ElementsAre("first"));
}

TEST(Streams, LazyWorkIsDoneOnlyWhenAWaitForcesIt) {
  Streams s("lazy");
  s.launch(s.a, "first");
  s.launch(s.b, "second");
  EXPECT_THAT(s.ran, IsEmpty());
  s.device.wait(s.b);
  EXPECT_THAT(s.ran, ElementsAre("second"));
}

TEST(Streams, OthersAreFinishedBeforeTheStreamThatIsWaitedFor) {
  Streams s("others");
  for (const auto stream : {s.c, s.b, s.a}) s.launch(stream, std::to_string(stream));
  s.device.wait(s.a);
  EXPECT_THAT(s.ran, ElementsAre("1", "2", "0"));
}

TEST(Streams, ReversedFinishesTheNewestOfTheOthersFirst) {
  Streams s("reversed");
  for (const auto stream : {s.a, s.b, s.c}) s.launch(stream, std::to_string(stream));
  s.device.wait(s.a);
  EXPECT_THAT(s.ran, ElementsAre("2", "1", "0"));
}

TEST(Streams, RandomOrdersDifferBySeedAndRepeatByIt) {
  const auto order_of = [](const std::string& schedule) {
    Streams s(schedule);
    for (int k = 0; k < 30; ++k) s.launch(static_cast<std::size_t>(k % 3), std::to_string(k));
    s.device.wait_for_all();
    return s.ran;
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
  for (const char* name : {"first", "second", "third"}) s.launch(s.a, name);
  s.device.wait(s.a);
  EXPECT_THAT(s.ran, ElementsAre("first", "second", "third"));
}

TEST_P(EveryOrder, WorkBehindAnEventComesAfterWhatTheEventStandsFor) {
  Streams s(GetParam());
  DeviceEvent event;
  s.launch(s.a, "before");
  s.device.record(s.a, event);
  s.device.wait_for(s.b, event);
  s.launch(s.b, "after");
  s.device.wait(s.b);
  EXPECT_THAT(s.ran, ElementsAre("before", "after"));
}

TEST_P(EveryOrder, AnEventThatIsRecordedAgainKeepsWhatAStreamWaitsFor) {
  Streams s(GetParam());
  DeviceEvent event;
  s.device.record(s.a, event);
  s.device.wait_for(s.b, event);
  s.launch(s.a, "not waited for");
  s.device.record(s.a, event);
  s.launch(s.b, "work");
  s.device.wait(s.b);
  EXPECT_THAT(s.ran, ::testing::Contains("work"));
}

TEST_P(EveryOrder, AnEventIsReachedByAskingAgain) {
  Streams s(GetParam());
  DeviceEvent event;
  for (const char* name : {"first", "second", "third"}) s.launch(s.a, name);
  s.device.record(s.a, event);
  int asked = 0;
  while (!s.device.reached(event)) ASSERT_LT(++asked, 10);
  EXPECT_EQ(s.ran.size(), 3);
}

TEST(Streams, AnEventThatWasNeverRecordedIsReached) {
  Streams s("lazy");
  s.launch(s.a, "work");
  const DeviceEvent event;
  s.device.wait(event);
  EXPECT_TRUE(s.device.reached(event));
  EXPECT_THAT(s.ran, IsEmpty());
}

TEST(Streams, TheHostWaitsForAnEventAndNotForWhatFollows) {
  Streams s("lazy");
  DeviceEvent event;
  s.launch(s.a, "first");
  s.device.record(s.a, event);
  s.launch(s.a, "second");
  s.device.wait(event);
  EXPECT_THAT(s.ran, ElementsAre("first"));
}

TEST(Streams, AnUploadReadsPinnedMemoryWhenItRuns) {
  Streams s("lazy");
  auto* data = s.device.allocate(8);
  auto* pinned = reinterpret_cast<double*>(s.device.allocate_pinned(8));
  *pinned = 1;
  s.device.upload(s.a, data, pinned, 8);
  *pinned = 2;
  double back = 0;
  s.device.download_and_wait(s.a, &back, data, 8);
  EXPECT_EQ(back, 2);
}

TEST(Streams, TheTargetOfADownloadHasNoValueUntilTheWait) {
  Streams s("lazy");
  auto* data = s.device.allocate(8);
  auto* pinned = reinterpret_cast<double*>(s.device.allocate_pinned(8));
  *pinned = 1;
  s.device.fill(s.a, data, std::byte{0}, 8);
  s.device.download(s.a, pinned, data, 8);
  EXPECT_NE(*pinned, *pinned);
  s.device.wait(s.a);
  EXPECT_EQ(*pinned, 0);
}

TEST(Streams, ACopyThatGoesOnNeedsPinnedMemory) {
  Streams s("eager");
  auto* data = s.device.allocate(8);
  double value = 1;
  EXPECT_THAT(misuse([&] { s.device.upload(s.a, data, &value, 8); }),
              HasSubstr("'upload' copies while the host goes on, and memory of the host is not"));
  auto* pinned = s.device.allocate_pinned(4);
  EXPECT_THAT(misuse([&] { s.device.download(s.a, pinned, data, 8); }),
              HasSubstr("memory of the host is not pinned"));
}

TEST(Streams, AnOrderThatIsNotKnownIsRefused) {
  EXPECT_THROW(parse_schedule("sometimes"), std::invalid_argument);
  EXPECT_THROW(parse_schedule("lazy:3"), std::invalid_argument);
}

TEST(Streams, WhatAKernelThrowsIsThrownByTheWait) {
  Streams s("lazy");
  s.device.launch(s.a, "fault", {}, [] { throw std::domain_error("negative"); });
  EXPECT_THROW(s.device.wait(s.a), std::domain_error);
}

TEST(Streams, NothingRunsAfterAKernelThatThrows) {
  Streams s("lazy");
  bool runs = false;
  s.device.launch(s.a, "fault", {}, [] { throw std::domain_error("negative"); });
  s.device.launch(s.a, "next", {}, [&] { runs = true; });
  EXPECT_THROW(s.device.wait(s.a), std::domain_error);
  s.device.wait(s.a);
  EXPECT_FALSE(runs);
}

TEST(Streams, PinnedMemoryThatIsFreedBeforeItsCopyHasRunIsFound) {
  Device device;
  const auto stream = device.create_stream();
  std::byte* pinned = device.allocate_pinned(8);
  std::memset(pinned, 0, 8);
  device.upload(stream, device.allocate(8), pinned, 8);
  device.free_pinned(pinned);
  EXPECT_THAT(misuse([&] { device.wait(stream); }),
              ::testing::HasSubstr("pinned memory is freed before a copy has run"));
}

}  // namespace
}  // namespace op2::test::gpu
