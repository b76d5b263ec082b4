// SPDX-License-Identifier: BSD-3-Clause
// core::Array on an emulated device: the same result in every order, and what is left out is found.
#include <cstring>
#include <string>
#include <vector>

#include <core/array.hpp>
#include <op2/error.hpp>
#include <support/gpu/device_space.hpp>
#include <support/gpu/expect_misuse.hpp>
#include <support/gpu/fault_report.hpp>

namespace op2::test::gpu {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t count = 100, bytes = count * sizeof(double);

/// An array of doubles and a kernel that adds one to each.
struct OnDevice {
  explicit OnDevice(const std::string& order = "lazy")
      : device({.schedule = parse_schedule(order)}) {
    array.set_label("dat 'q'");
    array.resize(bytes);
    array.use(&copies);
  }
  void launch(core::Stream& stream, core::DeviceAddress at, Mode mode = Mode::read_write) {
    auto* q = reinterpret_cast<double*>(at.value);
    gpu::launch(stream, "increment", {{q, bytes, mode}}, [q] {
      for (std::size_t k = 0; k < count; ++k) q[k] += 1;
    });
  }
  void increment() { launch(space.main_stream(), array.device_write().get()); }
  std::vector<double> values() const {
    std::vector<double> values(count);
    std::memcpy(values.data(), array.host_read(), bytes);
    return values;
  }

  Device device;
  DeviceSpace space{device};
  core::DeviceCopies copies{space};
  core::Array array;
};

class ArrayInEveryOrder : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Orders, ArrayInEveryOrder,
                         ::testing::Values("eager", "lazy", "others", "reversed", "random:1",
                                           "random:2", "random:3"));

TEST_P(ArrayInEveryOrder, HostAndDeviceTakeTurns) {
  OnDevice q(GetParam());
  for (int turn = 0; turn < 3; ++turn) {
    q.increment();
    q.increment();
    auto writer = q.array.host_write();
    reinterpret_cast<double*>(writer.get())[7] += 10;
  }
  q.increment();
  EXPECT_EQ(q.values()[7], 37);
  EXPECT_EQ(q.values()[8], 7);
  EXPECT_THAT(q.device.findings(), IsEmpty());
}

TEST_P(ArrayInEveryOrder, AnotherStreamIsOrderedByEvents) {
  OnDevice q(GetParam());
  const auto other = q.space.make_stream();
  const auto before = q.space.make_event(), after = q.space.make_event();
  q.increment();
  q.space.main_stream().record(*before);
  other->wait_for(*before);
  q.launch(*other, q.array.device_write().get());
  other->record(*after);
  q.space.main_stream().wait_for(*after);
  EXPECT_THAT(q.values(), Each(2.0));
}

TEST(ArrayOnDevice, IsUploadedAndDownloadedOnceWhateverReadsIt) {
  OnDevice q;
  for (int k = 0; k < 4; ++k) q.increment();
  for (int k = 0; k < 4; ++k) q.values();
  EXPECT_EQ(q.device.counters().uploads, 1);
  EXPECT_EQ(q.device.counters().downloads, 1);
  EXPECT_EQ(q.device.counters().uploaded_bytes, bytes);
}

TEST(ArrayOnDevice, AnUploadThatIsMissingIsFound) {
  OnDevice q;
  q.launch(q.space.main_stream(), q.array.device_overwrite().get());
  EXPECT_THAT(misuse([&] { q.values(); }), HasSubstr("'increment' reads memory without a value"));
}

TEST(ArrayOnDevice, AnUploadThatIsMissingIsFoundAlsoInWhatAKernelMakesOfIt) {
  OnDevice q;
  q.launch(q.space.main_stream(), q.array.device_overwrite().get(), Mode::write);
  EXPECT_THAT(misuse([&] { q.values(); }), HasSubstr("'download' reads memory without a value"));
}

TEST(ArrayOnDevice, AKernelThatSetsOnlyPartOfWhatItIsToOverwriteIsFound) {
  OnDevice q;
  auto* at = reinterpret_cast<double*>(q.array.device_overwrite().get().value);
  launch(q.space.main_stream(), "half", {{at, bytes, Mode::write}},
         [at] { std::fill_n(at, count / 2, 1.0); });
  EXPECT_THAT(misuse([&] { q.values(); }),
              HasSubstr("'download' reads memory without a value: 'allocation 0' of 800 bytes, "
                        "offset 400"));
}

TEST(ArrayOnDevice, ADownloadThatIsMissingLeavesTheHostWithWhatItHad) {
  OnDevice q;
  q.increment();
  q.space.main_stream().wait();
  EXPECT_EQ(reinterpret_cast<const double*>(q.array.host_address())[0], 0);
  EXPECT_THAT(q.values(), Each(1.0));
}

TEST(ArrayOnDeviceDeathTest, AHostThatTakesTheDevicesCopyEndsWithAReport) {
  OnDevice q;
  auto* at = reinterpret_cast<volatile double*>(q.array.device_read().value);
  EXPECT_EXIT(*at = 1, ::testing::ExitedWithCode(fault_exit_code), "the host accesses memory");
}

TEST(ArrayOnDevice, AnotherStreamWithoutAnEventIsARace) {
  OnDevice q;
  const auto other = q.space.make_stream();
  q.increment();
  EXPECT_THAT(misuse([&] { q.launch(*other, q.array.device_write().get()); }),
              HasSubstr("nothing orders 'increment' and 'increment'"));
}

TEST(ArrayOnDevice, AnArrayThatEndsWhileAnotherStreamWritesItIsFound) {
  OnDevice q;
  const auto other = q.space.make_stream();
  q.launch(*other, q.array.device_write().get());
  q.array.reset();
  EXPECT_THAT(misuse([&] { q.device.wait_for_all(); }),
              HasSubstr("nothing orders 'increment' and 'free'"));
}

TEST(ArrayOnDevice, EveryCallThatFailsLeavesAnErrorOrTheRightResult) {
  const auto failed_at = [](std::int64_t k) {
    OnDevice q;
    q.device.failures().fail_at(k, Failure::launch_failed);
    try {
      q.increment();
      EXPECT_THAT(q.values(), Each(1.0));
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::device_failure);
    }
    q.device.failures().fail_at(0, Failure::none);
    return true;
  };
  std::int64_t k = 1;
  while (failed_at(k)) ++k;
  EXPECT_GT(k, 4);
}

}  // namespace
}  // namespace op2::test::gpu
