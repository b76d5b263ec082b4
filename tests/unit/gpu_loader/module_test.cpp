// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/module.hpp>

#include <array>
#include <functional>
#include <span>
#include <vector>

#include <support/expect_error.hpp>
#include <support/recording_space.hpp>

#include "stub_device.hpp"

namespace op2::gpu {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::array<std::byte, 4> image{};

/// A loaded module with a kernel of one parameter.
class ModuleTest : public StubDevice {
 protected:
  ModuleTest() { stub.calls.clear(); }
  std::string fault(const std::function<void()>& action) {
    return test::error_text(ErrorCode::device_failure, action);
  }
  Module module{*device, image};
  Function kernel = module.function("op2_loop");
  int value = 7;
  std::array<void*, 1> parameters{&value};
  core::Stream& stream = device->space().main_stream();
};

TEST_F(StubDevice, AModuleIsLoadedOnTheDevicesContextAndUnloaded) {
  stub.calls.clear();
  {
    const Module module(*device, image);
  }
  EXPECT_THAT(stub.calls, ElementsAre("cuCtxSetCurrent", "cuModuleLoadDataEx", "cuModuleUnload"));
}

TEST_F(StubDevice, CodeThatCannotBeLoadedIsAFaultWithTheDriversWords) {
  stub.results["cuModuleLoadDataEx"] = 218;
  EXPECT_THAT(test::error_text(ErrorCode::device_failure, [&] { Module(*device, image); }),
              HasSubstr("cuModuleLoadDataEx returned 218 (CUDA_ERROR_OF_STUB); use an NVRTC and a "
                        "driver of the same CUDA version; OP2_NVRTC and OP2_CUDA_DRIVER name them. "
                        "The driver reports:\nptxas: line 3"));
}

TEST_F(ModuleTest, NamesThatItDoesNotHaveAreNotErrors) {
  EXPECT_FALSE(module.function("op2_fold"));
  EXPECT_FALSE(module.symbol("alpha"));
}

TEST_F(ModuleTest, AVariableHasAnAddressAndASize) {
  const auto symbol = module.symbol("gam");
  ASSERT_TRUE(symbol);
  EXPECT_EQ(reinterpret_cast<std::size_t>(symbol->address.value), 4096);
  EXPECT_EQ(symbol->bytes, 8);
}

TEST_F(ModuleTest, OtherFailuresOfALookupAreFaults) {
  stub.results = {{"cuModuleGetFunction", 700}, {"cuModuleGetGlobal_v2", 700}};
  EXPECT_THAT(fault([&] { module.function("op2_loop"); }), HasSubstr("cuModuleGetFunction"));
  EXPECT_THAT(fault([&] { module.symbol("gam"); }), HasSubstr("cuModuleGetGlobal_v2"));
}

TEST_F(ModuleTest, ALaunchPassesItsShapeAndItsParameters) {
  launch(stream, kernel, {.blocks = 3, .threads = 256}, parameters);
  EXPECT_EQ(stub.calls.back(), "cuLaunchKernel 3x256 of 7");
}

TEST_F(ModuleTest, ALaunchWithoutBlocksQueuesNothing) {
  stub.calls.clear();
  launch(stream, kernel, {.blocks = 0, .threads = 256}, parameters);
  EXPECT_THAT(stub.calls, IsEmpty());
}

TEST_F(ModuleTest, ALaunchThatFailsIsAFault) {
  stub.results["cuLaunchKernel"] = 719;
  EXPECT_THAT(fault([&] { launch(stream, kernel, {1, 32}, parameters); }),
              HasSubstr("device fault: device 0 (Stub 1), cuLaunchKernel returned 719"));
}

TEST_F(ModuleTest, ALaunchOnAnotherKindOfStreamIsRefused) {
  test::RecordingSpace other;
  EXPECT_THAT(test::error_text(ErrorCode::internal,
                               [&] { launch(other.main_stream(), kernel, {1, 32}, parameters); }),
              HasSubstr("a stream is not one of a CUDA device"));
}

TEST_F(ModuleTest, AGraphIsMadeOfKernelsAndLaunchedAsOne) {
  stub.calls.clear();
  Graph graph(*device);
  const auto first = graph.add(kernel, {2, 64}, parameters, {});
  graph.add(kernel, {1, 32}, parameters, std::array{first});
  graph.finish();
  graph.launch(stream);
  EXPECT_THAT(stub.calls, ElementsAre("cuGraphCreate", "cuGraphAddKernelNode_v2 2x64 of 7 after 0",
                                      "cuGraphAddKernelNode_v2 1x32 of 7 after 1",
                                      "cuGraphInstantiateWithFlags", "cuGraphLaunch"));
}

TEST_F(ModuleTest, AGraphWithoutKernelsQueuesNothing) {
  Graph graph(*device);
  graph.finish();
  graph.launch(stream);
  EXPECT_FALSE(stub.was_called("cuGraphLaunch"));
}

TEST_F(ModuleTest, AGraphEndsWithWhatItOwns) {
  Graph(*device).finish();
  EXPECT_THAT(stub.calls, Contains("cuGraphExecDestroy"));
  EXPECT_EQ(stub.calls.back(), "cuGraphDestroy");
}

TEST_F(ModuleTest, EveryCallOfAGraphThatFailsIsAFault) {
  for (const char* function : {"cuGraphCreate", "cuGraphAddKernelNode_v2",
                               "cuGraphInstantiateWithFlags", "cuGraphLaunch"}) {
    stub.results = {{function, 700}};
    EXPECT_THAT(fault([&] {
                  Graph graph(*device);
                  graph.add(kernel, {2, 64}, parameters, {});
                  graph.finish();
                  graph.launch(stream);
                }),
                HasSubstr(function));
  }
  stub.results.clear();
}

}  // namespace
}  // namespace op2::gpu
