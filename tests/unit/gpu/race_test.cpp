// SPDX-License-Identifier: BSD-3-Clause
// Uses of the same memory that nothing orders, and those that something does.
#include <support/gpu/device.hpp>
#include <support/gpu/expect_misuse.hpp>

namespace op2::test::gpu {
namespace {

using ::testing::HasSubstr;

/// Kernels on three streams that say that they use a part of 64 bytes.
struct Race : ::testing::Test {
  Race() {
    device.fill(a, q, std::byte{0}, 64);
    device.wait(a);
  }
  void use(Device::StreamNumber stream, const char* name, Mode mode, std::size_t begin = 0,
           std::size_t end = 64) {
    device.launch(stream, name, {{q + begin, end - begin, mode}}, [] {});
  }
  void order(Device::StreamNumber before, Device::StreamNumber after) {
    DeviceEvent event;
    device.record(before, event);
    device.wait_for(after, event);
  }
  Device device;
  std::byte* q = device.allocate(64, "q");
  Device::StreamNumber a = device.create_stream(), b = device.create_stream(),
                       c = device.create_stream();
};

TEST_F(Race, IsAReadAfterAWrite) {
  use(a, "first", Mode::write);
  EXPECT_THAT(misuse([&] { use(b, "second", Mode::read, 8, 16); }),
              HasSubstr("nothing orders 'first' and 'second' on 'q', offset 8, 8 bytes"));
}

TEST_F(Race, IsAWriteAfterARead) {
  use(a, "first", Mode::read);
  EXPECT_THAT(misuse([&] { use(b, "second", Mode::write); }),
              HasSubstr("nothing orders 'first' and 'second'"));
}

TEST_F(Race, IsNotTwoReads) {
  use(a, "first", Mode::read);
  EXPECT_NO_THROW(use(b, "second", Mode::read));
}

TEST_F(Race, IsNotAUseOfOtherBytes) {
  use(a, "first", Mode::write, 0, 32);
  EXPECT_NO_THROW(use(b, "second", Mode::write, 32, 64));
}

TEST_F(Race, IsNotWhatTheHostHasWaitedFor) {
  use(a, "first", Mode::write);
  device.wait(a);
  EXPECT_NO_THROW(use(b, "second", Mode::write));
}

TEST_F(Race, IsNotWhatEventsOrderOverAThirdStream) {
  use(a, "first", Mode::write);
  order(a, b);
  order(b, c);
  EXPECT_NO_THROW(use(c, "second", Mode::write));
}

TEST_F(Race, IsWorkBehindTheEventThatWasWaitedFor) {
  DeviceEvent event;
  device.record(a, event);
  use(a, "first", Mode::write);
  device.wait_for(b, event);
  EXPECT_THAT(misuse([&] { use(b, "second", Mode::read); }), HasSubstr("'first' and 'second'"));
}

TEST_F(Race, WithOneOfSeveralReadersIsFoundToo) {
  use(a, "first", Mode::read);
  use(b, "second", Mode::read);
  order(b, c);
  EXPECT_THAT(misuse([&] { use(c, "third", Mode::write); }), HasSubstr("'first' and 'third'"));
}

}  // namespace
}  // namespace op2::test::gpu
