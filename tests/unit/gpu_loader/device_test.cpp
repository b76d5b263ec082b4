// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/device.hpp>

#include <thread>

#include <support/expect_error.hpp>

#include "stub_device.hpp"

namespace op2::gpu {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The message of the error when a device of the stub is opened.
std::string failure_to_open(ErrorCode code) {
  return test::error_text(code, [] { Device::open(stub_paths, 0); });
}

TEST(Device, IsTheOneOfTheLocalRank) {
  fresh_stub().devices = 3;
  const auto device = Device::open(stub_paths, 4);
  EXPECT_EQ(device->ordinal(), 1);
  EXPECT_EQ(device->id().bytes[0], 11);
}

TEST(Device, KnowsItsNameArchitectureAndDriver) {
  fresh_stub().version = 12020;
  const auto device = Device::open(stub_paths, 1);
  EXPECT_EQ(device->name(), "Stub 1");
  EXPECT_EQ(device->architecture(), 90);
  EXPECT_EQ(device->driver_version(), 12020);
  EXPECT_EQ(device->space().name(), "device 1 (Stub 1)");
}

TEST(Device, ReturnsItsContextAtTheEnd) {
  auto& stub = fresh_stub();
  Device::open(stub_paths, 1).reset();
  EXPECT_THAT(stub.calls, Contains("cuDevicePrimaryCtxRetain 11"));
  EXPECT_EQ(stub.calls.back(), "cuDevicePrimaryCtxRelease_v2 11");
}

TEST(Device, IsNeededAtAll) {
  fresh_stub().devices = 0;
  EXPECT_THAT(failure_to_open(ErrorCode::no_device),
              StartsWith("OP2-E509 there is no device: driver " OP2_STUB_FOLDER));
}

TEST(Device, ThatTheDriverDoesNotShowIsNamedWithTheCall) {
  fresh_stub().results["cuInit"] = 100;
  EXPECT_THAT(failure_to_open(ErrorCode::no_device),
              HasSubstr("cuInit returned 100 (CUDA_ERROR_OF_STUB); look at nvidia-smi"));
}

TEST(Device, IsNotThereIfTheStubForTheLinkerIsLoaded) {
  fresh_stub().results["cuInit"] = 34;
  EXPECT_THAT(failure_to_open(ErrorCode::no_device),
              AllOf(StartsWith("OP2-E509 this is not the driver, but CUDA's stub for the linker: "
                               "library " OP2_STUB_FOLDER "/driver/libcuda.so.1, cuInit"),
                    HasSubstr("; take its folder out of LD_LIBRARY_PATH")));
}

TEST(Device, NeedsADriverForCuda12) {
  fresh_stub().version = 11080;
  EXPECT_THAT(failure_to_open(ErrorCode::no_device),
              HasSubstr("the NVIDIA driver is too old: driver " OP2_STUB_FOLDER
                        "/driver/libcuda.so.1, CUDA 11.8; install"));
}

TEST(Device, OpensOrNamesTheCallThatFails) {
  for (int k = 1;; ++k) {
    auto& stub = fresh_stub();
    stub.failing_call = k;
    stub.failing_result = 700;
    try {
      const auto device = Device::open(stub_paths, 0);
      if (static_cast<int>(stub.calls.size()) < k) break;
      ADD_FAILURE() << "call " << k << " failed silently: " << stub.calls.at(k - 1);
    } catch (const Error& error) {
      EXPECT_THAT(error.code(), AnyOf(ErrorCode::no_device, ErrorCode::device_failure));
      EXPECT_THAT(error.what(), HasSubstr("returned 700 (CUDA_ERROR_ILLEGAL_ADDRESS)")) << k;
    }
  }
}

TEST(Device, ThatCannotBeOpenedReturnsItsContext) {
  auto& stub = fresh_stub();
  stub.results["cuStreamCreate"] = 999;
  failure_to_open(ErrorCode::device_failure);
  EXPECT_EQ(stub.calls.back(), "cuDevicePrimaryCtxRelease_v2 10");
}

TEST(Device, WithoutPinnedMemoryIsOutOfMemory) {
  fresh_stub().results["cuMemHostAlloc"] = 2;
  EXPECT_THAT(failure_to_open(ErrorCode::out_of_memory), HasSubstr("cuMemHostAlloc returned 2"));
}

TEST_F(StubDevice, IsMadeCurrentOnOtherThreads) {
  std::thread([&] { device->make_current(); }).join();
  EXPECT_EQ(stub.calls.back(), "cuCtxSetCurrent");
}

/// The message of a fault with this number.
std::string fault(const Driver& driver, int result) {
  return test::error_text(ErrorCode::device_failure, [&] { driver.fail("cuX", result); });
}

TEST_F(StubDevice, NamesAFaultAndWhatToDo) {
  EXPECT_EQ(fault(device->driver(), 700),
            "OP2-E508 device fault: device 0 (Stub 1), cuX returned 700 "
            "(CUDA_ERROR_ILLEGAL_ADDRESS); find the kernel that accesses memory wrongly: "
            "OP2_CHECK=pointers runs each loop at its call, OP2_TARGET=cpu OP2_CHECK=access checks "
            "its source");
  EXPECT_THAT(fault(device->driver(), 719), EndsWith("OP2_CHECK=access checks its source"));
  EXPECT_THAT(fault(device->driver(), 710), HasSubstr("an assert of a kernel has failed"));
  EXPECT_THAT(test::error_text(ErrorCode::out_of_memory, [&] { device->driver().fail("cuX", 2); }),
              AllOf(HasSubstr("out of device memory: device 0 (Stub 1), cuX returned 2"),
                    EndsWith("; use more devices, or a smaller mesh")));
  EXPECT_THAT(fault(device->driver(), 222), HasSubstr("of the same CUDA version; OP2_NVRTC"));
  EXPECT_THAT(fault(device->driver(), 400), EndsWith("; restart the program"));
}

TEST_F(StubDevice, ThatIsLostIsToBeLookedAt) {
  for (const int lost : {46, 214, 802, 803, 999})
    EXPECT_THAT(fault(device->driver(), lost), HasSubstr("look at nvidia-smi"));
}

TEST_F(StubDevice, NamesFaultsThatTheDriverDoesNotKnow) {
  EXPECT_THAT(fault(device->driver(), 12345), HasSubstr("cuX returned 12345 (unknown)"));
}

}  // namespace
}  // namespace op2::gpu
