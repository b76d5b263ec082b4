// SPDX-License-Identifier: BSD-3-Clause
// From source to results on a device: the one that OP2_CUDA_DRIVER and OP2_NVRTC name.
#include <array>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>

#include <gpu/module.hpp>
#include <gpu/nvrtc.hpp>
#include <gpu/space.hpp>
#include <support/expect_error.hpp>

namespace op2::gpu {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string source = R"(
__constant__ double factor;
extern "C" __global__ void scale(double* q, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) q[i] *= factor;
}
extern "C" __global__ void add(double* q, double summand) { q[threadIdx.x] += summand; }
extern "C" __global__ void multiply(double* q, double by) { q[threadIdx.x] *= by; }
)";

LibraryPaths paths_of_environment() {
  const auto value = [](const char* name) { return std::getenv(name) ? std::getenv(name) : ""; };
  return {.driver = value("OP2_CUDA_DRIVER"), .nvrtc = value("OP2_NVRTC")};
}

std::vector<std::byte> machine_code(const Device& device) {
  const auto nvrtc = load_nvrtc(paths_of_environment(), device.driver_version());
  const auto compiled = nvrtc->compile(
      source, "kernels.cu", {}, {"--gpu-architecture=sm_" + std::to_string(device.architecture())});
  EXPECT_TRUE(compiled.ok) << compiled.log;
  return compiled.cubin;
}

/// A device with loaded kernels.
class ProgramOnDevice : public ::testing::Test {
 protected:
  core::DeviceBuffer upload(const std::vector<double>& values) {
    auto memory = core::allocate_on(space, values.size() * sizeof(double));
    const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
    stream.upload_and_wait(memory.get(), bytes, values.size() * sizeof(double));
    return memory;
  }
  std::vector<double> download(core::Stream& from, core::DeviceAddress memory, std::size_t count) {
    std::vector<double> values(count);
    from.download_and_wait(reinterpret_cast<std::byte*>(values.data()), memory,
                           count * sizeof(double));
    return values;
  }
  void set_factor(double factor) {
    const auto symbol = module.symbol("factor").value();
    stream.upload_and_wait(symbol.address, reinterpret_cast<const std::byte*>(&factor),
                           symbol.bytes);
  }

  std::unique_ptr<Device> device = Device::open(paths_of_environment(), 0);
  core::MemorySpace& space = device->space();
  core::Stream& stream = space.main_stream();
  Module module{*device, machine_code(*device)};
};

TEST_F(ProgramOnDevice, AKernelReadsAConstantAndItsParameters) {
  set_factor(3);
  auto memory = upload({1, 2, 3, 4});
  void* q = memory.get().value;
  int count = 3;
  launch(stream, module.function("scale"), {.blocks = 2, .threads = 2},
         std::array<void*, 2>{&q, &count});
  EXPECT_THAT(download(stream, memory.get(), 4), ElementsAre(3, 6, 9, 4));
}

TEST_F(ProgramOnDevice, CopiesThatWaitComeAfterTheKernelsOfTheirStream) {
  set_factor(2);
  int count = static_cast<int>(staged_bytes / sizeof(double)) * 3;
  auto memory = upload(std::vector<double>(static_cast<std::size_t>(count), 1));
  void* q = memory.get().value;
  const LaunchShape shape{.blocks = static_cast<unsigned>(count + 255) / 256, .threads = 256};
  const auto other = space.make_stream();
  for (int k = 0; k < 3; ++k)
    launch(*other, module.function("scale"), shape, std::array<void*, 2>{&q, &count});
  EXPECT_THAT(download(*other, memory.get(), static_cast<std::size_t>(count)), Each(8));
}

TEST_F(ProgramOnDevice, AnEventOrdersTwoStreams) {
  auto memory = upload({1, 2});
  void* q = memory.get().value;
  double value = 10;
  const std::array<void*, 2> parameters{&q, &value};
  const auto other = space.make_stream();
  const auto event = space.make_event();
  launch(stream, module.function("add"), {1, 2}, parameters);
  stream.record(*event);
  other->wait_for(*event);
  launch(*other, module.function("multiply"), {1, 2}, parameters);
  EXPECT_THAT(download(*other, memory.get(), 2), ElementsAre(110, 120));
}

TEST_F(ProgramOnDevice, AGraphRunsItsKernelsInOrderAndAgain) {
  auto memory = upload({1, 2});
  void* q = memory.get().value;
  double value = 10;
  const std::array<void*, 2> parameters{&q, &value};
  Graph graph(*device);
  const auto first = graph.add(module.function("add"), {1, 2}, parameters, {});
  graph.add(module.function("multiply"), {1, 2}, parameters, std::array{first});
  graph.finish();
  graph.launch(stream);
  graph.launch(stream);
  EXPECT_THAT(download(stream, memory.get(), 2), ElementsAre(1200, 1300));
}

TEST_F(ProgramOnDevice, WhatAModuleDoesNotHaveIsNotFound) {
  EXPECT_FALSE(module.function("missing"));
  EXPECT_FALSE(module.symbol("missing"));
}

TEST_F(ProgramOnDevice, TheMemoryOfAFullDeviceIsBadAlloc) {
  EXPECT_GT(space.room().free, 0);
  EXPECT_THROW(space.allocate(space.room().total + 1), std::bad_alloc);
}

TEST_F(ProgramOnDevice, CodeThatIsNoCodeIsAFault) {
  const std::array<std::byte, 64> zeros{};
  test::error_text(ErrorCode::device_failure, [&] { Module(*device, zeros); });
}

// The last: a fault ends what the process can do with the device.
TEST_F(ProgramOnDevice, WrongMemoryIsAFaultOfTheLaunchOrTheWait) {
  void* q = reinterpret_cast<void*>(64);
  double value = 1;
  EXPECT_THAT(test::error_text(ErrorCode::device_failure,
                               [&] {
                                 launch(stream, module.function("add"), {1, 32},
                                        std::array<void*, 2>{&q, &value});
                                 stream.wait();
                               }),
              HasSubstr("returned 700 (CUDA_ERROR_ILLEGAL_ADDRESS)"));
}

}  // namespace
}  // namespace op2::gpu
