// SPDX-License-Identifier: BSD-3-Clause
// Several threads of the host use the same or different devices.
#include <thread>

#include "cuda_program.hpp"

namespace op2::test::gpu::cuda {
namespace {

class HostThreads : public CudaProgram {
 protected:
  HostThreads() { start({{"OP2_EMU_DEVICES", "2"}}); }

  void enter(int device) {
    op2::gpu::ContextHandle context = nullptr;
    EXPECT_EQ(api->context_retain(&context, device), 0);
    EXPECT_EQ(api->context_set_current(context), 0);
  }
  /// Sums 64 numbers in each of many blocks, through shared memory, in a stream of the thread.
  void sum_on(int device, const std::vector<std::byte>& cubin) {
    enter(device);
    ModuleHandle module = nullptr;
    StreamHandle mine = nullptr;
    EXPECT_EQ(api->module_load(&module, cubin.data(), 0, nullptr, nullptr), 0);
    EXPECT_EQ(api->stream_create(&mine, 1), 0);
    DevicePointer q = allocate(8);
    std::vector<void*> parameters{&q};
    EXPECT_EQ(api->fill(q, 0, 8, mine), 0);
    for (int k = 0; k < 20; ++k)
      EXPECT_EQ(
          api->launch(function(module), 10, 1, 1, 64, 1, 1, 0, mine, parameters.data(), nullptr),
          0);
    auto* sum = pinned<double>(1);
    EXPECT_EQ(api->download(sum, q, 8, mine), 0);
    EXPECT_EQ(api->stream_wait(mine), 0);
    EXPECT_EQ(*sum, 20 * 10 * 64);
  }
  const std::string sums =
      "(double* q) { __shared__ double rows[64]; rows[63 - threadIdx.x] = 1; __syncthreads();"
      "if (threadIdx.x == 0) for (double row : rows) atomicAdd(q, row); }";
};

TEST_F(HostThreads, RunKernelsOfDifferentDevicesAtTheSameTime) {
  const auto cubin = compile(kernel_head + sums).cubin;
  std::thread other([&] { sum_on(1, cubin); });
  sum_on(0, cubin);
  other.join();
  EXPECT_EQ(findings(), "");
}

TEST_F(HostThreads, TakeTurnsOnOneDevice) {
  const auto cubin = compile(kernel_head + sums).cubin;
  std::thread other([&] { sum_on(0, cubin); });
  sum_on(0, cubin);
  other.join();
  EXPECT_EQ(findings(), "");
}

TEST_F(HostThreads, RunAModuleThatAnotherThreadHasLoaded) {
  ModuleHandle module = nullptr;
  const auto cubin = compile(kernel_head + sums).cubin;
  std::thread loader([&] {
    enter(0);
    EXPECT_EQ(api->module_load(&module, cubin.data(), 0, nullptr, nullptr), 0);
  });
  loader.join();
  const auto q = upload<double>({0});
  EXPECT_EQ(run(function(module), 1, 64, q), "");
  EXPECT_THAT(download<double>(q, 1), ::testing::ElementsAre(64));
}

}  // namespace
}  // namespace op2::test::gpu::cuda
