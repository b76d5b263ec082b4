// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <support/gpu/device.hpp>

namespace op2::test::gpu {
namespace {

Failure failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const DeviceFailure& failure) {
    return failure.code;
  }
  return Failure::none;
}

TEST(PlannedFailure, HitsTheKthCallOfAnyFunction) {
  Device device;
  const auto stream = device.create_stream();
  device.failures().fail_at(3, Failure::launch_failed);
  std::byte* data = device.allocate(8);
  device.fill(stream, data, std::byte{1}, 8);
  EXPECT_EQ(failure_of([&] { device.launch(stream, "kernel", {}, [] {}); }),
            Failure::launch_failed);
  EXPECT_EQ(failure_of([&] { device.launch(stream, "kernel", {}, [] {}); }), Failure::none);
}

TEST(PlannedFailure, ACallThatFailsHasDoneNothing) {
  Device device;
  device.failures().fail_at(1, Failure::out_of_memory);
  EXPECT_EQ(failure_of([&] { device.allocate(8); }), Failure::out_of_memory);
  EXPECT_EQ(device.counters().allocations, 0);
  EXPECT_EQ(device.live_bytes(), 0);
}

TEST(PlannedFailure, ALostDeviceStaysLost) {
  Device device;
  const auto stream = device.create_stream();
  device.failures().fail_at(2, Failure::device_lost);
  device.wait(stream);
  EXPECT_EQ(failure_of([&] { device.wait(stream); }), Failure::device_lost);
  EXPECT_EQ(failure_of([&] { device.wait(stream); }), Failure::device_lost);
}

TEST(PlannedFailure, EveryCallOfAProgramCanBeTheOneThatFails) {
  const auto program = [](Device& device) {
    const auto stream = device.create_stream();
    std::byte* data = device.allocate(8);
    device.fill(stream, data, std::byte{1}, 8);
    device.wait(stream);
  };
  Device whole;
  program(whole);
  for (std::int64_t k = 1; k <= whole.failures().calls(); ++k) {
    Device device;
    device.failures().fail_at(k, Failure::launch_failed);
    EXPECT_EQ(failure_of([&] { program(device); }), Failure::launch_failed) << k;
  }
}

}  // namespace
}  // namespace op2::test::gpu
