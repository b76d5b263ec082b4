// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/nvrtc.hpp>

#include <array>
#include <cstdlib>
#include <new>
#include <thread>

#include <gmock/gmock.h>

#include <support/expect_error.hpp>

namespace op2::gpu {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::shared_ptr<const Nvrtc> stub_nvrtc() {
  return load_nvrtc({.driver = "", .nvrtc = OP2_STUB_FOLDER "/nvrtc/libnvrtc-13.0"}, 0);
}

TEST(Nvrtc, KnowsItsVersion) {
  EXPECT_EQ(stub_nvrtc()->version(), "13.0");
}

TEST(Nvrtc, CompilesForADeviceThatItKnowsOrForTheNewestBefore) {  // 75, 121, 90
  const auto name_for = [](int device) { return stub_nvrtc()->architecture_for(device).name(); };
  EXPECT_EQ(name_for(75), "sm_75");
  EXPECT_EQ(name_for(86), "compute_75");
  EXPECT_EQ(name_for(90), "sm_90");
  EXPECT_EQ(name_for(103), "compute_90");
  EXPECT_EQ(name_for(121), "sm_121");
  EXPECT_EQ(name_for(130), "compute_121");
}

TEST(Nvrtc, DoesNotCompileForADeviceOlderThanAllThatItKnows) {
  EXPECT_THAT(test::error_text(ErrorCode::device_compiler,
                               [] { static_cast<void>(stub_nvrtc()->architecture_for(70)); }),
              AllOf(StartsWith("OP2-E510 the device is older than what NVRTC compiles for: sm_70"),
                    HasSubstr("libnvrtc-13.0"), HasSubstr("begins with sm_75; install an older")));
}

TEST(Nvrtc, PassesSourceNameHeadersAndOptions) {
  const std::array headers{SourceHeader{"a.h", "1"}, SourceHeader{"b.h", "2"}};
  const auto compiled = stub_nvrtc()->compile("source", "loop.cu", headers, {"-a", "-b"});
  EXPECT_TRUE(compiled.ok);
  EXPECT_EQ(compiled.ptx, "loop.cu: source <a.h=1> <b.h=2> -a -b");
  EXPECT_EQ(compiled.log, "log of source");
  EXPECT_THAT(compiled.cubin, SizeIs(4));
}

TEST(Nvrtc, ReturnsTheLogOfARejectedSource) {
  const auto compiled = stub_nvrtc()->compile("reject", "loop.cu", {}, {});
  EXPECT_FALSE(compiled.ok);
  EXPECT_EQ(compiled.log, "log of reject");
  EXPECT_THAT(compiled.cubin, IsEmpty());
}

TEST(Nvrtc, ThatFailsItselfIsAnErrorWithItsLog) {
  EXPECT_THAT(test::error_text(ErrorCode::device_compiler,
                               [] { stub_nvrtc()->compile("crash", "loop.cu", {}, {}); }),
              AllOf(StartsWith("OP2-E510 NVRTC fails: library " OP2_STUB_FOLDER),
                    HasSubstr("nvrtcCompileProgram returned 11 (NVRTC_ERROR_OF_STUB); install"),
                    HasSubstr("It reports:\nlog of crash")));
}

TEST(Nvrtc, WithoutMemoryIsBadAlloc) {
  EXPECT_THROW(stub_nvrtc()->compile("memory", "loop.cu", {}, {}), std::bad_alloc);
}

/// NVIDIA's, where some place has it; OP2_NVRTC names another one.
class RealNvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const path = std::getenv("OP2_NVRTC");
    try {
      nvrtc = load_nvrtc({.driver = "", .nvrtc = path == nullptr ? "" : path}, 0);
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  std::shared_ptr<const Nvrtc> nvrtc;
};

const std::string kernel = R"(#include "two.h"
extern "C" __global__ void scale(double* q) { q[threadIdx.x] *= two; })";
const std::array two{SourceHeader{"two.h", "constexpr double two = 2;"}};

TEST_F(RealNvrtc, CompilesAKernelToMachineCodeAndPtx) {
  for (const char* architecture : {"sm_80", "sm_90"}) {
    const auto compiled = nvrtc->compile(
        kernel, "scale.cu", two,
        {std::string("--gpu-architecture=") + architecture, "--std=c++20", "-default-device"});
    ASSERT_TRUE(compiled.ok) << compiled.log;
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(compiled.cubin.data()) + 1, 3), "ELF");
    EXPECT_THAT(compiled.ptx, HasSubstr(".visible .entry scale("));
  }
}

TEST_F(RealNvrtc, CompilesForAVirtualArchitectureToPtxAlone) {
  const auto compiled = nvrtc->compile(kernel, "scale.cu", two, {"--gpu-architecture=compute_90"});
  EXPECT_TRUE(compiled.ok);
  EXPECT_THAT(compiled.cubin, IsEmpty());
  EXPECT_THAT(compiled.ptx, HasSubstr(".target sm_90"));
}

TEST_F(RealNvrtc, NamesTheLineOfAnError) {
  const auto compiled = nvrtc->compile("int a;\nint a;\n", "twice.cu", {}, {});
  EXPECT_FALSE(compiled.ok);
  EXPECT_THAT(compiled.log, HasSubstr("twice.cu(2): error"));
}

TEST_F(RealNvrtc, TellsRegistersWhenAsked) {
  const auto compiled =
      nvrtc->compile(kernel, "scale.cu", two, {"--gpu-architecture=sm_90", "--ptxas-options=-v"});
  EXPECT_THAT(compiled.log, AllOf(HasSubstr("'scale' for 'sm_90'"), HasSubstr("registers")));
}

TEST_F(RealNvrtc, ReportsAnOptionThatItDoesNotKnow) {
  EXPECT_THAT(test::error_text(ErrorCode::device_compiler,
                               [&] { nvrtc->compile(kernel, "scale.cu", two, {"--no-such"}); }),
              AllOf(HasSubstr("NVRTC_ERROR_INVALID_OPTION"), HasSubstr("--no-such")));
}

TEST_F(RealNvrtc, IsSharedByThreads) {
  std::array<Compiled, 3> results;
  std::vector<std::thread> threads;
  for (Compiled& result : results)
    threads.emplace_back([&] { result = nvrtc->compile(kernel, "scale.cu", two, {}); });
  for (std::thread& thread : threads) thread.join();
  for (const Compiled& result : results) EXPECT_EQ(result.ptx, results[0].ptx);
  EXPECT_TRUE(results[0].ok);
}

}  // namespace
}  // namespace op2::gpu
