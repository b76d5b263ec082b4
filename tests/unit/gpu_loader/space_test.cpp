// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/space.hpp>

#include <functional>
#include <vector>

#include <support/expect_error.hpp>
#include <support/recording_space.hpp>

#include "stub_device.hpp"

namespace op2::gpu {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SpaceTest : public StubDevice {
 protected:
  std::string fault(const std::function<void()>& action) {
    return test::error_text(ErrorCode::device_failure, action);
  }
  core::MemorySpace& space = device->space();
  core::Stream& stream = space.main_stream();
};

TEST_F(SpaceTest, TellsHowMuchMemoryIsFree) {
  EXPECT_EQ(space.room().free, 1000);
  EXPECT_EQ(space.room().total, 4000);
}

TEST_F(SpaceTest, BytesComeBackAsTheyWere) {
  for (const std::size_t bytes : {std::size_t{1}, staged_bytes, 5 * staged_bytes + 3}) {
    std::vector<std::byte> there(bytes), back(bytes);
    for (std::size_t k = 0; k < bytes; ++k) there[k] = static_cast<std::byte>(k * 7 + k / 4096);
    const auto memory = core::allocate_on(space, bytes);
    stream.upload_and_wait(memory.get(), there.data(), bytes);
    stream.download_and_wait(back.data(), memory.get(), bytes);
    EXPECT_TRUE(there == back) << bytes;
  }
}

TEST_F(SpaceTest, CopiesThatWaitPassThroughPinnedMemory) {
  std::vector<std::byte> bytes(staged_bytes + 1);
  const auto memory = core::allocate_on(space, bytes.size());
  stub.calls.clear();
  stream.upload_and_wait(memory.get(), bytes.data(), bytes.size());
  EXPECT_THAT(stub.calls,
              ElementsAre("cuMemcpyHtoDAsync_v2 2097152", "cuEventRecord", "cuMemcpyHtoDAsync_v2 1",
                          "cuEventRecord", "cuStreamSynchronize"));
}

TEST_F(SpaceTest, FillsAndCopies) {
  const auto a = core::allocate_on(space, 8), b = core::allocate_on(space, 8);
  stream.fill(a.get(), std::byte{3}, 8);
  stream.copy(b.get() + 2, a.get(), 6);
  std::vector<std::byte> back(6);
  stream.download_and_wait(back.data(), b.get() + 2, 6);
  EXPECT_THAT(back, Each(std::byte{3}));
}

TEST_F(SpaceTest, AsynchronousCopiesDoNotWait) {
  const auto memory = core::allocate_on(space, 8);
  const auto pinned = core::allocate_pinned_for(space, 8);
  stub.calls.clear();
  stream.upload(memory.get(), pinned.get(), 8);
  stream.download(pinned.get(), memory.get(), 8);
  EXPECT_THAT(stub.calls, ElementsAre("cuMemcpyHtoDAsync_v2 8", "cuMemcpyDtoHAsync_v2 8"));
}

TEST_F(SpaceTest, RangesOfNoBytesAreIgnored) {
  stub.calls.clear();
  stream.upload({}, nullptr, 0);
  stream.download(nullptr, {}, 0);
  stream.copy({}, {}, 0);
  stream.fill({}, std::byte{0}, 0);
  EXPECT_THAT(stub.calls, IsEmpty());
}

TEST_F(SpaceTest, CopiesOfNoBytesThatWaitWait) {
  stub.calls.clear();
  stream.upload_and_wait({}, nullptr, 0);
  stream.download_and_wait(nullptr, {}, 0);
  EXPECT_THAT(stub.calls, ElementsAre("cuStreamSynchronize", "cuStreamSynchronize"));
}

TEST_F(SpaceTest, StreamsAreNotOrderedWithTheDefaultStream) {
  space.make_stream();
  EXPECT_THAT(stub.calls, Contains("cuStreamCreate 1"));
}

TEST_F(SpaceTest, AStreamThatEndsIsWaitedFor) {
  space.make_stream().reset();
  EXPECT_EQ(stub.calls.back(), "cuStreamDestroy_v2");
  EXPECT_EQ(*(stub.calls.end() - 2), "cuStreamSynchronize");
}

TEST_F(SpaceTest, AFullDeviceIsBadAlloc) {
  stub.results = {{"cuMemAlloc_v2", 2}, {"cuMemHostAlloc", 2}};
  EXPECT_THROW(space.allocate(8), std::bad_alloc);
  EXPECT_THROW(space.allocate_pinned(8), std::bad_alloc);
}

TEST_F(SpaceTest, AnotherFailureOfAnAllocationIsAFault) {
  stub.results = {{"cuMemAlloc_v2", 700}, {"cuMemHostAlloc", 700}};
  EXPECT_THAT(fault([&] { space.allocate(8); }), HasSubstr("cuMemAlloc_v2 returned 700"));
  EXPECT_THAT(fault([&] { space.allocate_pinned(8); }), HasSubstr("cuMemHostAlloc returned 700"));
}

TEST_F(SpaceTest, NothingIsReleasedTwiceAndNullIsAllowed) {
  stub.calls.clear();
  space.release({});
  space.release_pinned(nullptr);
  EXPECT_THAT(stub.calls, IsEmpty());
}

TEST_F(SpaceTest, AFailureToReleaseIsThrownOnceByTheNextCall) {
  for (const char* function : {"cuMemFree_v2", "cuMemFreeHost"}) {
    auto memory = core::allocate_on(space, 8);
    auto pinned = core::allocate_pinned_for(space, 8);
    stub.results = {{function, 999}};
    memory.reset();
    pinned.reset();
    EXPECT_THAT(fault([&] { stream.wait(); }), HasSubstr(function));
    EXPECT_NO_THROW(stream.wait());
    stub.results.clear();
  }
}

TEST_F(SpaceTest, NoCopyIsLeftBehindByOneThatFails) {
  const auto memory = core::allocate_on(space, 8);
  std::vector<std::byte> bytes(8);
  stub.results["cuEventRecord"] = 1;
  fault([&] { stream.download_and_wait(bytes.data(), memory.get(), 8); });
  EXPECT_EQ(stub.calls.back(), "cuStreamSynchronize");
  fault([&] { stream.upload_and_wait(memory.get(), bytes.data(), 8); });
  EXPECT_EQ(stub.calls.back(), "cuStreamSynchronize");
}

TEST_F(SpaceTest, AnEventIsReachedOrNot) {
  const auto event = space.make_event();
  EXPECT_TRUE(event->reached());
  stub.results["cuEventQuery"] = 600;
  EXPECT_FALSE(event->reached());
  stub.results["cuEventQuery"] = 700;
  EXPECT_THAT(fault([&] { event->reached(); }), HasSubstr("cuEventQuery returned 700"));
}

TEST_F(SpaceTest, EventsOrderStreams) {
  const auto event = space.make_event();
  const auto other = space.make_stream();
  stub.calls.clear();
  stream.record(*event);
  other->wait_for(*event);
  event->wait();
  EXPECT_THAT(stub.calls, ElementsAre("cuEventRecord", "cuStreamWaitEvent", "cuEventSynchronize"));
}

TEST_F(SpaceTest, EventsOfOtherSpacesAreRefused) {
  test::RecordingEvent other;
  test::error_text(ErrorCode::internal, [&] { stream.record(other); });
  test::error_text(ErrorCode::internal, [&] { stream.wait_for(other); });
}

/// A function of the driver, and what of a space leads to it.
struct Case {
  const char* function;
  std::function<void(core::MemorySpace&, core::DeviceAddress, std::byte*)> action;
};
void PrintTo(const Case& c, std::ostream* stream) {
  *stream << c.function;
}

class EveryFunction : public SpaceTest, public ::testing::WithParamInterface<Case> {};
using Space = core::MemorySpace;
using Address = core::DeviceAddress;
INSTANTIATE_TEST_SUITE_P(
    Driver, EveryFunction,
    ::testing::Values(
        Case{"cuMemcpyHtoDAsync_v2",
             [](Space& s, Address a, std::byte* p) { s.main_stream().upload(a, p, 8); }},
        Case{"cuMemcpyHtoDAsync_v2",
             [](Space& s, Address a, std::byte* p) { s.main_stream().upload_and_wait(a, p, 8); }},
        Case{"cuMemcpyDtoHAsync_v2",
             [](Space& s, Address a, std::byte* p) { s.main_stream().download(p, a, 8); }},
        Case{"cuMemcpyDtoHAsync_v2",
             [](Space& s, Address a, std::byte* p) { s.main_stream().download_and_wait(p, a, 8); }},
        Case{"cuEventSynchronize",
             [](Space& s, Address a, std::byte* p) { s.main_stream().download_and_wait(p, a, 8); }},
        Case{"cuMemcpyDtoDAsync_v2",
             [](Space& s, Address a, std::byte*) { s.main_stream().copy(a, a, 4); }},
        Case{"cuMemsetD8Async",
             [](Space& s, Address a, std::byte*) { s.main_stream().fill(a, std::byte{1}, 8); }},
        Case{"cuStreamSynchronize", [](Space& s, Address, std::byte*) { s.main_stream().wait(); }},
        Case{"cuStreamSynchronize",
             [](Space& s, Address a, std::byte* p) { s.main_stream().upload_and_wait(a, p, 8); }},
        Case{"cuEventRecord",
             [](Space& s, Address, std::byte*) { s.main_stream().record(*s.make_event()); }},
        Case{"cuStreamWaitEvent",
             [](Space& s, Address, std::byte*) { s.main_stream().wait_for(*s.make_event()); }},
        Case{"cuEventSynchronize", [](Space& s, Address, std::byte*) { s.make_event()->wait(); }},
        Case{"cuEventCreate", [](Space& s, Address, std::byte*) { s.make_event(); }},
        Case{"cuStreamCreate", [](Space& s, Address, std::byte*) { s.make_stream(); }},
        Case{"cuMemGetInfo_v2", [](Space& s, Address, std::byte*) { s.room(); }}));

TEST_P(EveryFunction, ThatFailsIsNamed) {
  const auto memory = core::allocate_on(space, 8);
  const auto pinned = core::allocate_pinned_for(space, 8);
  stub.results[GetParam().function] = 719;
  EXPECT_THAT(
      fault([&] { GetParam().action(space, memory.get(), pinned.get()); }),
      HasSubstr("device 0 (Stub 1), " + std::string(GetParam().function) + " returned 719"));
  stub.results.clear();
}

}  // namespace
}  // namespace op2::gpu
