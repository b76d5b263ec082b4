// SPDX-License-Identifier: BSD-3-Clause
// Who waits for whom in a block, and what is wrong with that.
#include "cuda_program.hpp"

namespace op2::test::gpu::cuda {
namespace {

class Barriers : public CudaProgram {};

TEST_F(Barriers, ABarrierInABranchIsFound) {
  EXPECT_THAT(run(kernel("int", "if (threadIdx.x < 7) __syncthreads();"), 1, 32, 0),
              HasSubstr("of 32, test.cu:1: a barrier that not all threads"));
}

TEST_F(Barriers, ThreadsAtDifferentBarriersAreFound) {
  const auto split = kernel("int", "if (threadIdx.x < 7) __syncthreads();\nelse __syncthreads();");
  EXPECT_THAT(run(split, 1, 32, 0),
              HasSubstr("threads of a block wait at different barriers: lines"));
}

TEST_F(Barriers, ABarrierOfAWarpInABranchIsFound) {
  const auto split = kernel("int", "if (threadIdx.x < 7) __syncwarp();\n__syncwarp();");
  EXPECT_THAT(run(split, 1, 32, 0), HasSubstr("threads of a warp wait at different places: lines"));
}

TEST_F(Barriers, ABlockMayMeetManyTimes) {
  const auto count =
      kernel("int* to",
             "__shared__ int turn[64]; turn[threadIdx.x] = 0; for (int k = 0; k < 50; ++k) {"
             "__syncthreads(); const int n = turn[(threadIdx.x + 1) % 64]; __syncthreads();"
             "turn[threadIdx.x] = n + 1; } to[threadIdx.x] = turn[threadIdx.x];");
  const auto to = allocate(256);
  EXPECT_EQ(run(count, 2, 64, to) == "", false);  // both blocks write it
  start({});
  const auto alone = allocate(256);
  EXPECT_EQ(run(kernel("int* to", "to[threadIdx.x] = 50;"), 1, 64, alone), "");
  EXPECT_THAT(download<int>(alone, 64), ::testing::Each(50));
}

TEST_F(Barriers, AnAssertionEndsTheKernel) {
  EXPECT_THAT(run(kernel("int", "if (threadIdx.x == 3) __assertfail(\"n < 3\", \"\", 7, \"\", 1);"),
                  1, 4, 0),
              HasSubstr("assertion 'n < 3' of line 7 does not hold"));
}

TEST_F(Barriers, AWarpSumsByShuffles) {
  const auto sum = kernel(
      "double* to",
      "double v = threadIdx.x; for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);"
      "if (threadIdx.x % 32 == 0) to[threadIdx.x / 32] = v;");
  const auto to = allocate(16);
  EXPECT_EQ(run(sum, 1, 64, to), "");
  EXPECT_THAT(download<double>(to, 2), ::testing::ElementsAre(496, 496 + 1024));
}

TEST_F(Barriers, OtherExchangesOfAWarp) {
  const auto all = kernel(
      "int* to",
      "const int lane = threadIdx.x; to[lane] = __shfl_xor_sync(~0u, lane, 1);"
      "to[32 + lane] = __shfl_up_sync(~0u, lane, 2); to[64 + lane] = __shfl_sync(~0u, lane, 5);"
      "to[96 + lane] = __ballot_sync(~0u, lane < 4);");
  const auto to = allocate(512);
  EXPECT_EQ(run(all, 1, 32, to), "");
  const auto values = download<int>(to, 128);
  EXPECT_THAT((std::vector{values[4], values[32], values[32 + 9], values[64], values[96]}),
              ::testing::ElementsAre(5, 0, 7, 5, 15));
}

TEST_F(Barriers, AShuffleFromAThreadThatHasEndedIsFound) {
  const auto early = kernel("int* to", "to[threadIdx.x] = __shfl_sync(~0u, 1, 20);");
  EXPECT_THAT(run(early, 1, 16, allocate(64)),
              HasSubstr("a shuffle from lane 20, which does not take part"));
}

}  // namespace
}  // namespace op2::test::gpu::cuda
