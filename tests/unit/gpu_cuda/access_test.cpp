// SPDX-License-Identifier: BSD-3-Clause
// What accesses of kernels to memory are found to be wrong.
#include <support/gpu/fault_report.hpp>

#include "cuda_program.hpp"

namespace op2::test::gpu::cuda {
namespace {

class Accesses : public CudaProgram {};
using AccessesDeathTest = Accesses;

const std::string index = "const int n = blockIdx.x * blockDim.x + threadIdx.x;";

TEST_F(Accesses, AKernelWorksOnItsParametersWithoutAFinding) {
  const auto twice = kernel("double* q, int count", index + "if (n < count) q[n] *= 2;");
  const auto q = upload<double>({1, 2, 3, 4, 5});
  EXPECT_EQ(run(twice, 2, 3, q, 5), "");
  EXPECT_THAT(download<double>(q, 5), ::testing::ElementsAre(2, 4, 6, 8, 10));
}

TEST_F(Accesses, LocalArraysKeepTheirMemoryAcrossBarriers) {
  const auto turn = kernel("double* q",
                           "double own[4]; const int t = threadIdx.x;"
                           "for (int k = 0; k < 4; ++k) own[k] = q[(t + k) % 4];"
                           "__syncthreads(); q[t] = own[(t + int(own[0])) % 4];");
  EXPECT_EQ(run(turn, 1, 4, upload<double>({1, 2, 3, 0})), "");
}

TEST_F(Accesses, WithoutABoundsCheckAKernelLeavesItsAllocation) {
  const auto twice = kernel("double* q", index + "q[n] *= 2;");
  EXPECT_THAT(run(twice, 1, 8, upload<double>({1, 2, 3, 4, 5})),
              HasSubstr("read of 8 bytes outside of any allocation: 'allocation 0' of 40 bytes"));
}

TEST_F(Accesses, AMistakeHasItsLineInTheSource) {
  const auto set = kernel("double* q", "\n\n#line 212 \"airfoil.cpp\"\n q[1] = 1;");
  EXPECT_THAT(run(set, 1, 1, allocate(8)), HasSubstr("thread 0 of 1, airfoil.cpp:212: write"));
}

TEST_F(Accesses, AMapEntryBeyondTheSetIsNamedWithItsOffset) {
  const auto gather = kernel("const double* q, const int* map, double* to",
                             "to[threadIdx.x] = q[map[threadIdx.x]];");
  const auto q = upload<double>({1, 2}), to = allocate(16);
  EXPECT_THAT(run(gather, 1, 2, q, upload<int>({0, 7}), to),
              HasSubstr("outside of any allocation: 'allocation 0' of 16 bytes, offset 56"));
}

TEST_F(Accesses, APointerOfTheHostIsNotOneOfTheDevice) {
  std::vector<double> q(4, 1.0);
  EXPECT_THAT(run(kernel("double* q", "q[threadIdx.x] = 1;"), 1, 4, q.data()),
              HasSubstr("write of 8 bytes of memory of the host"));
}

TEST_F(Accesses, FreedMemoryIsNotAccessible) {
  const auto set = kernel("double* q", "q[0] = 1;");
  const auto q = upload<double>({1});
  api->memory_free(q);
  EXPECT_THAT(run(set, 1, 1, q), HasSubstr("'allocation 0' of 8 bytes, freed, offset 0"));
}

TEST_F(Accesses, MemoryThatNobodyHasWrittenHasNoValue) {
  const auto copy = kernel("const double* from, double* to", "to[0] = from[3];");
  const auto from = allocate(64), to = allocate(8);
  EXPECT_THAT(run(copy, 1, 1, from, to),
              HasSubstr("read of 8 bytes without a value: 'allocation 0' of 64 bytes, offset 24"));
}

TEST_F(Accesses, WhatAKernelHasWrittenHasAValue) {
  const auto memory = allocate(64);
  EXPECT_EQ(run(kernel("float* q", "q[threadIdx.x] = 3;"), 1, 16, memory), "");
  EXPECT_THAT(download<float>(memory, 16), ::testing::Each(3.F));
}

TEST_F(Accesses, SharedMemoryHasNoValueBeforeItIsWritten) {
  const auto sum = kernel("double* to",
                          "__shared__ double rows[4]; rows[threadIdx.x] += 1; __syncthreads(); "
                          "to[threadIdx.x] = rows[threadIdx.x];");
  EXPECT_THAT(run(sum, 1, 4, allocate(32)), HasSubstr("without a value: shared memory"));
}

TEST_F(Accesses, SharedMemoryOfAnotherBlockIsGone) {
  const auto keep = kernel(
      "double* to", "__shared__ double kept; if (blockIdx.x == 0) kept = 1; else to[0] = kept;");
  EXPECT_THAT(run(keep, 2, 1, allocate(8)), HasSubstr("without a value: shared memory"));
}

TEST_F(Accesses, AnAccessIsAligned) {
  const auto shift = kernel("char* q", "*reinterpret_cast<double*>(q + 4) = 1;");
  EXPECT_THAT(run(shift, 1, 1, allocate(64)),
              HasSubstr("misaligned write of 8 bytes: 'allocation 0' of 64 bytes, offset 4"));
}

TEST_F(Accesses, AWideAccessIsAlignedToItsSize) {
  const auto copy = kernel("const double* q, double* to",
                           "struct alignas(16) pair { double v[2]; };"
                           "*reinterpret_cast<pair*>(to) = *reinterpret_cast<const pair*>(q + 1);");
  EXPECT_THAT(run(copy, 1, 1, upload<double>({1, 2, 3, 4}), allocate(32)),
              HasSubstr("misaligned read of 16 bytes"));
}

TEST_F(Accesses, ConstantsAreReadOnly) {
  const auto set =
      function(load("extern \"C\" {__constant__ double gam;}" + kernel_head + "() { gam = 1; }"));
  EXPECT_THAT(run(set, 1, 1), HasSubstr("write of 8 bytes of memory that is read only"));
}

TEST_F(Accesses, AConstantHasNoValueBeforeItIsCopied) {
  const auto module =
      load("extern \"C\" {__constant__ double gam;}" + kernel_head + "(double* to) { *to = gam; }");
  DevicePointer gam = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(api->module_symbol(&gam, &bytes, module, "gam"), 0);
  EXPECT_EQ(bytes, 8U);
  EXPECT_THAT(run(function(module), 1, 1, allocate(8)),
              HasSubstr("without a value: variable 'gam', offset 0"));
}

TEST_F(Accesses, AConstantHasTheValueThatWasCopied) {
  const auto module = load("extern \"C\" {__constant__ double gam[2];}" + kernel_head +
                           "(double* to) { *to = gam[1]; }");
  DevicePointer gam = 0;
  std::size_t bytes = 0;
  api->module_symbol(&gam, &bytes, module, "gam");
  const std::vector<double> values{1.5, 2.5};
  copy_in(gam, values.data(), bytes);
  const auto to = allocate(8);
  EXPECT_EQ(run(function(module), 1, 1, to), "");
  EXPECT_THAT(download<double>(to, 1), ::testing::ElementsAre(2.5));
}

TEST_F(Accesses, AVariableOfTheDeviceKeepsWhatAKernelWrites) {
  const auto module =
      load("extern \"C\" {__device__ int count = 3;}" + kernel_head + "() { ++count; }");
  DevicePointer count = 0;
  api->module_symbol(&count, nullptr, module, "count");
  EXPECT_EQ(run(function(module), 1, 1), "");
  EXPECT_EQ(run(function(module), 1, 1), "");
  EXPECT_THAT(download<int>(count, 1), ::testing::ElementsAre(5));
}

TEST_F(AccessesDeathTest, TheHostCannotReadMemoryOfTheDevice) {
  const auto q = upload<double>({1});
  EXPECT_EXIT(static_cast<void>(*reinterpret_cast<volatile double*>(q)),
              ::testing::ExitedWithCode(fault_exit_code), "the host accesses memory of the device");
}

}  // namespace
}  // namespace op2::test::gpu::cuda
