// SPDX-License-Identifier: BSD-3-Clause
// An MPI's word on whether it accesses memory of GPUs, for LD_PRELOAD: TEST_GPU_AWARE is 0 or 1.
#include <cstdlib>

extern "C" [[gnu::visibility("default")]] int MPIX_Query_cuda_support() {
  return std::atoi(std::getenv("TEST_GPU_AWARE"));
}
