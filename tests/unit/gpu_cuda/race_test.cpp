// SPDX-License-Identifier: BSD-3-Clause
// Which accesses of a kernel's threads can meet.
#include "cuda_program.hpp"

namespace op2::test::gpu::cuda {
namespace {

class Races : public CudaProgram {};

TEST_F(Races, AtomicAdditionsOfManyBlocksCanMeet) {
  const auto sum = upload<double>({0});
  EXPECT_EQ(run(kernel("double* sum", "atomicAdd(sum, 1.0);"), 3, 64, sum), "");
  EXPECT_THAT(download<double>(sum, 1), ::testing::ElementsAre(192));
}

TEST_F(Races, AnAdditionThatIsNotAtomicIsARace) {
  EXPECT_THAT(run(kernel("double* sum", "*sum += 1.0;"), 1, 64, upload<double>({0})),
              HasSubstr("race: "));
}

TEST_F(Races, AnAtomicUpdateIsShownInTheKernel) {
  EXPECT_THAT(run(kernel("double* sum", "atomicAdd(sum, 1.0);"), 1, 1, allocate(8)),
              HasSubstr("test.cu:1: atomic update of 8 bytes without a value"));
}

TEST_F(Races, BlocksThatWriteTheSameAreARace) {
  EXPECT_THAT(run(kernel("int* flag", "*flag = 1;"), 2, 1, allocate(4)),
              HasSubstr("race: write of 4 bytes; write of thread 0 of another block"));
}

TEST_F(Races, APlainReadAndAnAtomicUpdateAreARace) {
  const auto mixed =
      kernel("int* n, int* to", "if (threadIdx.x == 0) *to = *n; else atomicAdd(n, 1);");
  EXPECT_THAT(run(mixed, 1, 2, upload<int>({0}), allocate(4)), HasSubstr("race: "));
}

const std::string reverse =
    "__shared__ double rows[64]; rows[threadIdx.x] = threadIdx.x;"
    "BARRIER to[threadIdx.x] = rows[63 - threadIdx.x];";

std::string reversed_with(const std::string& barrier) {
  std::string body = reverse;
  return body.replace(body.find("BARRIER"), 7, barrier);
}

TEST_F(Races, ABarrierOrdersTheThreadsOfABlock) {
  const auto to = allocate(512);
  EXPECT_EQ(run(kernel("double* to", reversed_with("__syncthreads();")), 1, 64, to), "");
  EXPECT_EQ(download<double>(to, 64)[1], 62);
}

TEST_F(Races, WithoutABarrierSharedMemoryIsARaceOrHasNoValue) {
  EXPECT_THAT(run(kernel("double* to", reversed_with("")), 1, 64, allocate(512)),
              ::testing::AnyOf(HasSubstr("race: "), HasSubstr("without a value")));
}

TEST_F(Races, ABarrierOfAWarpDoesNotOrderTwoWarps) {
  EXPECT_THAT(run(kernel("double* to", reversed_with("__syncwarp();")), 1, 64, allocate(512)),
              ::testing::AnyOf(HasSubstr("race: "), HasSubstr("without a value")));
}

std::string turned_in_a_warp(const std::string& barrier) {
  return "__shared__ int rows[32]; rows[threadIdx.x] = threadIdx.x;" + barrier +
         "to[threadIdx.x] = rows[31 - threadIdx.x];";
}

TEST_F(Races, ABarrierOfAWarpOrdersItsThreads) {
  EXPECT_EQ(run(kernel("int* to", turned_in_a_warp("__syncwarp();")), 1, 32, allocate(128)), "");
}

TEST_F(Races, AShuffleDoesNotOrderMemory) {
  EXPECT_THAT(
      run(kernel("int* to", turned_in_a_warp("__shfl_sync(~0u, 1, 0);")), 1, 32, allocate(128)),
      HasSubstr("race: read of 4 bytes; write of thread"));
}

TEST_F(Races, WithoutABarrierOfTheWarpReuseIsARace) {
  const auto reuse =
      kernel("int* to",
             "__shared__ int row[32]; for (int k = 0; k < 2; ++k) { row[threadIdx.x] = k;"
             "__syncwarp(); to[threadIdx.x] = row[31 - threadIdx.x]; }");
  EXPECT_THAT(run(reuse, 1, 32, allocate(128)), HasSubstr("race: "));
}

TEST_F(Races, NeighbouringBytesDoNotMeet) {
  const auto flags = allocate(64);
  EXPECT_EQ(run(kernel("char* q", "q[threadIdx.x] = 1;"), 1, 64, flags), "");
  EXPECT_EQ(run(kernel("short* q", "q[threadIdx.x] = 1;"), 1, 32, flags), "");
}

TEST_F(Races, TheNextKernelIsOrdered) {
  const auto q = allocate(8);
  const auto set = kernel("double* q", "*q = 1;");
  EXPECT_EQ(run(set, 1, 1, q), "");
  EXPECT_EQ(run(set, 1, 1, q), "");
}

TEST_F(Races, ManyReadersMeetALaterWriter) {
  const auto last = kernel("double* q, double* to",
                           "if (blockIdx.x * blockDim.x + threadIdx.x == 70) *q = 1;"
                           "else to[blockIdx.x * blockDim.x + threadIdx.x] = *q;");
  EXPECT_THAT(run(last, 2, 64, upload<double>({0}), allocate(1024)), HasSubstr("race: "));
}

}  // namespace
}  // namespace op2::test::gpu::cuda
