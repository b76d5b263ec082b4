// SPDX-License-Identifier: BSD-3-Clause
// What the driver answers.
#include <array>
#include <thread>

#include <support/gpu/poison.hpp>

#include "cuda_program.hpp"

namespace op2::test::gpu::cuda {
namespace {

class EmulatedDriver : public CudaProgram {};

TEST_F(EmulatedDriver, TheDeviceHasANameAndAnArchitecture) {
  std::array<char, 64> name{};
  int major = 0;
  EXPECT_EQ(api->device_name(name.data(), 64, 0), 0);
  EXPECT_EQ(api->device_attribute(&major, op2::gpu::DeviceAttribute::architecture_major, 0), 0);
  EXPECT_STREQ(name.data(), "emulated device");
  EXPECT_EQ(major, 9);
}

TEST_F(EmulatedDriver, AContextOfDevicesThatAreGoneIsNotCurrent) {
  for (int k = 0; k < 16; ++k) {
    of_emulator<void (*)()>("op2_emu_reset")();
    op2::gpu::ContextHandle current = nullptr;
    EXPECT_EQ(api->init(0), 0);
    EXPECT_EQ(api->context_get_current(&current), 0);
    EXPECT_EQ(current, nullptr);
    start({});
  }
}

TEST_F(EmulatedDriver, AllocationsEndWithTheMemory) {
  start({{"OP2_EMU_MEMORY", "1000"}});
  DevicePointer a = 0, b = 0;
  EXPECT_EQ(api->memory_allocate(&a, 600), 0);
  EXPECT_EQ(api->memory_allocate(&b, 600), 2);
  EXPECT_EQ(api->memory_free(a), 0);
  EXPECT_EQ(api->memory_allocate(&b, 600), 0);
}

TEST_F(EmulatedDriver, RefusesCodeOfARealCompiler) {
  auto cubin = compile(kernel_head + "() {}").cubin;
  constexpr std::size_t machine = 18;  // in the head of an ELF file; 190: a device of NVIDIA
  cubin.at(machine) = std::byte{190};
  ModuleHandle module = nullptr;
  EXPECT_EQ(api->module_load(&module, cubin.data(), 0, nullptr, nullptr), 200);
  EXPECT_THAT(findings(), HasSubstr("not of the emulated compiler: set OP2_NVRTC to this library"));
}

TEST_F(EmulatedDriver, WhatIsFreedWasAllocated) {
  EXPECT_EQ(api->memory_free(allocate(16) + 8), 700);
  EXPECT_THAT(findings(), HasSubstr("free of a pointer into the middle of an allocation"));
}

TEST_F(EmulatedDriver, FreeingTwiceIsFound) {
  const auto q = allocate(16);
  EXPECT_EQ(api->memory_free(q), 0);
  EXPECT_EQ(api->memory_free(q), 700);
  EXPECT_THAT(findings(), HasSubstr("'free' uses freed memory: 'allocation 0' of 16 bytes"));
}

TEST_F(EmulatedDriver, ACopyStaysInsideOfItsAllocation) {
  api->upload(allocate(8), pinned<double>(2), 16, stream);
  EXPECT_EQ(api->stream_wait(stream), 700);
  EXPECT_THAT(findings(), HasSubstr("'upload' goes outside of an allocation: 'allocation 0' of 8 "
                                    "bytes, offset 0, 16 bytes"));
}

TEST_F(EmulatedDriver, ACopyIsOfMemoryOfTheDevice) {
  auto* memory = pinned<double>(2);
  api->upload(reinterpret_cast<DevicePointer>(memory), memory + 1, 8, stream);
  EXPECT_EQ(api->stream_wait(stream), 700);
  EXPECT_THAT(findings(), HasSubstr("'upload' takes memory of the host for memory of the device"));
}

TEST_F(EmulatedDriver, ACopyOnTheDeviceGivesNoValueToBytesThatHadNone) {
  const auto from = allocate(16), to = allocate(16);
  api->fill(from, 0, 8, stream);
  api->copy(to, from, 16, stream);
  EXPECT_THAT(download<double>(to, 1), ::testing::ElementsAre(0));
  api->download(pinned<double>(2), to, 16, stream);
  EXPECT_EQ(api->stream_wait(stream), 700);
  EXPECT_THAT(findings(), HasSubstr("without a value: 'allocation 1' of 16 bytes, offset 8"));
}

TEST_F(EmulatedDriver, AValueThatLooksLikeNoneIsOne) {
  EXPECT_THAT(download<std::uint32_t>(upload<std::uint32_t>({poison_word}), 1),
              ::testing::ElementsAre(poison_word));
}

TEST_F(EmulatedDriver, PinnedMemoryIsNotFreedBeforeACopyHasRun) {
  auto* value = pinned<double>(1);
  EXPECT_EQ(api->upload(allocate(8), value, 8, stream), 0);
  EXPECT_EQ(api->pinned_free(value), 700);
  EXPECT_THAT(findings(), HasSubstr("pinned memory is freed before a copy has run"));
}

TEST_F(EmulatedDriver, EachDeviceHasItsOwnMemory) {
  start({{"OP2_EMU_DEVICES", "2"}});
  const auto q = upload<double>({1});
  op2::gpu::ContextHandle other = nullptr;
  EXPECT_EQ(api->context_retain(&other, 1), 0);
  EXPECT_EQ(api->context_set_current(other), 0);
  EXPECT_EQ(api->stream_create(&stream, 1), 0);
  EXPECT_THAT(run(kernel("double* q", "*q = 1;"), 1, 1, q), HasSubstr("memory of the host"));
}

TEST_F(EmulatedDriver, AThreadHasNoContextBeforeItSetsOne) {
  int result = 0;
  std::thread([&] { result = api->memory_free(0); }).join();
  EXPECT_EQ(result, 201);
}

TEST_F(EmulatedDriver, WhatIsWrongLosesTheDevice) {
  const auto q = allocate(8);
  EXPECT_NE(run(kernel("double* q", "q[1] = 1;"), 1, 1, q), "");
  DevicePointer more = 0;
  EXPECT_EQ(api->memory_allocate(&more, 8), 700);
}

TEST_F(EmulatedDriver, TheKthCallFails) {
  start({{"OP2_EMU_FAIL", "6:2"}});  // after cuInit, retaining, setting the context, a stream
  DevicePointer memory = 0;
  EXPECT_EQ(api->memory_allocate(&memory, 8), 0);
  EXPECT_EQ(api->memory_allocate(&memory, 8), 2);
  EXPECT_EQ(api->memory_allocate(&memory, 8), 0);
}

TEST_F(EmulatedDriver, ALostDeviceStaysLost) {
  start({{"OP2_EMU_FAIL", "5:719"}});
  DevicePointer memory = 0;
  EXPECT_EQ(api->memory_allocate(&memory, 8), 719);
  EXPECT_EQ(api->memory_allocate(&memory, 8), 719);
}

TEST_F(EmulatedDriver, TheKthCallOfAFunctionIsLeftOut) {
  start({{"OP2_EMU_OMIT", "cuMemsetD8Async:2"}});
  ::unsetenv("OP2_EMU_OMIT");
  const auto a = allocate(1), b = allocate(1);
  EXPECT_EQ(api->fill(a, 1, 1, stream), 0);
  EXPECT_EQ(api->fill(b, 1, 1, stream), 0);
  EXPECT_THAT(download<char>(a, 1), ::testing::ElementsAre(1));
  auto* value = pinned<char>(1);
  api->download(value, b, 1, stream);
  EXPECT_EQ(api->stream_wait(stream), 700);
}

TEST_F(EmulatedDriver, FunctionsOfNvrtcFailInTurnToo) {
  start({{"OP2_EMU_FAIL", "7:2"}});
  EXPECT_THROW(compile(kernel_head + "() {}"), std::exception);
  EXPECT_EQ(of_emulator<long long (*)(const char*)>("op2_emu_calls")("nvrtcVersion"), 1);
}

TEST_F(EmulatedDriver, LaunchesHaveLimits) {
  const auto set = kernel("int", "");
  EXPECT_EQ(launch(set, 0, 1, 1), 1);
  EXPECT_EQ(launch(set, 1, 1025, 1), 1);
}

TEST_F(EmulatedDriver, ABlockIsNotLargerThanTheKernelAllows) {
  const auto set =
      function(load("extern \"C\" __global__ void __launch_bounds__(64) kernel(int) {}"));
  EXPECT_EQ(launch(set, 1, 64, 1), 0);
  EXPECT_EQ(launch(set, 1, 65, 1), 1);
}

TEST_F(EmulatedDriver, WhatIsNotThereIsNotFoundIfThatIsAllowed) {
  start({{"OP2_EMU_ABSENT", "allowed"}});
  const auto module = load(kernel_head + "() {}");
  FunctionHandle none = nullptr;
  DevicePointer symbol = 0;
  EXPECT_EQ(api->module_function(&none, module, "other"), 500);
  EXPECT_EQ(api->module_symbol(&symbol, nullptr, module, "sqrt"), 500);
}

TEST_F(EmulatedDriver, ToAskForWhatIsNotThereIsAMistake) {
  const auto module = load(kernel_head + "() {}");
  FunctionHandle none = nullptr;
  EXPECT_EQ(api->module_function(&none, module, "other"), 700);
  EXPECT_THAT(findings(), HasSubstr("a module is asked for a kernel that it lacks: 'other'"));
}

TEST_F(EmulatedDriver, MistakesAreWrittenToAFile) {
  const std::string file = ::testing::TempDir() + "emulated_cuda_report";
  std::remove(file.c_str());
  start({{"OP2_EMU_REPORT", file}});
  run(kernel("double* q", "q[1] = 1;"), 1, 1, allocate(8));
  ::unsetenv("OP2_EMU_REPORT");
  std::string text(1000, 0);
  FILE* report = std::fopen(file.c_str(), "r");
  text.resize(std::fread(text.data(), 1, text.size(), report));
  std::fclose(report);
  EXPECT_THAT(
      text,
      HasSubstr(
          "emulated device 0': kernel 'kernel', block 0 of 1, thread 0 of 1, test.cu:1: write"));
}

}  // namespace
}  // namespace op2::test::gpu::cuda
