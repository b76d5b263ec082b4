// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <vector>

#include <support/gpu/device.hpp>
#include <support/gpu/expect_misuse.hpp>
#include <support/gpu/fault_report.hpp>
#include <support/gpu/poison.hpp>

namespace op2::test::gpu {
namespace {

using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

/// A device with one stream, and eight doubles that have values.
class Memory : public ::testing::Test {
 protected:
  void* upload() {
    const std::vector<double> values(8, 1.5);
    device.upload_and_wait(stream, q, values.data(), 64);
    return q;
  }
  void launch(std::vector<Access> accesses, std::function<void()> function) {
    device.launch(stream, "kernel", std::move(accesses), std::move(function));
    device.wait(stream);
  }
  Device device;
  Device::StreamNumber stream = device.create_stream();
  double* q = reinterpret_cast<double*>(device.allocate(64, "q"));
};
using MemoryDeathTest = Memory;

TEST_F(Memory, WhatWasUploadedIsDownloaded) {
  upload();
  std::array<double, 8> back{};
  device.download_and_wait(stream, back.data(), q, 64);
  EXPECT_THAT(back, ::testing::Each(1.5));
}

TEST_F(Memory, AKernelWorksOnWhatItDeclares) {
  upload();
  launch({{q, 64, Mode::read_write}}, [this] { q[7] = 2 * q[0]; });
  double last = 0;
  device.download_and_wait(stream, &last, q + 7, sizeof last);
  EXPECT_EQ(last, 3);
}

TEST_F(MemoryDeathTest, TheHostThatReadsMemoryOfTheDeviceEndsWithAReport) {
  upload();
  EXPECT_EXIT(*static_cast<volatile double*>(q + 2), ExitedWithCode(fault_exit_code),
              "'gpu0': the host accesses memory of the device: 'q' of 64 bytes, offset 16");
}

TEST_F(MemoryDeathTest, TheHostThatWritesMemoryOfTheDeviceEndsWithAReport) {
  EXPECT_EXIT(q[0] = 1, ExitedWithCode(fault_exit_code), "the host accesses .* 'q' .* offset 0");
}

TEST_F(MemoryDeathTest, MemoryIsClosedAgainAfterAKernel) {
  launch({{q, 64, Mode::write}}, [this] { q[0] = 1; });
  EXPECT_EXIT(q[0] = 1, ExitedWithCode(fault_exit_code), "the host accesses");
}

TEST_F(MemoryDeathTest, AKernelThatAccessesWhatItDoesNotDeclareEndsWithAReport) {
  auto* other = reinterpret_cast<double*>(device.allocate(64, "res"));
  EXPECT_EXIT(launch({{q, 64, Mode::write}}, [=] { other[0] = 1; }),
              ExitedWithCode(fault_exit_code),
              "kernel 'kernel' .* accesses memory that it has not declared so: 'res'");
}

TEST_F(MemoryDeathTest, AKernelThatWritesWhatItDeclaresToReadEndsWithAReport) {
  upload();
  EXPECT_EXIT(launch({{q, 64, Mode::read}}, [this] { q[1] = 1; }), ExitedWithCode(fault_exit_code),
              "not declared so: 'q' of 64 bytes, offset 8");
}

TEST_F(MemoryDeathTest, AKernelThatGoesFarBeyondAnAllocationEndsWithAReport) {
  EXPECT_EXIT(launch({{q, 64, Mode::write}}, [this] { q[32] = 1; }),
              ExitedWithCode(fault_exit_code), "outside of an allocation: 'q' .* offset 256");
}

TEST_F(MemoryDeathTest, AKernelThatUsesFreedMemoryEndsWithAReport) {
  device.free(q);
  device.allocate(64, "res");
  EXPECT_EXIT(
      {
        device.launch(stream, "kernel", [this] { q[0] = 1; });
        device.wait(stream);
      },
      ExitedWithCode(fault_exit_code), "freed memory: 'q'");
}

TEST_F(MemoryDeathTest, AFaultElsewhereIsLeftToOthers) {
  EXPECT_DEATH(*reinterpret_cast<volatile int*>(8) = 1, "");
}

TEST_F(Memory, AKernelThatWritesJustBesideAnAllocationIsFound) {
  EXPECT_THAT(misuse([&] {
                launch({{q, 64, Mode::write}}, [this] { q[8] = 1; });
              }),
              HasSubstr("beside an allocation was written: 'q' of 64 bytes, offset 64"));
  EXPECT_THAT(misuse([&] {
                launch({{q, 64, Mode::write}}, [this] { q[-1] = 1; });
              }),
              HasSubstr("offset"));
}

TEST_F(Memory, ADownloadOfBytesThatWereNeverSetIsFound) {
  launch({{q, 64, Mode::write}}, [this] { q[0] = q[1] = 1; });
  std::array<double, 8> back{};
  EXPECT_THAT(misuse([&] { device.download_and_wait(stream, back.data(), q, 64); }),
              HasSubstr("'download' reads memory without a value: 'q' of 64 bytes, offset 16"));
}

TEST_F(Memory, AKernelThatReadsBytesThatWereNeverSetIsFound) {
  EXPECT_THAT(misuse([&] {
                launch({{q, 64, Mode::read}}, [] {});
              }),
              HasSubstr("'kernel' reads memory without a value"));
}

TEST_F(Memory, ACopyOnTheDeviceGivesNoValueToBytesThatHadNone) {
  auto* other = device.allocate(64, "res");
  device.fill(stream, q, std::byte{0}, 32);
  device.copy(stream, other, q, 64);
  std::array<double, 8> back{};
  device.download_and_wait(stream, back.data(), other, 32);
  EXPECT_THAT(misuse([&] { device.download_and_wait(stream, back.data(), other, 64); }),
              HasSubstr("'res' of 64 bytes, offset 32"));
}

TEST_F(Memory, AValueThatLooksLikeNoneIsOne) {
  const std::uint32_t looks_like_none = poison_word;
  std::uint32_t back = 0;
  device.upload_and_wait(stream, q, &looks_like_none, sizeof back);
  device.download_and_wait(stream, &back, q, sizeof back);
  EXPECT_EQ(back, poison_word);
}

TEST_F(Memory, ACopyBeyondAnAllocationIsFound) {
  const std::vector<double> values(9, 1.5);
  EXPECT_THAT(misuse([&] { device.upload_and_wait(stream, q, values.data(), 72); }),
              HasSubstr("'upload' goes outside of an allocation: 'q' of 64 bytes, offset 0, 72"));
}

TEST_F(Memory, MemoryOfTheHostIsNotTakenForMemoryOfTheDevice) {
  std::array<double, 8> values{};
  EXPECT_THAT(misuse([&] { device.fill(stream, values.data(), std::byte{0}, 64); }),
              HasSubstr("'fill' takes memory of the host for memory of the device"));
}

TEST_F(Memory, FreedMemoryIsNeverUsedAgain) {
  device.free(q);
  EXPECT_NE(device.allocate(64), reinterpret_cast<std::byte*>(q));
  EXPECT_THAT(misuse([&] { device.fill(stream, q, std::byte{0}, 64); }),
              HasSubstr("'fill' uses freed memory: 'q'"));
}

TEST_F(Memory, FreeingTwiceIsFoundByTheNextCall) {
  device.free(q);
  device.free(q);
  EXPECT_THAT(misuse([&] { device.wait_for_all(); }), HasSubstr("'free' uses freed memory: 'q'"));
}

TEST_F(Memory, FreeingBehindTheStartOfAnAllocationIsFound) {
  device.free(q + 1);
  EXPECT_THAT(misuse([&] { device.wait_for_all(); }), HasSubstr("middle of an allocation: 'q'"));
}

TEST_F(Memory, CapacityIsWhatIsAllocatedAtTheSameTime) {
  Device small({.name = "small", .capacity = 100});
  std::byte* first = small.allocate(60);
  EXPECT_THROW(small.allocate(60), DeviceFailure);
  small.free(first);
  EXPECT_NO_THROW(small.allocate(60));
}

TEST_F(Memory, DevicesOfOneProcessAreApart) {
  Device other({.name = "gpu1"});
  const auto stream_there = other.create_stream();
  EXPECT_THAT(misuse([&] { other.fill(stream_there, q, std::byte{0}, 64); }),
              HasSubstr("'gpu1': 'fill' takes memory of the host"));
}

TEST_F(Memory, CallsAreCounted) {
  upload();
  launch({}, [] {});
  std::array<double, 4> back{};
  device.download_and_wait(stream, back.data(), q, 32);
  const Counters& c = device.counters();
  EXPECT_EQ((std::array{c.allocations, c.uploads, c.uploaded_bytes, c.downloads, c.downloaded_bytes,
                        c.launches, c.waits}),
            (std::array<std::int64_t, 7>{1, 1, 64, 1, 32, 1, 3}));
}

}  // namespace
}  // namespace op2::test::gpu
