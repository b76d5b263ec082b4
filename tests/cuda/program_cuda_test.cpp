// SPDX-License-Identifier: BSD-3-Clause
// What a program asks of a device, and what it is told.
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>

#include <support/expect_error.hpp>

#include "ring_on_device.hpp"

namespace op2::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

OP_KERNEL(add_twice, (const double* length, double* same, double* other), {
  *same += *length;
  *other += *length;
});
OP_KERNEL(add_once, (const double* flow, double* sum), { *sum += *flow; });
OP_KERNEL(write_beyond, (double* sum), { sum[100000 + static_cast<int>(*sum)] = 1; });
OP_KERNEL(set_second, (double* sum), { sum[1] = 1; });
OP_KERNEL(set_first, (double* sum), { *sum = 1; });
OP_KERNEL(multiply, (const double* factor, double* sum), { *sum *= *factor; });
OP_KERNEL(mark, (bool* seen), { *seen = true; });

TEST_F(OnDevice, ALoopThatUsesSumsIsOneKernelWithThoseThatAdd) {
  start();
  for (int k = 1; k < 4; ++k) {
    add();
    EXPECT_EQ(total_of_scaled(), ((1 << (k + 2)) - 4.0) * size);
  }
  EXPECT_EQ(emulated_calls("cuLaunchKernel"), 2);  // the kernel and a fold, the first time
}

/// A loop that adds to one row gathers with one that adds to two, unless a row waits for too many
/// elements.
TEST_F(OnDevice, LoopsThatAddOftenToOneRowAreSeparateKernels) {
  for (const int sharing : {1, 256, 257}) {
    reset_emulator();
    start();
    const std::vector<int> to_first(sharing, 0);
    const op_set inlets = op_decl_set(sharing, "inlets");
    const op_map row = op_decl_map(inlets, nodes, 1, to_first.data(), "row");
    const op_dat flow = op_decl_dat(inlets, 1, std::vector<double>(sharing, 1).data(), "flow");
    add();
    op_par_loop(add_once, "add_once", inlets, op_arg_dat(flow, OP_READ),
                op_arg_dat(sum, 0, row, OP_INC));
    EXPECT_EQ(total_of_scaled(), 2 * (2.0 * size + sharing));
    EXPECT_EQ(emulated_calls("cuLaunchKernel"), sharing > 256 ? 4 : 2);
    op_exit();
  }
}

/// As a separate kernel it would gather as often.
TEST_F(OnDevice, ALoopThatGathersByItselfStaysWithThoseThatUseItsSums) {
  constexpr int count = 300;
  start();
  std::vector<int> to_first_and_own;
  for (int spoke = 0; spoke < count; ++spoke)
    to_first_and_own.insert(to_first_and_own.end(), {0, 1 + spoke});
  const op_set spokes = op_decl_set(count, "spokes");
  const op_map ends = op_decl_map(spokes, nodes, 2, to_first_and_own.data(), "ends_of_spoke");
  const op_dat flow = op_decl_dat(spokes, 1, std::vector<double>(count, 1).data(), "flow");
  op_par_loop(add_length, "add_flow", spokes, op_arg_dat(flow, OP_READ),
              op_arg_dat(sum, 0, ends, OP_INC), op_arg_dat(sum, 1, ends, OP_INC));
  EXPECT_EQ(total_of_scaled(), 4.0 * count);
  EXPECT_EQ(emulated_calls("cuLaunchKernel"), 2);
}

TEST_F(OnDevice, AChainThatRepeatsIsOneGraph) {
  setenv("OP2_GPU_INC", "rows", 1);
  start();
  for (int k = 0; k < 3; ++k) {
    add();
    total_of_scaled();
  }
  EXPECT_EQ(emulated_calls("cuLaunchKernel"), 3);  // both loops and a fold, the first time
  EXPECT_EQ(emulated_calls("cuGraphLaunch"), 2);
}

TEST_F(OnDevice, AnElementThatReadsTheRowThatItAddsToSeesWhatItHasAdded) {
  start();
  std::vector<int> itself(size);
  std::iota(itself.begin(), itself.end(), 0);
  const op_map self = op_decl_map(edges, edges, 1, itself.data(), "self");
  op_par_loop(add_twice, "add_twice", edges, op_arg_dat(length, OP_READ),
              op_arg_dat(length, 0, self, OP_INC), op_arg_dat(sum, 0, ends_of_edge, OP_INC));
  EXPECT_THAT(sums(), Each(2));
}

TEST_F(OnDevice, TheSecondRunOfAProgramCompilesNothing) {
  EXPECT_EQ(compilations_of_second_run(), 0);
}

/// The driver makes code of what the compiler makes for all devices to come. It knows 8.0 and 9.0.
TEST_F(OnDevice, ADeviceThatTheCompilerDoesNotKnowRunsProgramsToo) {
  for (const char* capability : {"120", "86"}) {
    setenv("OP2_EMU_CAPABILITY", capability, 1);
    SCOPED_TRACE(capability);
    EXPECT_EQ(compilations_of_second_run(), 0);
  }
}

TEST_F(OnDevice, ADeviceOlderThanAllThatTheCompilerKnowsIsAnError) {
  setenv("OP2_EMU_CAPABILITY", "70", 1);
  reset_emulator();
  start();
  add();
  EXPECT_THAT(error_text(ErrorCode::device_compiler, [&] { op_flush(); }),
              AllOf(HasSubstr("sm_70"), HasSubstr("begins with sm_80")));
}

TEST_F(OnDevice, AReductionHasTheValueOfASum) {
  start();
  add();
  EXPECT_EQ(total_of_scaled(), 4.0 * size);
}

TEST_F(OnDevice, ALazyGlobalStaysThereUntilItIsRead) {
  start();
  const double zero = 0;
  const op_global total = op_decl_global(1, &zero, "total");
  for (int k = 0; k < 3; ++k) {
    op_par_loop(scaled, "scaled", nodes, op_arg_dat(sum, OP_RW), op_arg_gbl(total, OP_INC));
    add();
    op_flush();
  }
  EXPECT_EQ(emulated_calls("cuMemcpyDtoHAsync_v2"), 0);
  double value = 0;
  op_fetch_global(total, &value);
  EXPECT_EQ(value, (0 + 4 + 12) * size);
  EXPECT_EQ(emulated_calls("cuMemcpyDtoHAsync_v2"), 1);
}

/// A device changes single bytes atomically with the word that they are in.
TEST_F(OnDevice, BytesAtTheEndOfADatCanBeIncremented) {
  op_init(0, nullptr);
  const int targets[] = {2, 0};
  const op_set from = op_decl_set(2, "from"), to = op_decl_set(3, "to");
  const op_map map = op_decl_map(from, to, 1, targets, "map");
  const op_dat seen = op_decl_dat<bool>(to, 1, nullptr, "seen");
  op_par_loop(mark, "mark", from, op_arg_dat(seen, 0, map, OP_INC));
  bool values[3];
  op_fetch_data(seen, values);
  EXPECT_THAT(values, testing::ElementsAre(true, false, true));
}

TEST_F(OnDevice, AConstantThatChangesBetweenLoopsIsSeenByTheLater) {
  start();
  add();
  EXPECT_EQ(total_of_scaled(), 4.0 * size);
  const double other = 3;
  op_decl_const(1, &other, "scale");
  EXPECT_EQ(total_of_scaled(), 12.0 * size);
}

/// Kernels that are still queued see the earlier values. Values go through more turns of pinned
/// memory than there are.
TEST_F(OnDevice, AConstantThatChangesDoesNotMakeTheHostWait) {
  start();
  const double zero = 0;
  const op_global total = op_decl_global(1, &zero, "total");
  double each = 2, expected = 0;
  long long waits = 0;
  add();
  for (int step = 0; step < 20; ++step) {
    const double value = step % 3 == 0 ? 0.5 : 2;
    op_decl_const(1, &value, "scale");
    op_par_loop(scaled, "scaled", nodes, op_arg_dat(sum, OP_RW), op_arg_gbl(total, OP_INC));
    expected += (each *= value) * size;
    if (step == 2) waits = emulated_calls("cuStreamSynchronize");
  }
  EXPECT_EQ(emulated_calls("cuStreamSynchronize"), waits);
  double found = 0;
  op_fetch_global(total, &found);
  EXPECT_EQ(found, expected);
}

TEST_F(OnDevice, AValueThatLoopsReadIsSentWhenItChanges) {
  start();
  const auto multiply_by = [&](double factor) {
    op_par_loop(multiply, "multiply", edges, op_arg_gbl(&factor, 1, "double", OP_READ),
                op_arg_dat(length, OP_RW));
    op_flush();
    return emulated_calls("cuMemcpyHtoDAsync_v2");
  };
  const long long first = multiply_by(3);
  EXPECT_EQ(multiply_by(3), first);
  EXPECT_EQ(multiply_by(2), first + 1);
  EXPECT_EQ(multiply_by(2), first + 1);
  EXPECT_EQ(multiply_by(3), first + 2);
  EXPECT_THAT(lengths(), Each(3.0 * 3 * 2 * 2 * 3));
}

TEST_F(OnDevice, DataStayThereBetweenLoops) {
  start();
  for (int k = 0; k < 5; ++k) {
    add();
    op_flush();
  }
  const long long downloads = emulated_calls("cuMemcpyDtoHAsync_v2");
  EXPECT_EQ(downloads, 0);
  EXPECT_THAT(sums(), Each(10.0));
  EXPECT_EQ(emulated_calls("cuMemcpyDtoHAsync_v2"), 1);
}

TEST_F(OnDevice, AFaultOfTheLastLoopIsThrownAtTheEnd) {
  start();
  op_par_loop(write_beyond, "write_beyond", nodes, op_arg_dat(sum, OP_RW));
  EXPECT_THAT(error_text(ErrorCode::device_failure, [&] { op_exit(); }),
              HasSubstr("OP2_CHECK=pointers"));
}

/// Of one dat the device has changed the rows before, of the other it does so when it fails.
TEST_F(OnDevice, DataThatTheHostHasStayValidAfterAFault) {
  start();
  add();
  const double factor = 3;
  op_par_loop(multiply, "multiply", edges, op_arg_gbl(&factor, 1, "double", OP_READ),
              op_arg_dat(length, OP_RW));
  EXPECT_THAT(lengths(), Each(3.0));
  EXPECT_THAT(sums(), Each(2.0));
  op_par_loop(write_beyond, "write_beyond", nodes, op_arg_dat(sum, OP_RW));
  EXPECT_THROW(op_flush(), Error);
  const auto host_rows = [](op_dat dat) {
    const auto* rows = reinterpret_cast<const double*>(dat->data);
    return std::vector<double>(rows, rows + size);
  };
  EXPECT_THAT(host_rows(length), Each(3.0));
  EXPECT_THAT(host_rows(sum), Each(2.0));  // as they were before the loop
}

#if OP2_HAVE_LLVM
TEST_F(OnDevice, AnIndexBeyondTheDimensionIsFoundByTheCompilerForTheHost) {
  start();
  op_par_loop(set_second, "set_second", nodes, op_arg_dat(sum, OP_RW));
  EXPECT_THAT(error_text(ErrorCode::kernel_access, [&] { op_flush(); }),
              AllOf(HasSubstr("arg 0 (OP_RW): kernel 'set_second' uses index 1"),
                    HasSubstr("program_cuda_test.cpp:"), HasSubstr("^")));
}
#endif

TEST_F(OnDevice, AProgramMayMakeAnotherContextCurrent) {
  start();
  add();
  op_flush();
  of_emulator<int(void*)>("cuCtxSetCurrent")(nullptr);
  add();
  EXPECT_THAT(sums(), Each(4.0));
}

TEST_F(OnDevice, CodeThatTheDriverRefusesIsAnError) {
  setenv("OP2_EMU_FAIL", "cuModuleLoadDataEx:222", 1);
  reset_emulator();
  start();
  add();
  EXPECT_THAT(
      error_text(ErrorCode::device_compiler, [&] { op_flush(); }),
      AllOf(HasSubstr("the device refuses the code: kernel 'add_length' of loop 'add_length'"),
            HasSubstr("cuModuleLoadDataEx returned 222"),
            HasSubstr("use an NVRTC and a driver of the same CUDA version")));
}

TEST_F(OnDevice, CodeThatIsNotAnImageForTheDriverNamesBothLibraries) {
  setenv("OP2_EMU_FAIL", "cuModuleLoadDataEx:200", 1);
  reset_emulator();
  start();
  add();
  EXPECT_THAT(error_text(ErrorCode::device_compiler, [&] { op_flush(); }),
              AllOf(HasSubstr("cuModuleLoadDataEx returned 200"),
                    HasSubstr("; use an NVRTC and a driver of the same CUDA version; OP2_NVRTC and "
                              "OP2_CUDA_DRIVER name them")));
}

TEST_F(OnDevice, NoMemoryForCodeIsAnErrorThatNamesTheDevice) {
  setenv("OP2_EMU_FAIL", "cuModuleLoadDataEx:2", 1);
  reset_emulator();
  start();
  add();
  EXPECT_THAT(error_text(ErrorCode::out_of_memory, [&] { op_flush(); }),
              AllOf(HasSubstr("out of device memory: device 0 (emulated device)"),
                    HasSubstr("use more devices, or a smaller mesh")));
}

TEST_F(OnDevice, ADeviceThatIsTooOldIsNamed) {
  setenv("OP2_EMU_CAPABILITY", "52", 1);
  reset_emulator();
  EXPECT_THAT(
      error_text(ErrorCode::no_device, [&] { op_init(0, nullptr); }),
      HasSubstr("the device is too old: sm_52, emulated device; use one of sm_60 or newer"));
}

TEST_F(OnDevice, TheProgramKeepsItsOwnContext) {
  setenv("OP2_EMU_DEVICES", "2", 1);
  reset_emulator();
  void *other = nullptr, *current = nullptr;
  of_emulator<int(unsigned)>("cuInit")(0);
  of_emulator<int(void**, int)>("cuDevicePrimaryCtxRetain")(&other, 1);
  of_emulator<int(void*)>("cuCtxSetCurrent")(other);
  const auto expect_own = [&](const char* after) {
    of_emulator<int(void**)>("cuCtxGetCurrent")(&current);
    EXPECT_EQ(current, other) << after;
  };
  start();
  expect_own("op_init");
  add();
  op_flush();
  expect_own("op_flush");
  EXPECT_THAT(sums(), Each(2.0));
  expect_own("op_fetch_data");
  op_exit();
  expect_own("op_exit");
  of_emulator<int(void*)>("cuCtxSetCurrent")(nullptr);
  unsetenv("OP2_EMU_DEVICES");
}

TEST_F(OnDevice, TooLittleMemoryIsAnErrorThatNamesTheLargestArrays) {
  setenv("OP2_EMU_MEMORY", "60000", 1);
  setenv("OP2_GPU_INC", "rows", 1);
  reset_emulator();
  start();
  add();
  EXPECT_THAT(error_text(ErrorCode::out_of_memory, [&] { op_flush(); }),
              AllOf(HasSubstr("out of device memory"), HasSubstr("24000 bytes")));
}

TEST_F(OnDevice, TooLittleMemoryForGlobalsIsAnErrorThatNamesTheLargestArrays) {
  setenv("OP2_EMU_MEMORY", "24010", 1);  // the sums alone, 24000 bytes, fit
  reset_emulator();
  start();
  op_par_loop(set_first, "set_first", nodes, op_arg_dat(sum, OP_WRITE));
  op_flush();
  EXPECT_THAT(error_text(ErrorCode::out_of_memory, [&] { total_of_scaled(); }),
              AllOf(HasSubstr("globals of plans, 64 bytes, but"), HasSubstr("of 24010 are free"),
                    HasSubstr("dat 'sum' on set 'nodes' 24000 bytes")));
}

TEST_F(OnDevice, WithoutADriverTheErrorSaysWhatWasLookedFor) {
  const std::string driver = std::getenv("OP2_CUDA_DRIVER");
  setenv("OP2_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  EXPECT_THAT(error_text(ErrorCode::no_device, [&] { op_init(0, nullptr); }),
              HasSubstr("/nowhere/libcuda.so.1"));
  setenv("OP2_CUDA_DRIVER", driver.c_str(), 1);
}

TEST_F(OnDevice, APathWithoutNvrtcIsAnErrorAtTheStart) {
  const std::string nvrtc = std::getenv("OP2_NVRTC");
  setenv("OP2_NVRTC", "/nowhere/libnvrtc.so.13", 1);
  EXPECT_THAT(error_text(ErrorCode::device_compiler, [&] { op_init(0, nullptr); }),
              HasSubstr("OP2_NVRTC is /nowhere/libnvrtc.so.13: no such file or folder"));
  setenv("OP2_NVRTC", nvrtc.c_str(), 1);
}

}  // namespace
}  // namespace op2::test
