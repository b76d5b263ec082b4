// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <new>

#include <core/memory_space.hpp>
#include <support/expect_error.hpp>
#include <support/gpu/device_space.hpp>
#include <support/gpu/expect_misuse.hpp>

namespace op2::test::gpu {
namespace {

using ::testing::HasSubstr;

struct DeviceSpaceTest : ::testing::Test {
  Device device;
  DeviceSpace space{device};
};

TEST_F(DeviceSpaceTest, CopiesThroughPinnedMemory) {
  const auto on_device = core::allocate_on(space, 8);
  const auto pinned = core::allocate_pinned_for(space, 16);
  std::memset(pinned.get(), 7, 8);
  space.main_stream().upload(on_device.get(), pinned.get(), 8);
  space.main_stream().download(pinned.get() + 8, on_device.get(), 8);
  space.main_stream().wait();
  EXPECT_EQ(std::memcmp(pinned.get(), pinned.get() + 8, 8), 0);
}

TEST_F(DeviceSpaceTest, AnEventOrdersTwoStreams) {
  const auto on_device = core::allocate_on(space, 8);
  const auto other = space.make_stream();
  const auto event = space.make_event();
  space.main_stream().fill(on_device.get(), std::byte{3}, 8);
  space.main_stream().record(*event);
  other->wait_for(*event);
  std::array<std::byte, 8> back{};
  other->download_and_wait(back.data(), on_device.get(), 8);
  EXPECT_THAT(back, ::testing::Each(std::byte{3}));
}

TEST_F(DeviceSpaceTest, WithoutTheEventTheStreamsAreARace) {
  const auto on_device = core::allocate_on(space, 8);
  const auto other = space.make_stream();
  space.main_stream().fill(on_device.get(), std::byte{3}, 8);
  std::array<std::byte, 8> back{};
  EXPECT_THAT(misuse([&] { other->download_and_wait(back.data(), on_device.get(), 8); }),
              HasSubstr("nothing orders 'fill' and 'download'"));
  space.main_stream().wait();
}

TEST_F(DeviceSpaceTest, MemoryThatIsReleasedWhileWorkUsesItIsFoundByTheNextCall) {
  auto on_device = core::allocate_on(space, 8);
  space.main_stream().fill(on_device.get(), std::byte{3}, 8);
  on_device.reset();
  EXPECT_THAT(misuse([&] { space.allocate(8); }), HasSubstr("nothing orders 'fill' and 'free'"));
}

TEST_F(DeviceSpaceTest, AFullDeviceIsBadAlloc) {
  EXPECT_THROW(space.allocate(space.room().total + 1), std::bad_alloc);
  const auto all = core::allocate_on(space, 1000);
  EXPECT_EQ(space.room().free, space.room().total - 1000);
}

TEST_F(DeviceSpaceTest, AFailureOfTheDeviceIsAnError) {
  device.failures().fail_at(1, Failure::launch_failed);
  EXPECT_THAT(error_text(ErrorCode::device_failure, [&] { space.main_stream().wait(); }),
              HasSubstr("device fault: device gpu0, planned failure: wait"));
}

TEST_F(DeviceSpaceTest, WorkOfAStreamThatEndsIsDone) {
  const auto on_device = core::allocate_on(space, 8);
  space.make_stream()->fill(on_device.get(), std::byte{3}, 8);
  std::array<std::byte, 8> back{};
  space.main_stream().download_and_wait(back.data(), on_device.get(), 8);
  EXPECT_THAT(back, ::testing::Each(std::byte{3}));
}

}  // namespace
}  // namespace op2::test::gpu
